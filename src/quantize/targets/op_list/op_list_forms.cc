#include "quantize/targets/op_list/op_list_forms.h"

#include <algorithm>
#include <bit>

#include "base/spelling.h"
#include "base/str_cat.h"

namespace preon {
namespace {

// Does the operator read its data from a Q/DQ pair?
bool ReadsPairs(const QuantPlan& plan, const Node& node) {
  const IntFormat* codes = CodesRead(plan, node, node.input(0));
  return codes != nullptr && IsIntType(codes->type) && DataTypeBits(codes->type) <= 16;
}

// Does the operator read its data from a Cast? The runtime leaves such an operator alone.
bool ReadsCast(const QuantPlan& plan, const Node& node) {
  const IntFormat* codes = CodesRead(plan, node, node.input(0));
  return codes != nullptr && codes->type == DataType::kFloat16 && plan.operators == OperatorForm::kStock &&
         plan.activations.at(node.input(0)).params.has_value();
}

// What ONNX Runtime 1.30 makes a MatMulNBits of, found by trying it: a matrix with one scale, one per output, or one
// per block of inputs.
bool BecomesMatMulNBits(const Graph& graph, const QuantPlan& plan, const Node& node) {
  const bool plain_gemm =
      node.Is("Gemm") && node.Int("transA", 0) == 0 && node.Int("transB", 0) == 0 && node.Float("alpha", 1) == 1;
  const auto found = plan.weights.find(node.input(1));
  if ((!node.Is("MatMul") && !plain_gemm) || found == plan.weights.end()) return false;
  const WeightPlan& weight = found->second;
  const bool has_codes = weight.form == WeightForm::kPacked && !weight.block && IsIntType(weight.format.type) &&
                         DataTypeBits(weight.format.type) <= 8;
  if (!has_codes || graph.Initializer(node.input(1))->shape().size() != 2) return false;
  const bool in_blocks = weight.axis >= 0 && weight.block_size > 0;
  const bool fits = in_blocks ? weight.axis == 0 && weight.block_size >= 16 &&
                                    std::has_single_bit(static_cast<uint64_t>(weight.block_size))
                              : weight.axis != 0;
  return fits && !ReadsPairs(plan, node) && !ReadsCast(plan, node);
}

// True where the runtime would quantize float weights or biases of a node that reads a pair behind the user's back.
bool NeedsGuard(const QuantPlan& plan, const Node& node) {
  if ((!node.Is("Conv") && !node.Is("Gemm")) || !ReadsPairs(plan, node)) return false;
  const auto weight = plan.weights.find(node.input(1));
  const bool has_codes = weight != plan.weights.end() && weight->second.form == WeightForm::kPacked &&
                         IsIntType(weight->second.format.type);
  const bool bias_encoded = node.input(2).empty() || std::ranges::any_of(plan.biases, [&](const BiasPlan& bias) {
                              return bias.node == node.name && bias.form == BiasForm::kInt32Codes;
                            });
  return !has_codes || !bias_encoded;
}

}  // namespace

const IntFormat* CodesRead(const QuantPlan& plan, const Node& node, const std::string& tensor) {
  const auto read = plan.activations.find(tensor);
  if (read == plan.activations.end()) return nullptr;
  if (const ConvertPlan* convert = read->second.ConvertFor(node.name))
    return convert->block ? nullptr : &convert->format;
  return read->second.block ? nullptr : &read->second.format;
}

// Codes, but where the runtime makes an integer kernel of operators between pairs that it then refuses to run, or that
// has no such type: float8, int32, and bytes in blocks.
WeightForm OpListRules::FormOf(const WeightPlan& weight, const QuantPlan& plan, const Node& node, Compat compat) const {
  const bool library = operators == OperatorForm::kLibrary, pairs = ReadsPairs(plan, node);
  const DataType type = weight.format.type;
  if (weight.block) return library ? WeightForm::kOperators : WeightForm::kFolded;
  if (IsHalf(type)) return library ? WeightForm::kOperators : pairs ? WeightForm::kFolded : WeightForm::kPacked;
  if (type == DataType::kInt32 && library && compat != Compat::kOff) return WeightForm::kPacked;
  if (DataTypeBits(type) == 32) return library ? WeightForm::kOperators : WeightForm::kFolded;
  // Of bytes in blocks the runtime makes a kernel, which then refuses their scales.
  if (pairs && weight.block_size > 0 && DataTypeBits(type) == 8) return WeightForm::kFolded;
  if (!guards_float_regions && IsIntType(type)) return WeightForm::kPacked;
  if (weight.format.floating()) return pairs ? WeightForm::kFolded : WeightForm::kPacked;
  // Of four bits beside eight the runtime makes a kernel, which then refuses them.
  const bool mixes = pairs && DataTypeBits(type) == 8 && DataTypeBits(CodesRead(plan, node, node.input(0))->type) == 4;
  return mixes ? WeightForm::kFolded : WeightForm::kPacked;
}

bool HasIntegersOf(std::initializer_list<int> bits, const std::vector<TensorType>& types) {
  return std::ranges::any_of(types, [&](const TensorType& type) {
    return IsIntType(type.type()) && std::ranges::find(bits, DataTypeBits(type.type())) != bits.end();
  });
}

PairDomain DomainOfChanges(bool mixes_as_quark, const TensorType& activation, const TensorType& weight) {
  const bool changes = mixes_as_quark && !HasIntegersOf({8}, {activation, weight});
  return changes ? PairDomain::kContribButBytes : PairDomain::kContrib;
}

bool KeepsBlockAxes(bool mixes_as_quark, const TensorType& activation, const TensorType& weight) {
  return mixes_as_quark && activation.block() == nullptr && weight.block() == nullptr;
}

void KeepActivationsExact(const Graph& graph, bool folds, QuantPlan* plan) {
  std::vector<std::string> left;
  for (const auto& node : graph.nodes()) {
    if (!BecomesMatMulNBits(graph, *plan, *node)) continue;
    WeightPlan& weight = plan->weights.at(node->input(1));
    if (folds && DataTypeBits(weight.format.type) == 8) {
      weight.form = WeightForm::kFolded;
    } else {
      left.push_back(node->name);
    }
  }
  if (left.empty()) return;
  plan->warnings.push_back(StrCat(
      "ONNX Runtime 1.30 rounds the activations of MatMul and Gemm nodes to 8 bits where weights alone are codes: ",
      FirstNames(left, 3), "; session option session.qdq_matmulnbits_accuracy_level=1 avoids it, and so does ",
      "--weight-form folded, with a larger file"));
}

void GuardFloatRegions(const Graph& graph, QuantPlan* plan) {
  for (const auto& node : graph.nodes())
    if (graph.Initializer(node->input(1)) != nullptr && NeedsGuard(*plan, *node))
      plan->float_regions.push_back(node->name);
}

}  // namespace preon

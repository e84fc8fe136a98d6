#include "handover/training_form.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "base/str_cat.h"
#include "formats/linear_codec.h"
#include "handover/quant_node.h"
#include "ir/constant_value.h"
#include "passes/support/clamp.h"
#include "passes/support/rewrite.h"
#include "quantize/read/float_view.h"

namespace preon {
namespace {

// Whose results may be below 0: in front of codes that begin at 0 stood a Relu, or it does no harm.
constexpr std::array kAnySign = {"Conv",
                                 "ConvTranspose",
                                 "Gemm",
                                 "MatMul",
                                 "Add",
                                 "Sub",
                                 "Mul",
                                 "Div",
                                 "Sum",
                                 "BatchNormalization",
                                 "InstanceNormalization",
                                 "LayerNormalization"};

bool BeginsAtZero(const RoundedTensor& tensor) {
  return tensor.codes.params.size() == 1 && tensor.codes.params[0].zero_point == LowestCode(tensor);
}

// Bits that hold all codes of a constant, where its type is a container for fewer as well.
int BitsInUse(const Tensor& stored, const RoundedTensor& rounded) {
  if (rounded.bits != 4) return rounded.bits;
  const Tensor numbers = DecodedValues(stored, {.type = rounded.codes.type, .params = {QuantParams()}});
  auto [low, high] = std::ranges::minmax(numbers.floats());
  for (const QuantParams& params : rounded.codes.params) {
    low = std::min(low, static_cast<float>(params.zero_point));
    high = std::max(high, static_cast<float>(params.zero_point));
  }
  RoundedTensor fewer = rounded;
  for (fewer.bits = 2; fewer.bits < rounded.bits; ++fewer.bits) {
    const int64_t lowest = LowestCode(fewer), highest = lowest + (1 << fewer.bits) - 1;
    if (low >= static_cast<float>(lowest) && high <= static_cast<float>(highest)) return fewer.bits;
  }
  return rounded.bits;
}

// What the node writes is what it reads.
void TakeOut(Graph& graph, Node& node, const std::string& from) {
  if (!CanReplaceTensor(graph, node.output(), from)) return Become(graph, node, "Identity", {from}, {});
  ReplaceTensor(graph, node.output(), from);
  graph.RemoveNode(&node);
}

// The name of a float constant, of which `dequantizer` has the codes; often what it writes is called so.
std::string FreeName(Graph& graph, const std::string& wanted, const Node& dequantizer) {
  if (dequantizer.output() == wanted && !graph.IsOutput(wanted) && !graph.HasCapturedUse(wanted)) {
    const std::string rounded = graph.UniqueTensorName(wanted + "_rounded");
    graph.RenameOutput(wanted, rounded);
    graph.ReplaceUses(wanted, rounded);
  }
  return graph.UniqueTensorName(wanted);
}

Model WithoutQuantNodes(const Model& model) {
  Model result = model;
  std::vector<Node*> quant_nodes;
  for (const auto& node : result.graph.nodes()) {
    if (node->domain == kQonnxDomain) quant_nodes.push_back(node.get());
  }
  for (Node* node : quant_nodes) TakeOut(result.graph, *node, node->input(0));
  result.graph.RemoveUnusedInitializers();
  result.opsets.erase(kQonnxDomain);
  return result;
}

class FormBuilder {
 public:
  FormBuilder(const Model& quantized, const Graph* float_graph)
      : view_(quantized.graph), float_graph_(float_graph), model_(quantized) {}

  Result<TrainingForm> Build();

 private:
  Status Replace(Node& dequantizer);
  Status ReplaceConstant(Node& dequantizer);
  Status ReplacePair(Node& dequantizer);
  void LeaveFloat(Node& dequantizer, const std::string& from, const StoredCodes& codes);
  Status Round(Node& dequantizer, const std::string& from, RoundedTensor rounded);
  std::optional<ClampBounds> ReplacedClamp(const RoundedTensor& rounded, const Node& producer) const;
  void RestoreClamp(const std::string& tensor, const RoundedTensor& rounded);

  const FloatView view_;  // of the model given
  const Graph* float_graph_;
  Model model_;
  std::map<std::string, Node*> quant_nodes_;  // the first of each tensor, by its name in the float graph
  TrainingForm form_;
};

Result<TrainingForm> FormBuilder::Build() {
  Graph& graph = model_.graph;
  std::vector<Node*> dequantizers, quantizers;
  for (const auto& node : graph.nodes()) {
    if (DequantizesTensor(*node) || RoundsToBlocks(*node)) dequantizers.push_back(node.get());
    if (QuantizesTensor(*node)) quantizers.push_back(node.get());
  }
  for (Node* node : dequantizers) {
    const std::string name = node->name;  // the node goes
    PREON_RETURN_IF_ERROR(Replace(*node).WithContext("node ", name));
  }
  for (Node* node : quantizers) {
    if (graph.UseCount(node->output()) > 0)
      return Error(ErrorId::kNotYetSupported, "node ", node->name,
                   ": its codes are read by others than DequantizeLinear; only pairs can be exported");
    graph.RemoveNode(node);
  }
  if (form_.tensors.empty())
    return Error(ErrorId::kNotQuantized, model_.source_path,
                 ": no tensor has codes of an integer type and constant scales; nothing to export");
  PREON_RETURN_IF_ERROR(graph.SortTopologically());
  graph.RemoveUnusedInitializers();
  std::erase_if(model_.metadata, [](const auto& entry) { return entry.first.starts_with("preon."); });
  form_.float_model = WithoutQuantNodes(model_);
  model_.opsets.insert_or_assign(kQonnxDomain, 1);
  form_.fake_quant_model = std::move(model_);
  return std::move(form_);
}

Status FormBuilder::Replace(Node& dequantizer) {
  const std::string& from = dequantizer.input(0);
  if (RoundsToBlocks(dequantizer)) {
    LeaveFloat(dequantizer, from, CodesAt(model_.graph, dequantizer));
    return Status::Ok();
  }
  return ConstantValue(model_.graph, from) != nullptr ? ReplaceConstant(dequantizer) : ReplacePair(dequantizer);
}

Status FormBuilder::ReplaceConstant(Node& dequantizer) {
  Graph& graph = model_.graph;
  const Tensor stored = *ConstantValue(graph, dequantizer.input(0));
  const StoredCodes codes = CodesAt(graph, dequantizer);
  Tensor values = DecodedValues(stored, codes);
  if (values.type() != DataType::kFloat)
    return Error(ErrorId::kNotYetSupported, "the constant '", dequantizer.input(0), "' can't be decoded");
  const std::string name = FreeName(graph, view_.NameOf(dequantizer.output()), dequantizer);
  graph.SetInitializer(name, std::move(values));
  // Biases in int32 follow from the scales of input and weight: in training they are float.
  if (codes.type == DataType::kInt32) {
    TakeOut(graph, dequantizer, name);
  } else if (!RangeOfCodes(codes)) {
    LeaveFloat(dequantizer, name, codes);
  } else {
    RoundedTensor rounded{.name = name, .constant = true, .codes = codes, .bits = DataTypeBits(codes.type)};
    rounded.shape = stored.shape();
    rounded.bits = BitsInUse(stored, rounded);
    return Round(dequantizer, name, std::move(rounded));
  }
  return Status::Ok();
}

Status FormBuilder::ReplacePair(Node& dequantizer) {
  const Graph& graph = model_.graph;
  const Node* quantizer = graph.Producer(dequantizer.input(0));
  if (quantizer == nullptr || !QuantizesTensor(*quantizer))
    return Error(ErrorId::kNotYetSupported, "reads codes that no QuantizeLinear writes; only pairs can be exported");
  const std::string from = quantizer->input(0);
  StoredCodes codes = CodesAt(graph, dequantizer);
  if (codes.params.empty())
    return Error(ErrorId::kNotYetSupported, "has scales that are not constant; only constant ones can be exported");
  if (!RangeOfCodes(codes)) {
    LeaveFloat(dequantizer, from, codes);
    return Status::Ok();
  }
  // One scale, written for each channel so that the runtime does not fuse what reads it.
  if (codes.block_size == 0 && std::ranges::count(codes.params, codes.params[0]) == std::ssize(codes.params)) {
    codes.params.resize(1);
    codes.axis = -1;
  }
  const std::optional<Shape> shape = graph.ShapeOf(from);
  if (codes.axis >= 0 && !shape)
    return Error(ErrorId::kNotYetSupported, "has a scale per channel, and the rank of '", from, "' is not known");
  const int bits = DataTypeBits(codes.type);
  return Round(dequantizer, from,
               {.name = view_.NameOf(from),
                .constant = graph.Initializer(from) != nullptr,
                .codes = std::move(codes),
                .bits = bits,
                .shape = shape.value_or(Shape())});
}

void FormBuilder::LeaveFloat(Node& dequantizer, const std::string& from, const StoredCodes& codes) {
  form_.warnings.push_back(StrCat("'", view_.NameOf(dequantizer.output()), "' is not rounded here: ", codes.format,
                                  " can't be exported, only integers of at most 16 bits"));
  TakeOut(model_.graph, dequantizer, from);
}

// One Quant node for all dequantizers of a tensor that have the same scales.
Status FormBuilder::Round(Node& dequantizer, const std::string& from, RoundedTensor rounded) {
  Graph& graph = model_.graph;
  const std::string to = dequantizer.output();
  Node*& first = quant_nodes_[rounded.name];
  if (first == nullptr) {
    RestoreClamp(from, rounded);
    PREON_ASSIGN_OR_RETURN(first, ReplaceByQuantNode(graph, dequantizer, from, rounded));
    form_.tensors.push_back(std::move(rounded));
    return Status::Ok();
  }
  // A name that something else reads, too, has a node of its own.
  const auto exported = std::ranges::find(form_.tensors, rounded.name, &RoundedTensor::name);
  const bool same = first->input(0) == from && exported->codes == rounded.codes;
  if (same && !graph.IsOutput(to) && !graph.HasCapturedUse(to)) {
    TakeOut(graph, dequantizer, first->output());
    return Status::Ok();
  }
  if (same) {
    const auto attributes = first->attributes;
    Node* again = graph.AddNode("Quant", first->inputs(), {to}, first->name, kQonnxDomain, &dequantizer);
    again->attributes = attributes;
    graph.RemoveNode(&dequantizer);
    return Status::Ok();
  }
  form_.warnings.push_back(
      StrCat("'", rounded.name, "' has several quantizers; encodings have the first one's scales"));
  return ReplaceByQuantNode(graph, dequantizer, from, rounded).status();
}

// The Relu or Clip that the codes of a tensor replace.
std::optional<ClampBounds> FormBuilder::ReplacedClamp(const RoundedTensor& rounded, const Node& producer) const {
  if (float_graph_ != nullptr && float_graph_->HasTensor(rounded.name)) {
    const Node* producer_of_float = float_graph_->Producer(rounded.name);
    if (producer_of_float == nullptr) return std::nullopt;
    if (const auto clamp = MatchClamp(*float_graph_, *producer_of_float)) return clamp;
    // Integer operators may have the name of what stands in front of the clamp.
    const Node* behind = OnlyReader(*float_graph_, rounded.name);
    const bool is_gone = behind != nullptr && !model_.graph.HasTensor(behind->output());
    return is_gone ? MatchClamp(*float_graph_, *behind) : std::nullopt;
  }
  const bool may_be_negative = std::ranges::find(kAnySign, producer.op_type) != kAnySign.end();
  if (!may_be_negative || !BeginsAtZero(rounded)) return std::nullopt;
  return ClampBounds{0, std::numeric_limits<float>::infinity()};
}

// The producer of `tensor` writes it through the clamp again.
void FormBuilder::RestoreClamp(const std::string& tensor, const RoundedTensor& rounded) {
  Graph& graph = model_.graph;
  const Node* producer = graph.Producer(tensor);
  if (producer == nullptr || graph.IsOutput(tensor) || MatchClamp(graph, *producer)) return;
  const std::vector<Use> uses = graph.Uses(tensor);
  if (!std::ranges::all_of(uses, [](const Use& use) { return !use.captured && QuantizesTensor(*use.node); })) return;
  const std::optional<ClampBounds> clamp = ReplacedClamp(rounded, *producer);
  if (!clamp) return;
  std::vector<std::string> inputs = {graph.UniqueTensorName(tensor + "_unclamped")};
  graph.RenameOutput(tensor, inputs[0]);
  const bool is_relu = clamp->low == 0 && std::isinf(clamp->high);
  if (!is_relu) {
    for (const auto& [role, bound] : {std::pair("_low", clamp->low), std::pair("_high", clamp->high)}) {
      inputs.push_back(graph.UniqueTensorName(tensor + role));
      graph.SetInitializer(inputs.back(), Tensor::ScalarFloat(bound));
    }
  }
  graph.AddNode(is_relu ? "Relu" : "Clip", inputs, {tensor}, "", "", uses.front().node);
}

}  // namespace

Result<TrainingForm> TrainingFormOf(const Model& quantized, const Graph* float_graph) {
  return FormBuilder(quantized, float_graph).Build();
}

}  // namespace preon

#include "eval/fusion_report.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"

namespace preon {
namespace {

constexpr auto kMovers = std::to_array<std::string_view>(
    {"Clip",         "Concat",  "DepthToSpace", "Expand", "Flatten",   "Gather",    "GatherElements", "GatherND",
     "Identity",     "MaxPool", "NhwcMaxPool",  "Pad",    "Relu",      "Reshape",   "Resize",         "Slice",
     "SpaceToDepth", "Split",   "Squeeze",      "Tile",   "Transpose", "Unsqueeze", "Upsample"});

constexpr auto kIntegerKernels = std::to_array<std::string_view>(
    {"ConvInteger", "DynamicQuantizeLSTM", "DynamicQuantizeMatMul", "MatMulInteger", "MatMulIntegerToFloat",
     "MatMulNBits", "QAttention", "QGemm", "QMoE", "QEmbedLayerNormalization"});

bool IsCodeType(DataType type) { return type == DataType::kUInt8 || type == DataType::kInt8; }

// Tensors of the optimized graph that hold codes. Followed from node to node, because the runtime writes no types.
std::set<std::string, std::less<>> CodeTensors(const Graph& optimized) {
  std::set<std::string, std::less<>> codes;
  for (const auto& [name, value] : optimized.initializers()) {
    if (IsCodeType(value.type())) codes.insert(name);
  }
  for (const auto& node : optimized.nodes()) {
    const bool to_codes = node->op_type == "QuantizeLinear" || node->op_type.starts_with("QLinear") ||
                          (node->op_type == "QGemm" && !node->input(7).empty());
    const bool moves = std::ranges::find(kMovers, node->op_type) != kMovers.end() && codes.contains(node->input(0));
    if (to_codes || moves) codes.insert(node->outputs().begin(), node->outputs().end());
  }
  return codes;
}

// The node that an optimizer rebuilt under this name: "conv_5" of "conv_5_token_17" and "conv_5_nchwc" (layouts),
// "fused conv_5" (with an activation), "conv_5/MatMulAddFusion"; else "".
std::string_view OriginalName(std::string_view name) {
  if (name.starts_with("fused ")) return name.substr(6);
  for (const std::string_view ending : {"_nchwc", "/MatMulAddFusion"}) {
    if (name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
  }
  const size_t token = name.rfind("_token_");
  if (token == std::string_view::npos) return "";
  const std::string_view digits = name.substr(token + 7);
  return !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos ? name.substr(0, token)
                                                                                             : "";
}

// Operators behind a product in integers that turn it into floats.
constexpr auto kFinishing = std::to_array<std::string_view>({"Cast", "Mul", "Add"});

bool Finishes(const Node& node) { return node.domain.empty() && Contains(kFinishing, node.op_type); }

class Matcher {
 public:
  Matcher(const Graph& quantized, const Graph& optimized) : quantized_(quantized), optimized_(optimized) {
    for (const auto& node : optimized.nodes()) {
      const std::string_view original = OriginalName(node->name);
      if (!original.empty() && node->named_by_user) rebuilt_.emplace(original, node.get());
    }
  }

  const Node* Find(const Node& node) const {
    if (const Node* found = OfSameName(node)) return found;
    if (const Node* found = ReaderOfSameConstant(node)) return found;
    for (const std::string& output : node.outputs()) {
      if (const Node* found = WriterOf(output)) return found;
    }
    return WriterOfScaled(node);
  }

 private:
  // Names that were assigned on load count the nodes of one file: in the other, the same name is another node.
  const Node* OfSameName(const Node& node) const {
    if (!node.named_by_user) return nullptr;
    if (const Node* found = optimized_.FindNode(node.name); found != nullptr && found->named_by_user) return found;
    const auto found = rebuilt_.find(node.name);
    return found != rebuilt_.end() ? found->second : nullptr;
  }

  // The only reader of a constant that only this node reads (directly, or through a DequantizeLinear).
  const Node* ReaderOfSameConstant(const Node& node) const {
    for (const std::string& input : node.inputs()) {
      const Node* producer = quantized_.Producer(input);
      const std::string& constant =
          producer != nullptr && producer->op_type == "DequantizeLinear" ? producer->input(0) : input;
      if (quantized_.Initializer(constant) == nullptr || quantized_.UseCount(constant) != 1) continue;
      const Node* reader = OnlyReader(constant);
      if (reader != nullptr && reader->op_type == "DequantizeLinear") reader = OnlyReader(reader->output());
      if (reader != nullptr) return reader;
    }
    return nullptr;
  }

  const Node* OnlyReader(const std::string& tensor) const {
    const std::vector<Use> uses = optimized_.Uses(tensor);
    return uses.size() == 1 ? uses[0].node : nullptr;
  }

  // The writer of the tensor, or of its codes, unless that only converts or changes the layout.
  const Node* WriterOf(const std::string& tensor) const {
    // The runtime moves a QuantizeLinear in front of what only moves values; it then gives the tensor this name.
    std::vector<std::string> names = {tensor, tensor + "_pre_q"};
    for (const Use& use : quantized_.Uses(tensor)) {
      if (use.node->op_type == "QuantizeLinear") names.push_back(use.node->output());
    }
    for (const std::string& name : names) {
      const Node* writer = optimized_.Producer(name);
      if (writer != nullptr && writer->op_type == "Transpose") writer = optimized_.Producer(writer->input(0));
      if (writer == nullptr || writer->op_type == "QuantizeLinear" || writer->op_type == "DequantizeLinear" ||
          writer->op_type == "ReorderOutput") {
        continue;
      }
      return writer;
    }
    return nullptr;
  }

  // A product in integers becomes one operator together with what turns it into floats.
  const Node* WriterOfScaled(const Node& node) const {
    const Node* last = &node;
    for (const std::string_view op : kFinishing) {
      const std::vector<Use> uses = quantized_.Uses(last->output());
      if (uses.size() != 1 || uses[0].captured || !uses[0].node->Is(op)) return nullptr;
      last = uses[0].node;
      if (const Node* found = WriterOf(last->output()); found != nullptr && op != "Cast") return found;
    }
    return nullptr;
  }

  const Graph& quantized_;
  const Graph& optimized_;
  std::map<std::string, const Node*, std::less<>> rebuilt_;
};

}  // namespace

bool IsIntegerKernel(std::string_view op_type) {
  return op_type.starts_with("QLinear") || std::ranges::find(kIntegerKernels, op_type) != kIntegerKernels.end();
}

std::map<std::string, ObservedKernel> ObserveKernels(const Graph& quantized, const Graph& optimized) {
  const std::set<std::string, std::less<>> codes = CodeTensors(optimized);
  const Matcher matcher(quantized, optimized);
  std::map<std::string, ObservedKernel> kernels;
  std::set<const Node*> taken;
  for (const auto& node : quantized.nodes()) {
    if (node->op_type == "QuantizeLinear" || node->op_type == "DequantizeLinear") continue;
    ObservedKernel& observed = kernels[node->name];
    const Node* found = matcher.Find(*node);
    // What turns a product in integers into floats, its bias included, is part of the product's kernel.
    const bool is_own = found != nullptr && taken.insert(found).second;
    if (found == nullptr || (!is_own && Finishes(*node))) continue;
    observed.kernel = found->op_type;
    observed.kernel_class = IsIntegerKernel(found->op_type)   ? KernelClass::kInteger
                            : codes.contains(found->output()) ? KernelClass::kMover
                                                              : KernelClass::kFloat;
  }
  return kernels;
}

}  // namespace preon

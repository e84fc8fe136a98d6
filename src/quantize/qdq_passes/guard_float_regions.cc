// guard_float_regions: a float Conv or Gemm behind a quantized tensor gets a DequantizeLinear of its own.
//
// Before:      y = Conv(DequantizeLinear(c, s, z), W), W a float constant
// After:       y = Conv(DequantizeLinear(c, [s, s, …], [z, z, …]) {axis = 1}, W)      one scale per channel of x
//              y = Conv(Max(DequantizeLinear(c, s, z)), W)                            of one channel
// Conditions:  the plan names the node (QuantPlan::float_regions); one scale and zero point; W constant with a known
//              shape.
// Formula:     -
// Why:         the runtime quantizes the weight by itself where all other operands have one scale
//              (docs/design/placement.md); the values are the same.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/text.h"
#include "quantize/qdq_passes/qdq_passes.h"

namespace preon {
namespace {

Tensor Repeated(const Tensor& scalar, int64_t count) {
  Tensor repeated = Tensor::Allocate(scalar.type(), Shape{count});
  std::span<std::byte> bytes = repeated.MutableBytes();
  for (size_t at = 0; at < bytes.size(); ++at) bytes[at] = scalar.bytes()[at % scalar.bytes().size()];
  if (DataTypeBits(scalar.type()) == 4) {  // two to a byte
    const std::byte code = scalar.bytes()[0] & std::byte{0xF};
    std::ranges::fill(bytes, code | code << 4);
    if (count % 2 != 0) bytes.back() = code;
  }
  return repeated;
}

// Channels of the node's data; nullopt where the weight is computed.
std::optional<int64_t> Channels(const Graph& graph, const Node& node) {
  const Tensor* weight = graph.Initializer(node.input(1));
  if (weight == nullptr || weight->shape().size() < 2) return std::nullopt;
  const Shape& shape = weight->shape();
  return node.Is("Gemm") ? shape[node.Int("transB", 0) != 0 ? 1 : 0] : shape[1] * node.Int("group", 1);
}

bool Guard(Graph& graph, Node& node) {
  const Node* dequantize = graph.Producer(node.input(0));
  const std::optional<int64_t> channels = Channels(graph, node);
  if (!channels || dequantize == nullptr || !dequantize->Is("DequantizeLinear") ||
      graph.Producer(dequantize->input(0)) == nullptr)
    return false;
  const Tensor* scale = graph.Initializer(dequantize->input(1));
  const Tensor* zero_point = graph.Initializer(dequantize->input(2));
  if (scale == nullptr || zero_point == nullptr || scale->count() != 1) return false;
  const std::string codes = dequantize->input(0), base = node.name + "_island";
  if (*channels == 1) {  // one scale is one scale, whatever its shape
    const std::string same = graph.UniqueTensorName(base + "_Max_Output");
    graph.AddNode("Max", {node.input(0)}, {same}, base + "_Max", "", &node);
    graph.SetInput(&node, 0, same);
    return true;
  }
  const auto repeat = [&](const Tensor& value, const char* what) {
    const std::string name = graph.UniqueTensorName(base + what);
    graph.SetInitializer(name, Repeated(value, *channels));
    return name;
  };
  const std::string scales = repeat(*scale, "_scale"), zero_points = repeat(*zero_point, "_zero_point");
  const std::string result = graph.UniqueTensorName(base + "_DequantizeLinear_Output");
  graph.AddNode("DequantizeLinear", {codes, scales, zero_points}, {result}, base + "_DequantizeLinear")
      ->attributes["axis"] = int64_t{1};
  graph.SetInput(&node, 0, result);
  return true;
}

class GuardFloatRegions final : public QdqPass {
 public:
  std::string_view name() const override { return "guard_float_regions"; }
  std::string_view summary() const override { return "keeps the runtime from quantizing excluded Conv and Gemm nodes"; }
  bool WantedBy(const QuantPlan& plan) const override { return !plan.float_regions.empty(); }

  Result<Effect> Apply(Model& model, const QuantPlan& plan, std::vector<std::string>&) const override {
    bool changed = false;
    for (const std::string& name : plan.float_regions) {
      Node* node = model.graph.FindNode(name);
      changed = (node != nullptr && Guard(model.graph, *node)) || changed;
    }
    return changed ? Effect::kChanged : Effect::kUnchanged;
  }
};

}  // namespace

std::unique_ptr<QdqPass> MakeGuardFloatRegionsPass() { return std::make_unique<GuardFloatRegions>(); }

}  // namespace preon

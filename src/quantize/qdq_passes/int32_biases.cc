// int32_biases: biases get the codes that integer kernels add.
//
// Before:      y = Conv(DequantizeLinear(x, sx, zx), DequantizeLinear(w, sw, zw), b)      b: float, or other codes
// After:       y = Conv(DequantizeLinear(x, sx, zx), DequantizeLinear(w, sw, zw), DequantizeLinear(c: int32, sx * sw))
// Conditions:  Conv or Gemm; one scale for the data; constant scales; zero points of the bias are 0; the codes fit.
// Formula:     c = round half to even(b / (sx * sw))
// Why:         the runtime computes the whole node in float otherwise (docs/design/placement.md). The step is that of
//              one product, so results change by less than one step of the accumulator.
#include "quantize/qdq_passes/qdq_passes.h"
#include "quantize/qdq_passes/qoperator_bias.h"

namespace preon {
namespace {

bool Rewrite(Graph& graph, Node& node) {
  const std::optional<CodedTensor> data = DequantizedFrom(graph, node.input(0)),
                                   weight = DequantizedFrom(graph, node.input(1));
  if (node.input(2).empty() || !data || !weight || !data->per_tensor() || node.Float("beta", 1) != 1) return false;
  const std::optional<CodedTensor> old = DequantizedFrom(graph, node.input(2));
  const std::string bias = node.input(2);
  const std::optional<std::string> codes = BiasCodes(graph, bias, *data, *weight);
  if (!codes || (old && *codes == old->codes)) return false;
  const float data_scale = graph.Initializer(data->scale)->floats()[0];
  Tensor scales = Tensor::Allocate(DataType::kFloat, graph.Initializer(weight->scale)->shape());
  for (size_t index = 0; index < scales.floats().size(); ++index)
    scales.Mutable<float>()[index] = data_scale * graph.Initializer(weight->scale)->floats()[index];
  const std::string scale = graph.UniqueTensorName(bias + "_quantized_scale"),
                    value = graph.UniqueTensorName(bias + "_quantized_value");
  graph.SetInitializer(scale, std::move(scales));
  std::vector<std::string> inputs = {*codes, scale};
  if (old && old->type == DataType::kInt32) inputs.push_back(old->zero_point);
  Node* dequantize = graph.AddNode("DequantizeLinear", std::move(inputs), {value}, node.name + "_bias_DequantizeLinear",
                                   graph.Producer(node.input(1))->domain);
  if (!weight->per_tensor()) dequantize->attributes["axis"] = int64_t{0};
  graph.SetInput(&node, 2, value);
  if (Node* unread = graph.Producer(bias); unread != nullptr && graph.UseCount(bias) == 0) graph.RemoveNode(unread);
  return true;
}

class Int32Biases final : public QdqPass {
 public:
  std::string_view name() const override { return "int32_biases"; }
  std::string_view summary() const override {
    return "biases of quantized Conv and Gemm nodes get int32 codes with the scale input scale x weight scale";
  }

  Result<Effect> Apply(Model& model, const QuantPlan&, std::vector<std::string>&) const override {
    std::vector<Node*> nodes;
    for (const auto& node : model.graph.nodes()) {
      if (node->Is("Conv") || node->Is("Gemm")) nodes.push_back(node.get());
    }
    bool changed = false;
    for (Node* node : nodes) changed = Rewrite(model.graph, *node) || changed;
    return changed ? Effect::kChanged : Effect::kUnchanged;
  }
};

}  // namespace

std::unique_ptr<QdqPass> MakeInt32BiasesPass() { return std::make_unique<Int32Biases>(); }

}  // namespace preon

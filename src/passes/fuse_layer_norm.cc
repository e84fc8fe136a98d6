// fuse_layer_norm: layer normalization written out becomes one node.
//
// Before:      d = x - ReduceMean(x);  y = d / Sqrt(ReduceMean(d^2) + epsilon) [* gamma] [+ beta]
//              (and the forms in layer_norm.h)
// After:       y = LayerNormalization(x, gamma, beta) {axis, epsilon}
// Conditions:  means over the last dimensions, kept, whose sizes are known; gamma and beta constants of that shape;
// nothing
//              else reads the inner tensors, none is a graph output. Below opset 17 the model is first raised to 17,
//              which has the operator; a model that can't be raised stays as it is.
// Formula:     as above. Q/DQ on the pieces would hide them from the runtime's own fusion. The runtime
//              computes the variance as mean(x^2) - mean(x)^2: equal to rounding while |mean| is not far above the
//              deviation.
#include "ir/model_io.h"
#include "passes/node_pass.h"
#include "passes/passes.h"
#include "passes/support/layer_norm.h"
#include "passes/support/rewrite.h"

namespace preon {
namespace {

constexpr int64_t kFirstOpsetWithLayerNorm = 17;

class FuseLayerNorm final : public NodePass {
 public:
  FuseLayerNorm()
      : NodePass(
            {.name = "fuse_layer_norm",
             .summary = "layer normalization written as several nodes becomes one (raises the opset to 17 if found)",
             .target_ops = {"Sqrt"},
             .aliases = {"FuseLayerNorm"}}) {}

 private:
  Result<bool> Rewrite(Model& model, Node& node, const PassEnv&) const override {
    Graph& graph = model.graph;
    const std::optional<LayerNorm> norm = MatchLayerNorm(graph, node);
    if (!norm.has_value()) return false;
    if (model.opset() < kFirstOpsetWithLayerNorm) {
      PREON_RETURN_IF_ERROR(ConvertOpset(model, kFirstOpsetWithLayerNorm));
      return true;  // all nodes are new; the next sweep finds the pattern again
    }
    Node& last = *norm->last;
    const auto axis = -static_cast<int64_t>(norm->normalized.size());
    Become(graph, last, "LayerNormalization", {norm->x}, {{"axis", axis}, {"epsilon", norm->epsilon}});
    AbsorbAll(graph, norm->nodes, last);
    if (norm->gamma.empty()) {
      const std::vector<float> ones(static_cast<size_t>(ElementCount(norm->normalized)), 1.0f);
      SetConstantInput(graph, last, 1, Tensor::FromFloats(norm->normalized, ones), last.name + "_scale");
    } else {
      SetParameter(graph, last, 1, norm->gamma, norm->normalized);
    }
    if (!norm->beta.empty()) SetParameter(graph, last, 2, norm->beta, norm->normalized);
    return true;
  }

  // The constant without the leading ones of its shape.
  static void SetParameter(Graph& graph, Node& node, size_t index, const std::string& tensor, const Shape& shape) {
    const Tensor value = *graph.Initializer(tensor);
    graph.SetInput(&node, index, tensor);
    if (value.shape() != shape) SetConstantInput(graph, node, index, value.Reshaped(shape), tensor);
  }
};

}  // namespace

std::unique_ptr<Pass> MakeFuseLayerNormPass() { return std::make_unique<FuseLayerNorm>(); }

}  // namespace preon

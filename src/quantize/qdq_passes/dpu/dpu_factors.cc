#include "quantize/qdq_passes/dpu/dpu_factors.h"

#include <cmath>
#include <map>

#include "ir/model_io.h"
#include "passes/support/match.h"
#include "quantize/plan/quant_plan.h"

namespace preon {

double DpuFactor(int64_t count) {
  const auto exact = static_cast<double>(count);
  const int most = 6 + static_cast<int>(std::ceil(std::log2(exact)));
  double nearest = 1, distance = HUGE_VAL;
  for (int shift = 0; shift <= most; ++shift) {
    const double reciprocal = std::ldexp(std::nearbyint(std::ldexp(1, shift) / exact), -shift);
    const double apart = std::abs(reciprocal - 1 / exact);
    if (apart >= distance) continue;
    nearest = reciprocal;
    distance = apart;
  }
  return exact * nearest;
}

double DpuPoolFactor(int64_t kernel) {
  constexpr int64_t kLargestKernel = 255;
  static const std::map<int64_t, double> own = {
      {3, 9 * 7 / 64.0}, {5, 25 * 10 / 256.0}, {6, 36 * 7 / 256.0}, {7, 49 * 21 / 1024.0}, {14, 196 * 21 / 4096.0}};
  if (kernel > kLargestKernel) return 1;
  const auto constant = own.find(kernel);
  return constant != own.end() ? constant->second : DpuFactor(kernel * kernel);
}

QuantizedNodes::QuantizedNodes(const QuantPlan& plan) {
  for (const NodeDecision& decision : plan.nodes) {
    if (decision.reason != FloatReason::kNone) in_float_.insert(decision.node);
  }
}

std::optional<Shape> InferredShapes::Of(const std::string& tensor) {
  if (!inferred_) {
    if (const std::optional<Shape> known = model_.graph.ShapeOf(tensor)) return known;
    inferred_ = model_;
    InferShapes(*inferred_);
  }
  return inferred_->graph.ShapeOf(tensor);
}

bool ScaleOutput(Graph& graph, Node& node, double factor) {
  const Node* reader = OnlyReader(graph, node.output());
  if (reader != nullptr && reader->Is("Mul") &&
      ConstantScalar(graph, OtherInput(*reader, node.output())) == static_cast<float>(factor))
    return false;
  const std::string output = node.output(), raw = graph.UniqueTensorName(output + "_Mul"),
                    scale = graph.UniqueTensorName(output + "_Scale");
  const Node* behind = graph.NodeBehind(&node);
  const ValueInfo info = graph.Info(output) != nullptr ? *graph.Info(output) : ValueInfo{};
  graph.SetInitializer(scale, Tensor::ScalarFloat(static_cast<float>(factor)));
  graph.SetOutput(&node, 0, raw);
  Node* mul = graph.AddNode("Mul", {raw, scale}, {output}, graph.UniqueNodeName(raw), "", behind);
  mul->home = node.home;
  for (const std::string& tensor : {raw, output}) graph.SetInfo(tensor, info);
  return true;
}

}  // namespace preon

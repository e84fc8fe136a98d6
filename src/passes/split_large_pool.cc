// split_large_pool: a GlobalAveragePool over many pixels becomes two pools.
//
// Before:      y = GlobalAveragePool(x)                                     x: [N, C, H, W], H * W > 512
// After:       t = AveragePool(x) {kernel_shape = strides = [h, w]}; y = GlobalAveragePool(t)
// Conditions:  H and W known; h and w are the largest divisors of H and W up to their square roots, and both pools have
//              512 pixels at most.
// Formula:     the mean of means of windows of equal size
// Why:         NPUs sum 512 values at most.
#include "base/text.h"
#include "passes/node_pass.h"
#include "passes/passes.h"
#include "passes/support/rewrite.h"

namespace preon {
namespace {

constexpr int64_t kMostPixels = 512;

int64_t LargestDivisor(int64_t n) {
  int64_t found = 1;
  for (int64_t divisor = 2; divisor * divisor <= n; ++divisor) found = n % divisor == 0 ? divisor : found;
  return found;
}

class SplitLargePool final : public NodePass {
 public:
  SplitLargePool()
      : NodePass({.name = "split_large_pool",
                  .summary = "GlobalAveragePool over more than 512 pixels becomes two pools",
                  .target_ops = {"GlobalAveragePool"},
                  .aliases = {"SplitLargeKernelPool"},
                  .on_by_default = false}) {}

 private:
  Result<bool> Rewrite(Model& model, Node& node, const PassEnv&) const override {
    Graph& graph = model.graph;
    const std::optional<Shape> shape = graph.ShapeOf(node.input(0));
    if (!shape || shape->size() != 4 || (*shape)[2] <= 0 || (*shape)[3] <= 0 ||
        (*shape)[2] * (*shape)[3] <= kMostPixels)
      return false;
    const std::vector<int64_t> window = {LargestDivisor((*shape)[2]), LargestDivisor((*shape)[3])};
    const Shape rest = {(*shape)[0], (*shape)[1], (*shape)[2] / window[0], (*shape)[3] / window[1]};
    if (window[0] * window[1] > kMostPixels || rest[2] * rest[3] > kMostPixels) return false;
    const std::string x = node.input(0), inner = graph.UniqueTensorName(x + "_Split");
    Node* first = graph.AddNode("AveragePool", {x}, {inner}, inner, "", &node);
    first->attributes = {{"kernel_shape", window}, {"strides", window}};
    ValueInfo info;
    info.type = graph.TypeOf(x);
    info.shape = rest;
    graph.SetInfo(inner, std::move(info));
    graph.SetInput(&node, 0, inner);
    return true;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeSplitLargePoolPass() { return std::make_unique<SplitLargePool>(); }

}  // namespace preon

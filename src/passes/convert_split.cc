// convert_split: each output of a Split becomes a Slice.
//
// Before:      y0, y1, … = Split(x, sizes)          (sizes as attribute, constant input, or equal by the shape of x)
// After:       yi = Slice(x, start, end, axis, step 1)
// Conditions:  sizes known; opset 10 or later, where Slice takes inputs.
// Formula:     starts and ends are the running sums of the sizes
// Why:         compilers for NPUs have kernels for slices.
#include "base/text.h"
#include "passes/node_pass.h"
#include "passes/passes.h"
#include "passes/support/match.h"
#include "passes/support/rewrite.h"

namespace preon {
namespace {

constexpr int64_t kSliceWithInputs = 10;

// Nothing where they are not known.
std::vector<int64_t> SizesOf(const Graph& graph, const Node& node, int64_t axis) {
  if (const auto sizes = IntsOf(graph, node, 1, "split"); sizes && !sizes->empty()) return *sizes;
  const std::optional<Shape> shape = graph.ShapeOf(node.input(0));
  const auto count = static_cast<int64_t>(node.outputs().size());
  if (!node.input(1).empty() || !shape || (*shape)[static_cast<size_t>(axis)] <= 0) return {};
  const int64_t extent = (*shape)[static_cast<size_t>(axis)], each = (extent + count - 1) / count;
  std::vector<int64_t> sizes(static_cast<size_t>(count), each);
  sizes.back() = extent - each * (count - 1);  // num_outputs: the last one may be smaller
  return sizes.back() > 0 ? sizes : std::vector<int64_t>{};
}

class ConvertSplit final : public NodePass {
 public:
  ConvertSplit()
      : NodePass({.name = "convert_split",
                  .summary = "Split becomes one Slice per output",
                  .target_ops = {"Split"},
                  .aliases = {"ConvertSplitToSlice"},
                  .on_by_default = false}) {}

 private:
  Result<bool> Rewrite(Model& model, Node& node, const PassEnv&) const override {
    Graph& graph = model.graph;
    const std::optional<Shape> shape = graph.ShapeOf(node.input(0));
    int64_t axis = node.Int("axis", 0);
    if (axis < 0 && !shape) return false;
    if (axis < 0) axis += static_cast<int64_t>(shape->size());
    const std::vector<int64_t> sizes = SizesOf(graph, node, axis);
    if (model.opset() < kSliceWithInputs || sizes.size() != node.outputs().size()) return false;
    const std::vector<std::string> outputs = node.outputs();
    const std::string x = node.input(0);
    std::vector<ValueInfo> infos;
    for (const std::string& output : outputs)
      infos.push_back(graph.Info(output) != nullptr ? *graph.Info(output) : ValueInfo());
    int64_t start = 0;
    for (size_t i = 0; i < outputs.size(); ++i) {
      const auto constant = [&](const char* what, int64_t value) {
        const std::string name = graph.UniqueTensorName(StrCat(outputs[i], "_", what, "_", i));
        graph.SetInitializer(name, Tensor::FromInt64s({1}, std::vector<int64_t>{value}));
        return name;
      };
      std::vector<std::string> inputs = {x, constant("starts", start), constant("ends", start + sizes[i]),
                                         constant("axes", axis), constant("steps", 1)};
      start += sizes[i];
      if (i == 0) {  // keeps the name
        graph.SetOutputs(&node, {outputs[0]});
        Become(graph, node, "Slice", std::move(inputs), {});
        continue;
      }
      Node* slice = graph.AddNode("Slice", std::move(inputs), {outputs[i]}, StrCat(outputs[i], "_", i), "",
                                  graph.NodeBehind(&node));
      slice->named_by_user = false;
      Absorb(*slice, node);
    }
    for (size_t i = 0; i < outputs.size(); ++i) graph.SetInfo(outputs[i], infos[i]);
    return true;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeConvertSplitPass() { return std::make_unique<ConvertSplit>(); }

}  // namespace preon

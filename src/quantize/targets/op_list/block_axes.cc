#include "quantize/targets/op_list/block_axes.h"

#include <algorithm>
#include <set>

#include "quantize/plan/op_traits.h"

namespace preon {
namespace {

class Refinement {
 public:
  Refinement(const Graph& graph, QuantPlan& plan) : graph_(graph), plan_(plan) {}

  void Run() {
    for (const auto& node : graph_.nodes()) {
      if (node->Is("MatMul")) RefineMatMul(*node);
      if (node->Is("Gemm")) {
        Refine(node->input(0), node->Int("transA", 0) != 0 ? 0 : 1);
        Refine(node->input(1), node->Int("transB", 0) != 0 ? 1 : 0);
      }
      const bool as_reference = plan_.operators != OperatorForm::kStock || plan_.compat != Compat::kOff;
      if (!as_reference && IsDepthwise(graph_, *node) && OnlyDepthwiseRead(node->input(0))) Refine(node->input(0), -1);
      if (node->Is("Softmax")) Refine(node->input(0), node->Int("axis", -1));
    }
  }

 private:
  // Of constants the axis is counted from the front.
  int64_t FromBack(const std::string& tensor, int64_t back) const {
    const Tensor* constant = graph_.Initializer(tensor);
    if (constant == nullptr || constant->shape().empty()) return -back;
    return static_cast<int64_t>(constant->shape().size()) - back;
  }

  // Channels of a depthwise convolution don't meet in any product; neighbours in a row do, and have one channel's
  // magnitude.
  bool OnlyDepthwiseRead(const std::string& tensor) const {
    return std::ranges::all_of(graph_.Uses(tensor),
                               [&](const Use& use) { return !use.node->Is("Conv") || IsDepthwise(graph_, *use.node); });
  }

  void RefineMatMul(const Node& node) {
    const int64_t axis = FromBack(node.input(0), 1);
    const bool has_blocks = Refine(node.input(0), axis);
    if (has_blocks && plan_.activations.contains(node.output())) Refine(node.output(), axis);
    Refine(node.input(1), FromBack(node.input(1), 2));
  }

  // True if the tensor has blocks.
  bool Refine(const std::string& tensor, int64_t axis) {
    BlockPlan* block = nullptr;
    if (const auto found = plan_.activations.find(tensor); found != plan_.activations.end() && found->second.block)
      block = &*found->second.block;
    if (const auto found = plan_.weights.find(tensor); found != plan_.weights.end() && found->second.block)
      block = &*found->second.block;
    if (block == nullptr) return false;
    if (!refined_.insert(tensor).second && block->axis != axis) {
      plan_.warnings.push_back(StrCat("readers of '", tensor, "' need blocks along different axes, ", block->axis,
                                      " and ", axis, ": axis ", axis, " is used"));
    }
    block->axis = axis;
    return true;
  }

  const Graph& graph_;
  QuantPlan& plan_;
  std::set<std::string> refined_;
};

}  // namespace

int ReducedAxis(const Graph& graph, const Node& node) {
  const auto rank = static_cast<int>(graph.Initializer(node.input(1))->shape().size());
  if (node.Is("MatMul")) return rank - 2;
  if (node.Is("Gemm")) return node.Int("transB", 0) != 0 ? 1 : 0;
  return node.Is("ConvTranspose") ? 0 : 1;
}

void RefineBlockAxes(const Graph& graph, QuantPlan* plan) { Refinement(graph, *plan).Run(); }

}  // namespace preon

// fold_constants: nodes that read constants only are run once, now.
//
// Before:      y = Op(c1, c2, …), all ci initializers
// After:       initializer y
// Conditions:  a standard operator without randomness or sub-graph, no Q/DQ (they are what quantization is about); at
//              least one input; no output is a graph output; the model does not become more than 1 % larger than it was
//              (constants that only this node reads count as saved). A Cast to float of what becomes a weight may: its
//              codes will be smaller. Strings, sequences and whatever the runtime refuses stay.
// Formula:     y = Op(c1, c2, …) as the runtime computes it
#include <algorithm>
#include <array>

#include "passes/node_pass.h"
#include "passes/passes.h"
#include "passes/support/initializer_role.h"
#include "passes/support/match.h"
#include "passes/support/model_bytes.h"
#include "passes/support/rewrite.h"

namespace preon {
namespace {

constexpr double kMaxGrowth = 1.01;
constexpr int kMaxWayToWeight = 6;  // nodes

bool IsQuantizer(const Node& node) {
  return node.op_type == "QuantizeLinear" || node.op_type == "DequantizeLinear" ||
         node.op_type == "DynamicQuantizeLinear";
}

int64_t SizeBytes(DataType type, const Shape& shape) {
  return IsStatic(shape) ? static_cast<int64_t>(PackedSizeBytes(type, ElementCount(shape))) : 0;
}

// A Conv, Gemm or MatMul reads it as its weight, perhaps behind arithmetic that undoes a compression.
bool BecomesWeight(const Graph& graph, const std::string& tensor, int way) {
  constexpr std::array kOnTheWay = {"Cast", "Transpose", "Reshape", "Mul", "Sub", "Add"};
  return std::ranges::any_of(graph.Uses(tensor), [&](const Use& use) {
    if (RoleOf(use, tensor, nullptr).kind == InitializerRole::kWeight) return true;
    return way > 0 && !use.captured &&
           std::ranges::any_of(kOnTheWay, [&](const char* type) { return use.node->Is(type); }) &&
           BecomesWeight(graph, use.node->output(), way - 1);
  });
}

class FoldConstants final : public NodePass {
 public:
  FoldConstants()
      : NodePass({.name = "fold_constants",
                  .summary = "nodes that read only constants are computed once",
                  .target_ops = {}}) {}

 private:
  Result<bool> Rewrite(Model& model, Node& node, const PassEnv& env) const override {
    Graph& graph = model.graph;
    if (env.evaluator == nullptr || !IsPure(node) || IsQuantizer(node)) return false;
    std::vector<NamedTensor> inputs;
    int64_t saved_bytes = 0, inferred_bytes = 0;
    for (const std::string& tensor : node.inputs()) {
      if (tensor.empty()) continue;
      const Tensor* constant = Constant(graph, tensor);
      if (constant == nullptr) return false;
      if (std::any_of(inputs.begin(), inputs.end(), [&](const NamedTensor& known) { return known.name == tensor; }))
        continue;
      if (OnlyReader(graph, tensor) != nullptr) saved_bytes += static_cast<int64_t>(constant->bytes().size());
      inputs.push_back({tensor, *constant});
    }
    for (const std::string& tensor : node.outputs()) {
      if (graph.IsOutput(tensor)) return false;
      inferred_bytes += SizeBytes(graph.TypeOf(tensor), graph.ShapeOf(tensor).value_or(Shape{}));
    }
    if (inputs.empty()) return false;
    const bool may_grow = node.Is("Cast") && BecomesWeight(graph, node.output(), kMaxWayToWeight);
    const auto is_too_large = [&](int64_t size_bytes) {
      return !may_grow && size_bytes > saved_bytes + kNodeBytes && env.source_bytes > 0 &&
             static_cast<double>(ModelBytes(graph) + size_bytes - saved_bytes) >
                 kMaxGrowth * static_cast<double>(env.source_bytes);
    };
    if (is_too_large(inferred_bytes)) return false;  // don't compute what would be thrown away

    Result<std::vector<Tensor>> values = env.evaluator->Evaluate(model, node, inputs);
    if (!values.ok()) {
      if (env.context != nullptr) env.context->Debug(name(), ": ", node.name, ": ", values.status().message());
      return false;
    }
    int64_t size_bytes = 0;
    for (const Tensor& value : *values) size_bytes += static_cast<int64_t>(value.bytes().size());
    if (is_too_large(size_bytes)) return false;
    ReplaceByConstants(graph, node, std::move(*values));
    return true;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeFoldConstantsPass() { return std::make_unique<FoldConstants>(); }

}  // namespace preon

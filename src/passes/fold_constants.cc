// fold_constants: nodes that read constants only are run once, now.
//
// Before:      y = Op(c1, c2, …), all ci initializers
// After:       initializer y
// Conditions:  a standard operator without randomness or sub-graph, no Q/DQ (they are what quantization is about); at
//              least one input; no output is a graph output; the file grows by 1 MiB at most (constants that only this
//              node reads count as saved). Strings, sequences and whatever the runtime refuses stay.
// Formula:     y = Op(c1, c2, …) as the runtime computes it
#include <algorithm>

#include "passes/node_pass.h"
#include "passes/passes.h"
#include "passes/support/match.h"
#include "passes/support/rewrite.h"

namespace preon {
namespace {

constexpr int64_t kMaxGrowthBytes = int64_t{1} << 20;

bool IsQuantizer(const Node& node) {
  return node.op_type == "QuantizeLinear" || node.op_type == "DequantizeLinear" ||
         node.op_type == "DynamicQuantizeLinear";
}

int64_t SizeBytes(DataType type, const Shape& shape) {
  return IsStatic(shape) ? static_cast<int64_t>(PackedSizeBytes(type, ElementCount(shape))) : 0;
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
    const int64_t limit_bytes = saved_bytes + kMaxGrowthBytes;
    if (inputs.empty() || inferred_bytes > limit_bytes) return false;  // don't compute what would be thrown away

    Result<std::vector<Tensor>> values = env.evaluator->Evaluate(model, node, inputs);
    if (!values.ok()) {
      if (env.context != nullptr)
        env.context->Log(LogLevel::kDebug, StrCat(name(), ": ", node.name, ": ", values.status().message()));
      return false;
    }
    int64_t size_bytes = 0;
    for (const Tensor& value : *values) size_bytes += static_cast<int64_t>(value.bytes().size());
    if (size_bytes > limit_bytes) return false;
    ReplaceByConstants(graph, node, std::move(*values));
    return true;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeFoldConstantsPass() { return std::make_unique<FoldConstants>(); }

}  // namespace preon

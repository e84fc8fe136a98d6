#include "pipeline/float_algorithms.h"

#include <set>

#include "quantize/plan/float_reason.h"

namespace preon {
NodeFilter QuantizedBy(const QuantPlan& plan) {
  const std::set<std::string_view> integer = IntegerNodes(plan);
  return [names = std::set<std::string>(integer.begin(), integer.end())](const Node& node) {
    return names.contains(node.name);
  };
}

Status RewriteFloatModel(Model& model, const std::vector<const Algorithm*>& algorithms,
                         const FloatRewriteContext& context, std::vector<std::string>* warnings) {
  for (const Algorithm* algorithm : algorithms) {
    if (algorithm->phase() != AlgorithmPhase::kFloatModel) continue;
    PREON_ASSIGN_OR_RETURN(const NodeFilter quantized, context.quantized(model));
    CollectedStatistics collected;
    if (const StatisticsRequest request = algorithm->NeedsOfFloat(model.graph, quantized); !request.empty()) {
      PREON_ASSIGN_OR_RETURN(std::optional<CollectedStatistics> found, context.collect(model, request));
      if (!found) {
        warnings->push_back(StrCat("skipped without --data: ", algorithm->name()));
        continue;
      }
      collected = *std::move(found);
    }
    const Model before = model;
    PREON_ASSIGN_OR_RETURN(const bool changed, algorithm->RewriteFloat(model, quantized, collected, context.compat));
    if (!changed || !context.verify) continue;
    if (const Status same = context.verify(before, model); !same.ok()) {
      model = before;
      warnings->push_back(StrCat("algorithm ", algorithm->name(), ": ", same.message()));
    }
  }
  return Status::Ok();
}

}  // namespace preon

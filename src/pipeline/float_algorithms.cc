#include "pipeline/float_algorithms.h"

#include <set>
#include <span>

#include "base/hash.h"
#include "base/str_cat.h"
#include "quantize/plan/float_reason.h"
#include "quantize/settings/layer_selection.h"
#include "quantize/settings/node_selection.h"

namespace preon {
namespace {

constexpr size_t kHashDigits = 16;

template <typename Value>
void Update(Sha256& hash, const std::vector<Value>& values) {
  hash.Update(std::as_bytes(std::span(values)));
}

std::string HashOf(const CollectedStatistics& collected, std::string_view before) {
  Sha256 hash;
  hash.Update(before);
  for (const auto& [tensor, means] : collected.channel_means) {
    hash.Update(tensor);
    Update(hash, means);
  }
  for (const auto& [tensor, extremes] : collected.channel_extremes) {
    hash.Update(tensor);
    Update(hash, extremes.min);
    Update(hash, extremes.max);
  }
  for (const auto& [kind, by_tensor] : collected.others) {
    for (const auto& [tensor, statistic] : by_tensor) hash.Update(StrCat(kind, " ", tensor, " ", statistic));
  }
  return "@" + hash.Finish().substr(0, kHashDigits);
}

}  // namespace

Status CheckOptionNames(const Graph& source, const std::vector<const Algorithm*>& algorithms,
                        std::vector<std::string>& warnings) {
  for (const Algorithm* algorithm : algorithms) {
    const OptionNames names = algorithm->Names();
    for (const NamedNodes& named : names.nodes) PREON_RETURN_IF_ERROR(CheckNodes(source, named));
    WarnOfUnknownOperators(source, names.op_types, &warnings);
  }
  return Status::Ok();
}

NodeFilter QuantizedBy(const QuantPlan& plan) {
  const std::set<std::string_view> integer = IntegerNodes(plan);
  return [names = std::set<std::string>(integer.begin(), integer.end())](const Node& node) {
    return names.contains(node.name);
  };
}

Result<std::string> RewriteFloatModel(Model& model, const std::vector<const Algorithm*>& algorithms,
                                      const FloatRewriteContext& context, std::vector<std::string>* warnings) {
  std::string learned;
  for (const Algorithm* algorithm : algorithms) {
    if (algorithm->phase() != AlgorithmPhase::kFloatModel) continue;
    PREON_ASSIGN_OR_RETURN(const NodeFilter quantized, context.quantized(model));
    CollectedStatistics collected;
    StatisticsRequest request;
    request.Add(algorithm->NeedsOfFloat(model.graph, quantized));
    if (!request.empty()) {
      PREON_ASSIGN_OR_RETURN(std::optional<CollectedStatistics> found, context.collect(model, request));
      if (!found) {
        warnings->push_back(StrCat("skipped without --data: ", algorithm->name()));
        learned = kNoSamples;
        continue;
      }
      collected = *std::move(found);
      if (learned != kNoSamples) learned = HashOf(collected, learned);
    }
    const Model before = model;
    PREON_ASSIGN_OR_RETURN(const bool changed, algorithm->RewriteFloat(model, quantized, collected, context.plan));
    context.run.Debug("algorithm ", algorithm->name(),
                      changed ? " has rewritten the float model" : " has found nothing to change in the float model");
    if (!changed || !context.verify) continue;
    if (const Status same = context.verify(before, model); !same.ok()) {
      model = before;
      warnings->push_back(StrCat("algorithm ", algorithm->name(), ": ", same.message()));
    }
  }
  return learned;
}

}  // namespace preon

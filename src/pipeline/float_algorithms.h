// Algorithms that rewrite the float model before calibration.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "base/context.h"
#include "base/status.h"
#include "ir/graph.h"

namespace preon {

/// What the model's tensors are like over the samples; nullopt: there are none.
using CollectFromModel =
    std::function<Result<std::optional<CollectedStatistics>>(const Model& model, const StatisticsRequest& request)>;
/// Decides whether a rewrite may stay; empty: all may.
using VerifyRewrite = std::function<Status(const Model& before, const Model& after)>;

/// Where a rewrite leads.
struct FloatRewriteContext {
  std::function<Result<NodeFilter>(const Model& model)> quantized;  ///< nodes that the target would quantize
  CollectFromModel collect;
  VerifyRewrite verify;
  PlanOptions plan = {};  ///< what the model becomes
  const RunContext& run;
};

inline constexpr std::string_view kNoSamples = "@no-samples";

/// Runs those of phase kFloatModel, in their order. One that needs samples where there are none is skipped, and one
/// that `verify` refuses is undone; a warning says so.
/// @return '@' and a hash of what they have learned: other samples rewrite the model in another way. "" where nothing
///         is learned from samples, kNoSamples where there were none
/// Errors: those of planning, of the pass over the samples and of the algorithms.
Result<std::string> RewriteFloatModel(Model& model, const std::vector<const Algorithm*>& algorithms,
                                      const FloatRewriteContext& context, std::vector<std::string>* warnings);

/// Has the user's model what the algorithms' options name? Unknown operator types are warnings: such lists are made for
/// many models. Errors: kNameNotInModel with the nearest node.
Status CheckOptionNames(const Graph& source, const std::vector<const Algorithm*>& algorithms,
                        std::vector<std::string>& warnings);

/// The nodes that the plan quantizes.
NodeFilter QuantizedBy(const QuantPlan& plan);

}  // namespace preon

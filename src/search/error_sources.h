// Error sources: how much of the noise at a quantized model's outputs each rounding of a tensor or weight makes.
#pragma once

#include <map>
#include <string>

#include "ir/graph.h"
#include "quantize/plan/quant_plan.h"
#include "search/lock_step.h"

namespace preon {

/// Noise over signal at the outputs, averaged over them, by where it arises (docs/design/fallback.md).
struct ErrorSources {
  double noise = 0;                           ///< all of it
  std::map<std::string, double> activations;  ///< by tensor that has codes
  std::map<std::string, double> weights;      ///< by node that reads rounded weights

  /// Of the node's rounded weight and the tensors that it reads and writes.
  double Around(const Node& node) const;
  /// What is left with another plan for the same graph, whose codes are some of these.
  double With(const QuantPlan& plan) const;
  /// Of what another plan was to take away it took `share`, 0…1: the sources that it lacks count only so much, and all
  /// others the more.
  void Learn(const QuantPlan& plan, double share);
};

/// Follows the noise from the outputs to the inputs: of what a tensor has, its own rounding and the rounded weight of
/// the node that writes it keep their measured shares; the rest came with that node's inputs, in proportion to their
/// noise.
ErrorSources FindErrorSources(const Graph& graph, const QuantPlan& plan, const LockStep& measured);

}  // namespace preon

// TrainedSpread: the first layers of a model that ends in BatchNormalization remember how wide their values spread in
// training. Samples prepared in another way spread otherwise (docs/design/input-checks.md).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/context.h"
#include "ir/graph.h"

namespace preon {

struct SpreadAgainstTraining {
  double ratio = 1;       ///< standard deviation over the trained one, median of the channels
  double divergence = 0;  ///< Kullback-Leibler, of normal distributions, in nats, median of the channels; 0 = the same
};

/// The part of a model from an image input to the first BatchNormalization.
struct TrainedLayers {
  Model model;       ///< input to `tensor`; no nodes where the BatchNormalization reads the input itself
  std::string node;  ///< the BatchNormalization
  std::string input, tensor;
  std::vector<double> mean, variance;  ///< per channel of `tensor`
};

/// Nothing where the way from `input` to the first BatchNormalization is long or holds more than linear operators.
std::optional<TrainedLayers> FindTrainedLayers(const Model& model, const std::string& input);

/// Errors: those of a run.
Result<SpreadAgainstTraining> MeasureSpread(const TrainedLayers& layers, std::span<const Tensor> samples,
                                            const RunContext& context);

}  // namespace preon

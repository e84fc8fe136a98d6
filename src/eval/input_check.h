// InputCheck: are these the samples that the model was trained for? Looks at the first ones and says what is suspicious
// and what fits. Silence is the rule, a warning needs evidence: docs/design/input-checks.md.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/context.h"
#include "base/tensor_spec.h"
#include "data/data_source.h"
#include "ir/graph.h"

namespace preon {

/// Fewer samples than this are few to learn ranges from, or to judge a model by.
inline constexpr int64_t kFewSamples = 16;

/// Asked only where an input takes images.
using LoadFloatModel = std::function<Result<Model>()>;

/// @param source  real samples from the start; the first 16 are read, 32 where the model is run on them.
/// @param shards  the samples are one of so many parts.
/// @return        warnings in plain English; none where samples or model can't be read or run: others will say so.
/// Cost:     some passes over 16 samples. Where pixels do not look normalized and no BatchNormalization can judge them,
/// a
///           classifier runs on 32 samples, prepared in up to six ways.
std::vector<std::string> CheckInputs(DataSource& source, const std::vector<TensorSpec>& inputs, int64_t shards,
                                     const LoadFloatModel& load, const RunContext& context);

}  // namespace preon

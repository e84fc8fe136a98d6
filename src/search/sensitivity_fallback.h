// Tensors whose steps drown some of their channels: the layers around them stay float where that brings the model
// nearer.
#pragma once

#include <span>
#include <string>

#include "calib/calibration.h"
#include "pipeline/job.h"
#include "pipeline/prepare_model.h"
#include "pipeline/trial_samples.h"

namespace preon {

/// Of one tensor: the noise that rounding to `step` makes, relative to each channel's own signal, at most 1 each, on
/// average. 0 where every channel uses many codes, near 1 where most of them hardly leave one. A channel counts as a
/// normal distribution that reaches four standard deviations to either side. Spans: maximum less minimum; one that is 0
/// or not finite does not count.
double RoundingNoiseShare(std::span<const double> channel_spans, double step);

/// For a model that no range rule brings near float (`sqnr_db`, of job.choices.method on the trial's samples): plans
/// again with more and more of the Conv, Gemm and MatMul nodes around the most drowned tensors in float, keeps the plan
/// that pays, and says whether there is one. Leaves alone what is good enough, and targets whose placement is fixed.
/// Errors: kCancelled; those of planning.
Result<bool> FallBackBySensitivity(const CalibrationData& data, const TrialSamples& trial, double sqnr_db,
                                   const Job& job, PreparedModel& prepared);

}  // namespace preon

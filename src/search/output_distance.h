// How far a quantized output is from the float one, as Quark's mixed precision measures it.
#pragma once

#include <span>
#include <string>

#include "base/status.h"
#include "config/precision_options.h"
#include "search/trial.h"

namespace preon {

/// Of one run; less is nearer. l2: norm of the difference; kl: of both as distributions, shifted to start at 0;
/// cosine: 1 - cos, 0 where one has no norm; sqnr, psnr: decibels, negative.
double DistanceOf(OutputDistance distance, std::span<const float> reference, std::span<const float> quantized);

/// Of a model: the mean of it over the runs, or what a distance of its own says of all of them, which gets float32.
/// Infinite where that is no number.
/// Errors: kVerifyOutput where the output is not float or its shape depends on the data; those of Trials::Visit.
Result<double> DistanceFromFloat(const Model& quantized, const DistanceMeasure& measure, const std::string& output,
                                 const TrialRuns& runs, Trials& trials);

}  // namespace preon

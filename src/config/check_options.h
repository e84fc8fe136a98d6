// Which options go together, before a file is opened. What has no effect is told by Idle.
#pragma once

#include <string>
#include <vector>

#include "config/options.h"
#include "quantize/plan/target.h"

namespace preon {

using Warnings = std::vector<std::string>;

/// Options about samples, beside --calib, which comes with its own. Errors: kConflictingOptions, as below.
Status CheckCalibAlone(const Options& options);
/// Types of scales and the search of weights.
Status CheckScaleTypes(const Options& options, Warnings* warnings);
/// Options of ranges where nothing has any, of layouts where there is none, of another kind of target.
Status CheckFitsTarget(const Options& options, const PlanOptions& plan, const Target& target, Warnings* warnings);
/// Options of single types; takes back what says nothing of those that `plan` has.
Status CheckTypeOptions(const Options& options, PlanOptions& plan, Warnings* warnings);
/// Block types get the attributes of their operator. Errors: kFormatAttribute, kConflictingOptions where no type has
/// it.
Status SetAttributes(const Options& options, PlanOptions& plan, Warnings* warnings);
/// Of methods that want all values in the data's order.
Status CheckInOrder(const Options& options);
/// Warns of what is allowed, but seldom meant.
void WarnOfDoubtful(const Options& options, const PlanOptions& plan, Warnings* warnings);
/// Options of random samples.
Status CheckRandom(const Options& options, Warnings* warnings);
Status CheckPreprocess(const Options& options, Warnings* warnings);

}  // namespace preon

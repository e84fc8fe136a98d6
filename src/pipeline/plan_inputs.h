// PlanInputs: what a plan is written from once data have been seen.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/algorithm.h"
#include "calib/calibration.h"
#include "config/resolve/resolve_options.h"
#include "pipeline/saved_ranges.h"
#include "quantize/plan/quant_plan.h"
#include "quantize/qdq_passes/qdq_pass.h"
#include "ranges/range_method.h"

namespace preon {

/// The range method of a tensor that has one of its own, by the method's name.
using MethodByName = std::function<Result<std::unique_ptr<RangeMethod>>(const std::string& name)>;

/// Ranges, each beside what it depends on.
using ChosenRanges = std::map<std::string, std::pair<PlannedRange, Range>>;

struct PlanInputs {
  const CalibrationData& data;
  const SavedRanges* saved = nullptr;              ///< of --save-and-restore: go over `data`
  const TensorRanges* collected_ranges = nullptr;  ///< of a method that collects, by observed tensor
  ChosenRanges* chosen = nullptr;                  ///< by the same method from the same data; gets the others
  MethodByName own_method;
  const std::vector<const Algorithm*>& algorithms;
  QdqPassOptions passes;  ///< over the written model
};

/// The passes over Q/DQ models that were asked for, but those that change inputs and outputs: they come behind the
/// verification (QuantizeStage).
QdqPassOptions QdqPassesOf(const PassSelection& chosen);

}  // namespace preon

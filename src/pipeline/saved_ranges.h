// SavedRanges: what --save-and-restore writes after a calibration, and takes instead of one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/output/atomic_file.h"
#include "base/status.h"
#include "calib/collected_statistics.h"
#include "quantize/plan/float_fallback.h"
#include "quantize/plan/float_reason.h"
#include "quantize/plan/quant_plan.h"

namespace preon {

/// Ranges of tensors, and what else a plan is written with, so that the restored model is the same.
struct SavedRanges {
  TensorRanges ranges;
  CollectedStatistics statistics;  ///< what algorithms have been told
  FloatNodes left_float;           ///< PlanOptions::left_float of the plan
  std::string model_fingerprint;   ///< "" where the file does not tell, as Quark's do not
  std::string config_hash;         ///< of the options that ranges depend on; may be ""
  std::string method;
  std::string rewritten_by;  ///< PlannedModel::rewritten_by; "" also where the file does not tell
  int64_t samples = 0;

  bool IsOfAnother(const std::string& fingerprint) const {
    return !model_fingerprint.empty() && model_fingerprint != fingerprint;
  }
};

/// Reads this project's form and Quark's older one (a bound is a number or a list of one number).
/// Errors: kSavedRangesMalformed naming the key; kFileNotFound, kIoRead.
Result<SavedRanges> LoadSavedRanges(const std::string& path);

/// Writes what is to be at `path`. Keys of an older file that are no business of ours stay. Errors:
/// kSavedRangesMalformed where such a file can't be read, kIoWrite.
Result<AtomicFile> StageRanges(const SavedRanges& saved, const std::string& path);

}  // namespace preon

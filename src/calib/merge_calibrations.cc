#include <algorithm>
#include <iterator>

#include "calib/calibration.h"
#include "data/sample_runs.h"

namespace preon {
namespace {

Status CheckMergeable(const CalibrationData& part, const CalibrationData& first) {
  PREON_RETURN_IF_ERROR(CheckSameModel(part.model_fingerprint, first.model_fingerprint));
  if (part.setup != first.setup) {
    return Error(ErrorId::kCalibFileMismatch, "made with other options: '", part.setup, "', wanted '", first.setup,
                 "'");
  }
  for (const auto& [tensor, sketch] : part.tensors) {
    if (!first.tensors.contains(tensor))
      return Error(ErrorId::kCalibFileMismatch, "tensor '", tensor, "' is in this one alone");
  }
  for (const auto& [tensor, sketch] : first.tensors) {
    if (!part.tensors.contains(tensor)) return Error(ErrorId::kCalibFileMismatch, "tensor '", tensor, "' is missing");
  }
  if (part.shared != first.shared) return Error(ErrorId::kCalibFileMismatch, "other tensors share ranges");
  if (part.derived != first.derived)
    return Error(ErrorId::kCalibFileMismatch, "other tensors are derived; wanted those of the same version of preon");
  if (part.per_sample.has_value() != first.per_sample.has_value()) {
    return Error(ErrorId::kCalibFileMismatch, "has ",
                 part.per_sample ? "facts per sample, input 1 has none" : "no facts per sample, input 1 has some")
        .WithHint("calibrate all parts with --per-sample, or none");
  }
  if (part.origins != first.origins) return Error(ErrorId::kCalibFileMismatch, "its tensors come in another order");
  return Status::Ok();
}

/// A tensor that no run of one part reached has an empty sketch there, which does not know its channels.
Status MergeSketch(TensorSketch& into, TensorSketch& from) {
  Status status = into.Merge(from);
  if (status.ok() || from.count() == 0) return Status::Ok();
  if (into.count() > 0) return status;
  into = std::move(from);
  return Status::Ok();
}

}  // namespace

Status CheckSameModel(std::string_view fingerprint, std::string_view wanted) {
  if (fingerprint == wanted) return Status::Ok();
  return Error(ErrorId::kCalibFileMismatch, "made for another model (fingerprint ", fingerprint.substr(0, 12),
               "…, wanted ", wanted.substr(0, 12), "…)");
}

Result<CalibrationData> MergeCalibrations(std::vector<CalibrationData> parts) {
  PREON_CHECK(!parts.empty());
  CalibrationData merged = std::move(parts[0]);
  for (size_t index = 1; index < parts.size(); ++index) {
    CalibrationData part = std::move(parts[index]);  // freed at the end of the turn
    PREON_RETURN_IF_ERROR(CheckMergeable(part, merged).WithContext("input ", index + 1));
    merged.samples.insert(merged.samples.end(), part.samples.begin(), part.samples.end());
    Result<SampleRuns> samples = Canonical(std::move(merged.samples));
    if (!samples.ok()) return std::move(samples).status().WithContext("input ", index + 1);
    merged.samples = *std::move(samples);
    if (merged.per_sample) {
      std::ranges::move(*part.per_sample, std::back_inserter(*merged.per_sample));
      SortRows(*merged.per_sample);
    }
    for (auto& [tensor, sketch] : part.tensors) {
      PREON_RETURN_IF_ERROR(
          MergeSketch(merged.tensors.at(tensor), sketch).WithContext("input ", index + 1, ": ", tensor));
    }
  }
  DeriveSketches(merged);
  return merged;
}

}  // namespace preon

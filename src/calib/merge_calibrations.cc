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
      return Error(ErrorId::kCalibFileMismatch, "tensor '", tensor, "' is only in this file");
  }
  for (const auto& [tensor, sketch] : first.tensors) {
    if (!part.tensors.contains(tensor)) return Error(ErrorId::kCalibFileMismatch, "tensor '", tensor, "' is missing");
  }
  if (part.shared != first.shared) return Error(ErrorId::kCalibFileMismatch, "different tensors share ranges");
  if (part.derived != first.derived)
    return Error(ErrorId::kCalibFileMismatch,
                 "different tensors are derived; wanted those of the same version of preon");
  if (part.per_sample.has_value() != first.per_sample.has_value()) {
    return Error(ErrorId::kCalibFileMismatch, "has ",
                 part.per_sample ? "facts per sample, input 1 has none" : "no facts per sample, input 1 has some")
        .WithHint("calibrate all parts with --per-sample, or none");
  }
  if (part.origins != first.origins) return Error(ErrorId::kCalibFileMismatch, "its tensors are in another order");
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

/// The statistics beside the sketches. Both have those of the same tensors, or neither has any.
Status MergeStatistics(SerializedStatistics& into, const SerializedStatistics& from,
                       const std::vector<const StatisticKind*>& kinds) {
  for (auto& [name, tensors] : into) {
    const auto kind = std::ranges::find(kinds, name, &StatisticKind::name);
    if (kind == kinds.end()) {
      return Error(ErrorId::kCalibFileMismatch, "has the statistic '", name,
                   "'; wanted one that this version of preon knows");
    }
    for (auto& [tensor, bytes] : tensors) {
      const std::unique_ptr<TensorStatistic> sum = (*kind)->Make();
      PREON_RETURN_IF_ERROR(sum->Merge(bytes).WithContext(tensor));
      PREON_RETURN_IF_ERROR(sum->Merge(from.at(name).at(tensor)).WithContext(tensor));
      bytes = sum->Serialize();
    }
  }
  return Status::Ok();
}

bool SameStatistics(const SerializedStatistics& a, const SerializedStatistics& b) {
  const auto same_keys = [](const auto& left, const auto& right) { return left.first == right.first; };
  return std::ranges::equal(a, b, [&](const auto& left, const auto& right) {
    return left.first == right.first && std::ranges::equal(left.second, right.second, same_keys);
  });
}

}  // namespace

Status CheckSameModel(std::string_view fingerprint, std::string_view wanted) {
  if (fingerprint == wanted) return Status::Ok();
  return Error(ErrorId::kCalibFileMismatch, "made for another model (fingerprint ", fingerprint.substr(0, 12),
               "…, wanted ", wanted.substr(0, 12), "…)");
}

Result<CalibrationData> MergeCalibrations(std::vector<CalibrationData> parts,
                                          const std::vector<const StatisticKind*>& kinds) {
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
    // Parts that were made for different types have the same statistics all the same.
    std::erase_if(merged.planned, [&](const auto& planned) {
      const auto other = part.planned.find(planned.first);
      return other == part.planned.end() || other->second != planned.second;
    });
    if (part.activation != merged.activation) merged.activation.clear();
    if (!SameStatistics(part.statistics, merged.statistics)) {
      return Error(ErrorId::kCalibFileMismatch, "input ", index + 1,
                   ": has statistics of other algorithms than input 1");
    }
    PREON_RETURN_IF_ERROR(MergeStatistics(merged.statistics, part.statistics, kinds).WithContext("input ", index + 1));
  }
  DeriveSketches(merged);
  return merged;
}

}  // namespace preon

#include <algorithm>
#include <iterator>
#include <utility>

#include "calib/calibration_merger.h"
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

Status CalibrationMerger::Add(CalibrationData part) {
  if (!sum_) {
    sum_ = std::move(part);
    return Status::Ok();
  }
  CalibrationData& sum = *sum_;
  PREON_RETURN_IF_ERROR(CheckMergeable(part, sum));
  sum.samples.insert(sum.samples.end(), part.samples.begin(), part.samples.end());
  PREON_ASSIGN_OR_RETURN(sum.samples, Canonical(std::move(sum.samples)));
  if (sum.per_sample) {
    std::ranges::move(*part.per_sample, std::back_inserter(*sum.per_sample));
    SortRows(*sum.per_sample);
  }
  for (auto& [tensor, sketch] : part.tensors)
    PREON_RETURN_IF_ERROR(MergeSketch(sum.tensors.at(tensor), sketch).WithContext(tensor));
  // Parts that were made for different types have the same statistics all the same.
  std::erase_if(sum.planned, [&](const auto& planned) {
    const auto other = part.planned.find(planned.first);
    return other == part.planned.end() || other->second != planned.second;
  });
  if (part.activation != sum.activation) sum.activation.clear();
  if (!SameStatistics(part.statistics, sum.statistics))
    return Error(ErrorId::kCalibFileMismatch, "has statistics of other algorithms than input 1");
  return MergeStatistics(sum.statistics, part.statistics, kinds_);
}

CalibrationData CalibrationMerger::Finish() {
  PREON_CHECK(sum_.has_value());
  DeriveSketches(*sum_);
  return *std::exchange(sum_, std::nullopt);
}

Result<CalibrationData> MergeCalibrations(std::vector<CalibrationData> parts,
                                          const std::vector<const StatisticKind*>& kinds) {
  CalibrationMerger merger(kinds);
  for (size_t index = 0; index < parts.size(); ++index)
    PREON_RETURN_IF_ERROR(merger.Add(std::move(parts[index])).WithContext("input ", index + 1));
  return merger.Finish();
}

}  // namespace preon

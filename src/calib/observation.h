// Observation: what a pass over the data has learned so far, each part of the data apart.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "calib/calibration.h"
#include "calib/sketch_observer.h"

namespace preon {

class Observation final : public TensorObserver {
 public:
  /// @param header  what all results begin with; outlives it
  /// @param parts   of the data (Batch::part); each has sketches of its own, which are merged in the end
  Observation(const StatisticsRequest& request, SketchMode mode, const CalibrationData& header, size_t parts);

  /// Of the first part.
  SketchObserver& observer() { return parts_.front().observer; }
  const std::vector<std::string>& tensors() const { return parts_.front().observer.tensors(); }

  void BeginRun(const Batch& batch, std::vector<SampleRow>* rows = nullptr);
  Status EndRun();
  void Observe(size_t index, const ObservedValue& value, const ParallelFor& parallel_for) override;
  void ObserveTogether(std::span<const ObservedStep> steps, const ParallelFor& parallel_for) override;

  /// A run that has ended, one at a time.
  void Saw(const Batch& batch, const std::vector<SampleRow>& rows);
  /// Before the first run: goes on from these. Errors: kCalibFileMismatch naming a tensor that is missing.
  Status Start(const CalibrationData& known);

  // While no run is under way. Errors: kSketchMismatch where channels differ between parts.
  Result<CalibrationData> SoFar();
  /// Leaves the sketches empty. @param of_parts  null, or gets what the parts have taught that had batches
  Result<CalibrationData> Take(std::vector<CalibrationData>* of_parts);

 private:
  struct Part {
    Part(const StatisticsRequest& request, SketchMode mode, const DerivedTensors& derived)
        : observer(request, mode, derived) {}

    SketchObserver observer;
    SampleRuns samples;
  };

  Result<CalibrationData> DataOf(const Part& part, std::vector<TensorSketch> sketches) const;
  Result<CalibrationData> Together(const std::function<std::vector<TensorSketch>(Part&)>& sketches,
                                   std::vector<CalibrationData>* of_parts);
  Part& PartOf(const Batch& batch) { return parts_.at(parts_.size() > 1 ? batch.part : 0); }

  const CalibrationData& header_;
  const std::vector<const StatisticKind*> kinds_;
  std::deque<Part> parts_;
  std::optional<std::vector<SampleRow>> rows_;
};

}  // namespace preon

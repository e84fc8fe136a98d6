// Observation: what a pass over the data has learned so far, that of batches held out apart from the rest.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calib/calibration.h"
#include "calib/sketch_observer.h"

namespace preon {

class Observation final : public TensorObserver {
 public:
  /// @param header  what all results begin with; outlives it
  /// @param apart   batches held out have sketches of their own, which are merged in the end
  Observation(const StatisticsRequest& request, SketchMode mode, const CalibrationData& header, bool apart);

  /// Of batches that are not held out.
  SketchObserver& observer() { return observer_; }
  const std::vector<std::string>& tensors() const { return observer_.tensors(); }

  void BeginRun(const Batch& batch, std::vector<SampleRow>* rows = nullptr);
  Status EndRun();
  void Observe(size_t index, const ObservedValue& value, const ParallelFor& parallel_for) override;
  void ObserveTogether(std::span<const ObservedStep> steps, const ParallelFor& parallel_for) override;

  /// A run that has ended, one at a time.
  void Saw(const Batch& batch, const std::vector<SampleRow>& rows);
  /// Before the first run: goes on from these. Errors: kCalibFileMismatch naming a tensor that is missing.
  Status Start(const CalibrationData& known);

  // While no run is under way. Errors: kSketchMismatch where channels differ between batches held out and others.
  Result<CalibrationData> SoFar() const;
  /// Leaves the sketches empty. @param without_held_out  null, or gets what it would be without the batches held out
  Result<CalibrationData> Take(CalibrationData* without_held_out);

 private:
  Result<CalibrationData> DataOf(const SketchObserver& observer, const SampleRuns& samples,
                                 std::vector<TensorSketch> sketches) const;
  SketchObserver& ObserverOf(const Batch& batch);

  const CalibrationData& header_;
  const std::vector<const StatisticKind*> kinds_;
  SketchObserver observer_;
  std::optional<SketchObserver> held_out_;
  SampleRuns samples_, held_out_samples_;
  std::optional<std::vector<SampleRow>> rows_;
};

}  // namespace preon

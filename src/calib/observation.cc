#include "calib/observation.h"

#include <utility>

namespace preon {
namespace {

// The runtime calls observers on the thread that called it.
thread_local SketchObserver* current_observer = nullptr;

Result<CalibrationData> Merged(CalibrationData data, CalibrationData held_out,
                               const std::vector<const StatisticKind*>& kinds) {
  std::vector<CalibrationData> parts;
  parts.push_back(std::move(data));
  parts.push_back(std::move(held_out));
  return MergeCalibrations(std::move(parts), kinds);
}

}  // namespace

Observation::Observation(const StatisticsRequest& request, SketchMode mode, const CalibrationData& header, bool apart)
    : header_(header), kinds_(request.Kinds()), observer_(request, mode, header.derived), rows_(header.per_sample) {
  if (apart) held_out_.emplace(request, mode, header.derived);
}

SketchObserver& Observation::ObserverOf(const Batch& batch) {
  return held_out_ && batch.held_out ? *held_out_ : observer_;
}

void Observation::BeginRun(const Batch& batch, std::vector<SampleRow>* rows) {
  current_observer = &ObserverOf(batch);
  current_observer->BeginRun(batch, rows);
}

Status Observation::EndRun() { return std::exchange(current_observer, nullptr)->EndRun(); }

void Observation::Observe(size_t index, const ObservedValue& value, const ParallelFor& parallel_for) {
  current_observer->Observe(index, value, parallel_for);
}

void Observation::ObserveTogether(std::span<const ObservedStep> steps, const ParallelFor& parallel_for) {
  current_observer->ObserveTogether(steps, parallel_for);
}

void Observation::Saw(const Batch& batch, const std::vector<SampleRow>& rows) {
  AddSamplesOf(batch, &ObserverOf(batch) == &observer_ ? samples_ : held_out_samples_);
  if (rows_) rows_->insert(rows_->end(), rows.begin(), rows.end());
}

Status Observation::Start(const CalibrationData& known) {
  samples_ = known.samples;
  PREON_CHECK(known.per_sample.has_value() == rows_.has_value());
  rows_ = known.per_sample;
  return observer_.Start(known.tensors, known.statistics);
}

// One sketch per tensor, the samples in canonical form, their rows in order.
Result<CalibrationData> Observation::DataOf(const SketchObserver& observer, const SampleRuns& samples,
                                            std::vector<TensorSketch> sketches) const {
  CalibrationData data = header_;
  PREON_ASSIGN_OR_RETURN(data.samples, Canonical(samples));
  data.per_sample = rows_;
  if (data.per_sample) SortRows(*data.per_sample);
  for (size_t index = 0; index < observer.tensors().size(); ++index)
    data.tensors.emplace(observer.tensors()[index], std::move(sketches[index]));
  data.statistics = observer.Statistics();
  DeriveSketches(data);
  return data;
}

Result<CalibrationData> Observation::SoFar() const {
  PREON_ASSIGN_OR_RETURN(CalibrationData data, DataOf(observer_, samples_, observer_.Sketches()));
  if (held_out_samples_.empty()) return data;
  PREON_ASSIGN_OR_RETURN(CalibrationData held_out, DataOf(*held_out_, held_out_samples_, held_out_->Sketches()));
  return Merged(std::move(data), std::move(held_out), kinds_);
}

Result<CalibrationData> Observation::Take(CalibrationData* without_held_out) {
  PREON_ASSIGN_OR_RETURN(CalibrationData data, DataOf(observer_, samples_, observer_.TakeSketches()));
  if (without_held_out != nullptr) *without_held_out = data;
  if (held_out_samples_.empty()) return data;
  PREON_ASSIGN_OR_RETURN(CalibrationData held_out, DataOf(*held_out_, held_out_samples_, held_out_->TakeSketches()));
  return Merged(std::move(data), std::move(held_out), kinds_);
}

}  // namespace preon

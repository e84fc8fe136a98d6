#include "calib/observation.h"

#include <utility>

namespace preon {
namespace {

// The runtime calls observers on the thread that called it.
thread_local SketchObserver* current_observer = nullptr;

}  // namespace

Observation::Observation(const StatisticsRequest& request, SketchMode mode, const CalibrationData& header, size_t parts)
    : header_(header), kinds_(request.Kinds()), rows_(header.per_sample) {
  while (parts_.size() < parts) parts_.emplace_back(request, mode, header.derived);
}

void Observation::BeginRun(const Batch& batch, std::vector<SampleRow>* rows) {
  current_observer = &PartOf(batch).observer;
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
  AddSamplesOf(batch, PartOf(batch).samples);
  if (rows_) rows_->insert(rows_->end(), rows.begin(), rows.end());
}

Status Observation::Start(const CalibrationData& known) {
  Part& first = parts_.front();
  first.samples = known.samples;
  PREON_CHECK(known.per_sample.has_value() == rows_.has_value());
  rows_ = known.per_sample;
  return first.observer.Start(known.tensors, known.statistics);
}

// One sketch per tensor, the samples in canonical form, their rows in order.
Result<CalibrationData> Observation::DataOf(const Part& part, std::vector<TensorSketch> sketches) const {
  CalibrationData data = header_;
  PREON_ASSIGN_OR_RETURN(data.samples, Canonical(part.samples));
  data.per_sample = rows_;
  if (data.per_sample) SortRows(*data.per_sample);
  const std::vector<std::string>& tensors = part.observer.tensors();
  for (size_t index = 0; index < tensors.size(); ++index)
    data.tensors.emplace(tensors[index], std::move(sketches[index]));
  data.statistics = part.observer.Statistics();
  DeriveSketches(data);
  return data;
}

Result<CalibrationData> Observation::Together(const std::function<std::vector<TensorSketch>(Part&)>& sketches,
                                              std::vector<CalibrationData>* of_parts) {
  std::vector<CalibrationData> data;
  for (Part& part : parts_) {
    if (part.samples.empty() && &part != &parts_.front()) continue;
    PREON_ASSIGN_OR_RETURN(data.emplace_back(), DataOf(part, sketches(part)));
  }
  if (of_parts != nullptr) *of_parts = data;
  return data.size() == 1 ? std::move(data.front()) : MergeCalibrations(std::move(data), kinds_);
}

Result<CalibrationData> Observation::SoFar() {
  return Together([](Part& part) { return part.observer.Sketches(); }, nullptr);
}

Result<CalibrationData> Observation::Take(std::vector<CalibrationData>* of_parts) {
  return Together([](Part& part) { return part.observer.TakeSketches(); }, of_parts);
}

}  // namespace preon

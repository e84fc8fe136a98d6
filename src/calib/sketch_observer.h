// SketchObserver: sketches what an observed session shows.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "calib/derived_tensors.h"
#include "calib/sample_rows.h"
#include "calib/statistics_request.h"
#include "data/data_source.h"
#include "runtime/observed_session.h"
#include "stats/tensor_sketch.h"

namespace preon {

/// Where samples and channels lie in a value of a run over `samples` samples. Axis 0 holds the samples where its size
/// is a multiple of their number ([N, …], or [N·T, …] after a reshape), else the run counts as one sample. Channels are
/// axis 1. Blocked or not, the elements of a sample are in the same order, so sketches don't depend on the batch size.
ChannelLayout LayoutOf(const ObservedValue& value, int64_t samples);

class SketchObserver final : public TensorObserver {
 public:
  /// Index i of the session is observed()[i]: the tensors of `request` by name without the derived ones, of which only
  /// channel means are kept. The kinds that the request names outlive the observer.
  SketchObserver(const StatisticsRequest& request, SketchMode mode, const DerivedTensors& derived = {});

  /// What this thread observes until EndRun is over `batch`. Threads may have a run each under way.
  /// @param rows  null, or gets one per sample; lives until EndRun
  void BeginRun(const Batch& batch, std::vector<SampleRow>* rows = nullptr);
  /// The run's first failure: kRangeNotFinite, kSketchMismatch.
  Status EndRun();
  void Observe(size_t index, const ObservedValue& value, const ParallelFor& parallel_for) override;
  void ObserveTogether(std::span<const ObservedStep> steps, const ParallelFor& parallel_for) override;

  /// All tensors, the observed ones first.
  const std::vector<std::string>& tensors() const { return tensors_; }
  std::vector<std::string> observed() const { return {tensors_.begin(), tensors_.begin() + observed_count_}; }
  /// Before the first run: goes on from these. Errors: kCalibFileMismatch naming a tensor that is missing.
  Status Start(const std::map<std::string, TensorSketch>& sketches, const SerializedStatistics& statistics = {});
  /// Copies of what TakeSketches would give now; while no run is under way.
  std::vector<TensorSketch> Sketches() const;
  /// One per tensor; empty ones of tensors that no run reached.
  std::vector<TensorSketch> TakeSketches();
  /// What else the request names, of every tensor, while no run is under way.
  SerializedStatistics Statistics() const;

 private:
  /// One of the request's `others` for one tensor.
  struct Other {
    const StatisticKind* kind;
    std::unique_ptr<TensorStatistic> statistic;
    std::mutex updating;
  };
  /// The sketch that takes a value of this layout; null after a failure.
  TensorSketch* SketchOf(size_t index, const ChannelLayout& layout);
  /// Steps whose values may be computed and observed in one go.
  void ObserveSteps(std::span<const ObservedStep> steps, const ChannelLayout& layout, const ParallelFor& parallel_for);
  void UpdateOthers(const ObservedStep& step, const ChannelLayout& layout, const ParallelFor& parallel_for);

  struct MeansOf {
    size_t index;
    ScalarFunction function;
  };
  std::vector<std::string> tensors_;
  ptrdiff_t observed_count_ = 0;
  std::map<size_t, std::vector<MeansOf>> means_of_;  // by the source's index
  struct Wanted {
    bool channel_extremes, channel_means;
  };
  std::vector<Wanted> wanted_;  // of each tensor
  std::vector<size_t> ranks_;   // of each tensor among all by name: its place in a SampleRow
  SketchMode mode_;
  std::vector<std::optional<TensorSketch>> sketches_;  // made at the first value: the number of channels is its
  std::mutex making_;                                  // of one of them
  std::map<size_t, std::vector<std::unique_ptr<Other>>> others_;
};

}  // namespace preon

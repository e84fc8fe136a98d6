// Collector: the statistics of one session, and the file that they are saved to.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "calib/sketch_observer.h"
#include "instrument/collectors.h"
#include "instrument/instrumented_model.h"
#include "instrument/run_gate.h"

namespace preon {

/// Gets single lines, from any thread.
using LogLine = void (*)(std::string_view line);

/// Nothing here ever fails a run: what goes wrong is logged once, and tried again.
class Collector final : public TensorObserver, public ProcessCollector {
 public:
  using Outputs = Result<std::vector<NamedTensor>>;

  /// Is one of Collectors::OfProcess() as long as it lives.
  /// @param pattern  of its file's name (output_name.h)
  Collector(Instrumentation plan, std::string pattern, LogLine log);
  /// Saves. No run is under way.
  ~Collector() override;

  /// Observes what `run` does on this thread. Every so many runs a thread of its own saves.
  Outputs Watch(int64_t samples, const std::function<Outputs()>& run);

  /// Writes all that is known, between runs; does nothing when the file has it already, or nothing is known. Gives up
  /// when the runs that are under way take longer than `patience`.
  void Save(std::chrono::milliseconds patience);
  void SaveForGood(std::chrono::milliseconds patience) override;

  void Observe(size_t index, const ObservedValue& value, const ParallelFor& parallel_for) override;
  void ObserveTogether(std::span<const ObservedStep> steps, const ParallelFor& parallel_for) override;

  const std::string& pattern() const override { return pattern_; }
  void BeforeFork() override;
  void AfterForkInParent() override;
  void AfterForkInChild(CollectorFile file) override;

 private:
  void SaveInBackground();
  enum class RunsGoOn { kOnceRead, kOnceWritten };
  void SaveAlone(std::chrono::milliseconds patience, RunsGoOn when);  // who calls it holds saving_
  Status SaveNow(std::chrono::milliseconds patience, RunsGoOn when);
  void LogOnce(std::atomic<bool>& logged, const Status& problem);

  Instrumentation plan_;
  std::string pattern_;
  LogLine log_;
  CollectorFile file_;
  // Pointers, because a child leaves behind what threads of its parent were using.
  std::unique_ptr<RunGate> gate_;
  std::unique_ptr<SketchObserver> sketches_;
  std::atomic<int64_t> runs_ = 0;        // begun
  std::atomic<int64_t> samples_ = 0;     // of runs that went well
  std::atomic<int64_t> since_save_ = 0;  // runs
  std::mutex saving_;                    // of the next and the file
  int64_t saved_samples_ = 0;
  bool saved_for_good_ = false;
  std::unique_ptr<std::mutex> starting_ = std::make_unique<std::mutex>();  // of writer_
  std::unique_ptr<std::thread> writer_;
  std::atomic<bool> in_background_ = false;  // a save
  bool paused_for_fork_ = false;
  std::atomic<bool> logged_write_ = false, logged_values_ = false;
};

}  // namespace preon

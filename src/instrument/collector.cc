#include "instrument/collector.h"

#include <signal.h>

#include <bit>
#include <optional>
#include <system_error>
#include <utility>

#include "base/output/atomic_file.h"
#include "calib/calibration.h"

namespace preon {
namespace {

using std::chrono::milliseconds;

// How long others may have to wait for a run that is under way.
constexpr milliseconds kPatience{1000};

/// Between Enter and Leave, whatever is thrown.
class Inside {
 public:
  explicit Inside(RunGate& gate) : gate_(gate) { gate_.Enter(); }
  ~Inside() { gate_.Leave(); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  RunGate& gate_;
};

class Resuming {
 public:
  explicit Resuming(RunGate& gate) : gate_(gate) {}
  ~Resuming() { gate_.Resume(); }
  Resuming(const Resuming&) = delete;
  Resuming& operator=(const Resuming&) = delete;

 private:
  RunGate& gate_;
};

/// A thread on which the host's signal handlers don't run.
std::unique_ptr<std::thread> QuietThread(std::function<void()> body) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::unique_ptr<std::thread> thread;
  try {
    thread = std::make_unique<std::thread>(std::move(body));
  } catch (const std::system_error&) {  // no more threads: the caller does it itself
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

/// Whether the run on this thread is one of those to observe.
thread_local bool observing = false;

std::unique_ptr<SketchObserver> EmptySketches(const Instrumentation& plan) {
  return std::make_unique<SketchObserver>(plan.request, plan.mode, plan.header.derived);
}

}  // namespace

Collector::Collector(Instrumentation plan, std::string pattern, LogLine log)
    : plan_(std::move(plan)),
      pattern_(std::move(pattern)),
      log_(log),
      gate_(std::make_unique<RunGate>()),
      sketches_(EmptySketches(plan_)) {
  file_ = Collectors::OfProcess().Add(*this);
  // Said now: at the first save a thousand runs may be lost. Saving is tried all the same.
  if (const Result<AtomicFile> trial = AtomicFile::Open(file_.path); !trial.ok())
    LogOnce(logged_write_, trial.status());
}

Collector::~Collector() {
  Collectors::OfProcess().Remove(*this);
  if (writer_) writer_->join();
  Save(kPatience);
}

Collector::Outputs Collector::Watch(int64_t samples, const std::function<Outputs()>& run) {
  const int64_t earlier_runs = runs_++;
  if (std::has_single_bit(static_cast<uint64_t>(earlier_runs))) Collectors::SaveAtExitBeforeOthers();
  observing = earlier_runs % plan_.one_in == 0;
  if (!observing) return run();
  Outputs outputs = std::vector<NamedTensor>();
  Status observed;
  {
    const Inside inside(*gate_);
    const Batch batch{.samples = samples,
                      .names = std::vector<std::string>(static_cast<size_t>(samples), StrCat("run ", runs_.load()))};
    sketches_->BeginRun(batch);
    outputs = run();
    observed = sketches_->EndRun();
    if (outputs.ok() && observed.ok()) samples_ += samples;
  }
  if (outputs.ok() && !observed.ok()) LogOnce(logged_values_, observed);
  if (++since_save_ >= plan_.every) {
    since_save_ = 0;
    SaveInBackground();
  }
  return outputs;
}

void Collector::Observe(size_t index, const ObservedValue& value, const ParallelFor& parallel_for) {
  if (observing) sketches_->Observe(index, value, parallel_for);
}
void Collector::ObserveTogether(std::span<const ObservedStep> steps, const ParallelFor& parallel_for) {
  if (observing) return sketches_->ObserveTogether(steps, parallel_for);
  TensorObserver::ObserveTogether(steps, parallel_for);  // computes
}

void Collector::SaveInBackground() {
  const std::unique_lock starting(*starting_, std::try_to_lock);
  if (!starting || in_background_.exchange(true)) return;  // a slow disk: the next time will do
  if (writer_) writer_->join();
  writer_ = QuietThread([this] {
    Save(kPatience);
    in_background_ = false;
  });
  if (writer_) return;
  Save(kPatience);
  in_background_ = false;
}

void Collector::Save(milliseconds patience) {
  const std::lock_guard lock(saving_);
  if (!saved_for_good_) SaveAlone(patience, RunsGoOn::kOnceRead);
}

void Collector::SaveForGood(milliseconds patience) {
  const std::lock_guard lock(saving_);
  if (saved_for_good_) return;
  SaveAlone(patience, RunsGoOn::kOnceWritten);
  saved_for_good_ = true;
}

void Collector::SaveAlone(milliseconds patience, RunsGoOn when) {
  Status saved;
  try {
    saved = SaveNow(patience, when);
  } catch (const std::exception& error) {  // memory
    saved = Error(ErrorId::kOutOfMemory, file_.path, ": not saved: ", error.what());
  }
  if (!saved.ok()) LogOnce(logged_write_, saved);
}

Status Collector::SaveNow(milliseconds patience, RunsGoOn when) {
  if (!gate_->Pause(patience)) {
    return Error(ErrorId::kIoWrite, file_.path, ": not saved: a run took longer than ", patience.count(), " ms");
  }
  std::optional<Resuming> resuming(*gate_);
  const int64_t samples = samples_;
  if (samples == saved_samples_) return Status::Ok();
  CalibrationData data = plan_.header;
  std::vector<TensorSketch> sketches = sketches_->Sketches();
  for (size_t index = 0; index < sketches.size(); ++index)
    data.tensors.emplace(sketches_->tensors()[index], std::move(sketches[index]));
  if (when == RunsGoOn::kOnceRead) resuming.reset();
  DeriveSketches(data);
  data.samples = {{file_.first_sample, file_.first_sample + samples}};
  PREON_RETURN_IF_ERROR(SaveCollected(data, file_));
  saved_samples_ = samples;
  return Status::Ok();
}

void Collector::LogOnce(std::atomic<bool>& logged, const Status& problem) {
  if (logged.exchange(true)) return;
  log_(StrCat(problem.message(), "; logged only once; serving and collecting continue"));
}

void Collector::BeforeFork() {
  saving_.lock();
  paused_for_fork_ = gate_->Pause(kPatience);
}

void Collector::AfterForkInParent() {
  if (paused_for_fork_) gate_->Resume();
  saving_.unlock();
}

void Collector::AfterForkInChild(CollectorFile file) {
  file_ = std::move(file);
  static_cast<void>(gate_.release());
  static_cast<void>(starting_.release());
  static_cast<void>(sketches_.release());
  static_cast<void>(writer_.release());  // that thread exists in the parent alone
  gate_ = std::make_unique<RunGate>();
  starting_ = std::make_unique<std::mutex>();
  sketches_ = EmptySketches(plan_);
  in_background_ = false;
  runs_ = samples_ = since_save_ = saved_samples_ = 0;
  saving_.unlock();
}

}  // namespace preon

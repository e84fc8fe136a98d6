#include "data/batch_loop.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace preon {
namespace {

using Clock = std::chrono::steady_clock;

Clock::time_point After(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

class BatchLoop {
 public:
  BatchLoop(DataSource& source, const BatchLoopOptions& options,
            const std::function<Result<InTurn>(const Batch&)>& work)
      : source_(source), options_(options), work_(work) {}

  Status Run() {
    {
      std::vector<std::jthread> others;
      for (int thread = 1; thread < options_.at_once; ++thread) others.emplace_back([this] { WorkUntilOver(); });
      WorkUntilOver();
    }
    if (defect_) std::rethrow_exception(defect_);
    if (failure_.ok() && options_.checkpoint.save && WantsLastCheckpoint()) SaveCheckpoint();
    return failure_.ok() ? stopped_ : failure_;
  }

 private:
  void WorkUntilOver() {
    std::unique_lock lock(mutex_);
    try {
      while (true) {
        changed_.wait(lock, [this] { return over_ || MayBegin(); });
        if (over_) return;
        if (CheckpointIsDue()) {
          SaveCheckpoint();
        } else {
          DoNext(lock);
          FinishInTurn();
        }
        changed_.notify_all();
      }
    } catch (...) {
      if (!lock.owns_lock()) lock.lock();
      if (!defect_) defect_ = std::current_exception();
      over_ = true;
      changed_.notify_all();
    }
  }

  void DoNext(std::unique_lock<std::mutex>& lock) {
    stopped_ = options_.go_on ? options_.go_on() : Status::Ok();
    over_ = !stopped_.ok();
    if (over_) return;
    Result<std::optional<Batch>> batch = source_.Next();
    over_ = !batch.ok() || !batch->has_value();
    if (!batch.ok() && batch.status().id() == ErrorId::kCancelled) {
      stopped_ = batch.status();
    } else if (!batch.ok()) {
      finished_.emplace(begun_++, batch.status());
    }
    if (over_) return;
    const int64_t index = begun_++;
    begun_samples_ += (*batch)->samples;
    over_ = begun_samples_ >= options_.max_samples;
    lock.unlock();
    Result<InTurn> finish = work_(**batch);
    lock.lock();
    finished_.emplace(index, std::move(finish));
  }

  bool MayBegin() const {
    if (begun_ == 0 || CheckpointIsDue()) return begun_ == done_;
    // Results that wait for their turn hold memory.
    return done_ > 0 && begun_ - done_ < 2 * options_.at_once;
  }

  bool CheckpointIsDue() const {
    return options_.checkpoint.save && done_ > saved_ && Clock::now() >= next_checkpoint_;
  }

  // Whoever was stopped has something to go on from; whoever kept what it learned has all of it.
  bool WantsLastCheckpoint() const { return done_ > saved_ && (!stopped_.ok() || saved_ > 0); }

  void SaveCheckpoint() {
    failure_ = options_.checkpoint.save();
    over_ |= !failure_.ok();
    saved_ = done_;
    next_checkpoint_ = After(options_.checkpoint.seconds);
  }

  void FinishInTurn() {
    for (auto next = finished_.find(done_); next != finished_.end() && failure_.ok(); next = finished_.find(done_)) {
      const Result<InTurn> finish = std::move(next->second);
      finished_.erase(next);
      failure_ = finish.ok() ? (*finish)() : finish.status();
      ++done_;
    }
    over_ |= !failure_.ok();
  }

  DataSource& source_;
  const BatchLoopOptions& options_;
  const std::function<Result<InTurn>(const Batch&)>& work_;
  std::mutex mutex_;  // of all below, and of source_
  std::condition_variable changed_;
  int64_t begun_ = 0, begun_samples_ = 0, done_ = 0;
  int64_t saved_ = 0;  // done_ at the last checkpoint
  Clock::time_point next_checkpoint_ = After(options_.checkpoint.seconds);
  std::map<int64_t, Result<InTurn>> finished_;  // by place in the stream
  bool over_ = false;                           // nothing more is begun
  Status failure_, stopped_;
  std::exception_ptr defect_;
};

}  // namespace

Status ForEachBatch(DataSource& source, const BatchLoopOptions& options,
                    const std::function<Result<InTurn>(const Batch&)>& work) {
  return BatchLoop(source, options, work).Run();
}

}  // namespace preon

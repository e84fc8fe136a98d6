#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "data/data_source.h"

namespace preon {
namespace {

using NextResult = Result<std::optional<Batch>>;

class PrefetchedSource : public DataSource {
 public:
  PrefetchedSource(std::unique_ptr<DataSource> source, int depth)
      : source_(std::move(source)),
        depth_(static_cast<size_t>(depth)),
        count_(source_->SampleCount()),
        batch_(source_->BatchSize()) {
    thread_ = std::thread([this] { Produce(); });
  }

  // Waits at most for the batch that is being read.
  ~PrefetchedSource() override {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  std::optional<int64_t> SampleCount() const override { return count_; }
  int64_t BatchSize() const override { return batch_; }

  NextResult Next() override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !ready_.empty() || ended_; });
    if (ready_.empty()) {
      if (defect_) std::rethrow_exception(std::exchange(defect_, nullptr));
      return std::optional<Batch>();
    }
    NextResult next = std::move(ready_.front());
    ready_.pop_front();
    lock.unlock();
    changed_.notify_all();
    return next;
  }

 private:
  // Reads until the end, an error, or the destructor. `source_` is this thread's alone.
  void Produce() {
    bool more = true;
    while (more) {
      NextResult next = ReadOne();
      more = next.ok() && next->has_value();
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return ready_.size() < depth_ || stopped_; });
      if (stopped_) return;
      if (more || !next.ok()) ready_.push_back(std::move(next));
      ended_ = !more;
      lock.unlock();
      changed_.notify_all();
    }
  }

  NextResult ReadOne() {
    try {
      return source_->Next();
    } catch (const std::bad_alloc&) {
      return Error(ErrorId::kOutOfMemory, "reading data: out of memory");
    } catch (...) {
      // A failed check: raised again on the caller's thread, where it is caught at the edge.
      const std::lock_guard lock(mutex_);
      defect_ = std::current_exception();
      return std::optional<Batch>();
    }
  }

  const std::unique_ptr<DataSource> source_;
  const size_t depth_;
  const std::optional<int64_t> count_;
  const int64_t batch_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<NextResult> ready_;
  bool ended_ = false, stopped_ = false;
  std::exception_ptr defect_;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<DataSource> Prefetch(std::unique_ptr<DataSource> source, int depth) {
  PREON_CHECK(depth > 0);
  return std::make_unique<PrefetchedSource>(std::move(source), depth);
}

}  // namespace preon

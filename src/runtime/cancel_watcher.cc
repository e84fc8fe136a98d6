#include "runtime/cancel_watcher.h"

#include <chrono>

namespace preon {
namespace {

constexpr std::chrono::milliseconds kInterval(20);

}  // namespace

std::shared_ptr<CancelWatcher> CancelWatcher::Shared() {
  static std::mutex mutex;
  static std::weak_ptr<CancelWatcher> current;
  const std::lock_guard lock(mutex);
  std::shared_ptr<CancelWatcher> watcher = current.lock();
  if (watcher == nullptr) current = watcher = std::make_shared<CancelWatcher>();
  return watcher;
}

CancelWatcher::~CancelWatcher() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stopping_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void CancelWatcher::Watch() {
  std::unique_lock lock(mutex_);
  while (!stopping_.wait_for(lock, kInterval, [this] { return stop_; })) {
    for (const Watched& watched : watched_) {
      if (watched.cancel->load(std::memory_order_relaxed)) watched.run->SetTerminate();
    }
  }
}

CancelWatcher::Scope::Scope(CancelWatcher& watcher, Ort::RunOptions& run, const std::atomic<bool>* cancel)
    : watcher_(watcher), run_(cancel == nullptr ? nullptr : &run) {
  if (run_ == nullptr) return;
  const std::lock_guard lock(watcher_.mutex_);
  watcher_.watched_.push_back({run_, cancel});
  if (!watcher_.thread_.joinable()) watcher_.thread_ = std::thread(&CancelWatcher::Watch, &watcher_);
}

CancelWatcher::Scope::~Scope() {
  if (run_ == nullptr) return;
  const std::lock_guard lock(watcher_.mutex_);
  std::erase_if(watcher_.watched_, [this](const Watched& watched) { return watched.run == run_; });
}

}  // namespace preon

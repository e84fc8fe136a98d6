#include "instrument/collectors.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "instrument/output_name.h"

namespace preon {
namespace {

// How long the end of the process may wait for runs on other threads, in all.
constexpr std::chrono::milliseconds kPatienceAtExit{5000};

// Leaves room for 2^32 samples, so that two collectors are most unlikely to meet.
int64_t RandomFirstSample() {
  std::random_device random;
  return int64_t{(random() & 0x3fffffff) + 1} << 32;
}

std::string WithProcessId(const std::filesystem::path& path) {
  return (path.parent_path() / path.stem()).string() + "-" + std::to_string(getpid()) + path.extension().string();
}

}  // namespace

Collectors& Collectors::OfProcess() {
  static Collectors* const shared = new Collectors;
  return *shared;
}

Collectors::Collectors() {
  SaveAtExitBeforeOthers();
  pthread_atfork([] { OfProcess().BeforeFork(); }, [] { OfProcess().AfterForkInParent(); },
                 [] { OfProcess().AfterForkInChild(); });
}

void Collectors::SaveAtExitBeforeOthers() {
  std::atexit([] { OfProcess().SaveAtExit(); });
}

CollectorFile Collectors::Add(ProcessCollector& collector) {
  const std::lock_guard lock(mutex_);
  CollectorFile file = ChooseFile(collector.pattern(), Process::kAsStarted);
  collectors_.push_back(&collector);
  return file;
}

void Collectors::Remove(ProcessCollector& collector) {
  const std::lock_guard lock(mutex_);
  std::erase(collectors_, &collector);
}

CollectorFile Collectors::ChooseFile(const std::string& pattern, Process process) {
  const bool shared_name = !HasFields(pattern);
  std::string wanted = FillPattern(pattern);
  if (shared_name && process == Process::kForked) wanted = WithProcessId(wanted);
  // A name made of fields belongs to this process alone: a file under it is of another process with the same number.
  const std::string path = FreePath(wanted, taken_, /*keep_files=*/!shared_name);
  taken_.insert(path);
  const bool alone = shared_name && process == Process::kAsStarted && path == wanted;
  return {.path = path,
          .first_sample = alone ? 0 : RandomFirstSample(),
          .keep_others = !shared_name,
          .wanted = std::move(wanted)};
}

void Collectors::SaveAtExit() {
  const std::lock_guard lock(mutex_);
  using Clock = std::chrono::steady_clock;
  const Clock::time_point deadline = Clock::now() + kPatienceAtExit;
  for (ProcessCollector* collector : collectors_) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    collector->SaveForGood(std::max(left, std::chrono::milliseconds{0}));
  }
}

void Collectors::BeforeFork() {
  mutex_.lock();
  for (ProcessCollector* collector : collectors_) collector->BeforeFork();
}

void Collectors::AfterForkInParent() {
  for (ProcessCollector* collector : collectors_) collector->AfterForkInParent();
  mutex_.unlock();
}

void Collectors::AfterForkInChild() {
  for (ProcessCollector* collector : collectors_)
    collector->AfterForkInChild(ChooseFile(collector->pattern(), Process::kForked));
  mutex_.unlock();
}

}  // namespace preon

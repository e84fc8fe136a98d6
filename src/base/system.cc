#include "base/system.h"

#include <malloc.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/cpu_quota.h"
#include "base/file.h"

namespace preon {

namespace {

std::optional<int> OwnQuota() {
  std::ifstream groups("/proc/self/cgroup");
  const std::string text{std::istreambuf_iterator<char>(groups), std::istreambuf_iterator<char>()};
  return CoresOfQuota(text, "/sys/fs/cgroup");
}

}  // namespace

int AvailableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  const bool known = sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 0;
  const int cores = known ? CPU_COUNT(&set) : 1;
  static const std::optional<int> quota = OwnQuota();  // several files: too slow for every call
  return std::min(cores, quota.value_or(cores));
}

// The system's own count (getrusage) begins with that of the process that this one was forked from.
int64_t PeakRssBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stoll(line.substr(6)) * 1024;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<int64_t>(usage.ru_maxrss) * 1024;
}

int64_t CurrentRssBytes() {
  std::ifstream statm("/proc/self/statm");
  int64_t size_pages = 0, resident_pages = 0;
  statm >> size_pages >> resident_pages;
  return resident_pages * sysconf(_SC_PAGESIZE);
}

// Linux, Documentation/scheduler/sched-stats.rst: nanoseconds on a core, nanoseconds ready without one, time slices.
double SecondsWaitedForCores() {
  double nanoseconds = 0;
  std::error_code error;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", error)) {
    std::ifstream file(thread.path() / "schedstat");
    double ran = 0, waited = 0;
    if (file >> ran >> waited) nanoseconds += waited;
  }
  return nanoseconds * 1e-9;
}

double ThreadSeconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

std::string CpuModel() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(": ") + 2);
  }
  return "";
}

std::vector<std::string> CpuFeatures() {
  std::vector<std::string> features;
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("sse4.2")) features.emplace_back("sse4.2");
  if (__builtin_cpu_supports("avx")) features.emplace_back("avx");
  if (__builtin_cpu_supports("avx2")) features.emplace_back("avx2");
  if (__builtin_cpu_supports("fma")) features.emplace_back("fma");
  if (__builtin_cpu_supports("avx512f")) features.emplace_back("avx512f");
  if (__builtin_cpu_supports("avx512bw")) features.emplace_back("avx512bw");
  if (__builtin_cpu_supports("avx512vnni")) features.emplace_back("avx512vnni");
#endif
  return features;
}

void ReleaseFreeMemory() {
  malloc_trim(0);
  ForgetMappedFiles();
}

// Left alone, glibc raises the first with every large block that is freed, until weights stay in its heap. Samples
// count as large: between small blocks, the room that one leaves soon fits no other (100 MB more after 256 images).
// Small blocks come and go in thousands: without some room the heap's end goes with them, and each comes back page by
// page.
void ReturnLargeBlocksAtOnce() {
  constexpr int kLarge = 1 << 18, kKeptRoom = 1 << 23;  // bytes
  mallopt(M_MMAP_THRESHOLD, kLarge);
  mallopt(M_TRIM_THRESHOLD, kKeptRoom);
  mallopt(M_TOP_PAD, kKeptRoom);
}

}  // namespace preon

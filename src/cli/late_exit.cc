#include "cli/late_exit.h"

#include <unistd.h>

#include <chrono>
#include <system_error>
#include <thread>

#include "cli/complaint.h"

namespace preon::cli {
namespace {

constexpr std::chrono::seconds kPatience(20);
constexpr std::chrono::milliseconds kLook(200);

}  // namespace

void ExitSoonAfterInterrupt(const std::atomic<bool>& interrupted, bool json) {
  const auto watch = [&interrupted, json] {
    while (!interrupted.load(std::memory_order_relaxed)) std::this_thread::sleep_for(kLook);
    std::this_thread::sleep_for(kPatience);
    _exit(Complain(
        Error(ErrorId::kCancelled, "interrupted: ended at once, since what was running did not end by itself"), json));
  };
  try {
    std::thread(watch).detach();
  } catch (const std::system_error&) {
    // No thread to be had: a second interrupt ends the process at once all the same.
  }
}

}  // namespace preon::cli

#include "cli/signals.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

namespace preon::cli {
namespace {

// The one thing a signal handler can reach.
std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void Interrupt(int) { interrupted.store(true, std::memory_order_relaxed); }

}  // namespace

const std::atomic<bool>* InstallSignalHandlers() {
  struct sigaction action = {};
  action.sa_handler = Interrupt;
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  for (const int number : {SIGINT, SIGTERM, SIGQUIT, SIGHUP}) {
    struct sigaction before = {};
    sigaction(number, nullptr, &before);
    if (number == SIGHUP && before.sa_handler == SIG_IGN) continue;  // nohup: the run is to go on
    sigaction(number, &action, nullptr);
  }
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);  // a file that may not grow further is an error of the write
  return &interrupted;
}

void OpenStandardStreams() {
  int fd;
  do {
    fd = open("/dev/null", O_RDWR);
  } while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd >= 0) close(fd);
}

}  // namespace preon::cli

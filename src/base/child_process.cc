#include "base/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

namespace preon {
namespace {

// What stands behind the fork, where only what is safe in a signal handler may be called: other threads may have held
// any lock. Its errors go through the pipe.
[[noreturn]] void BecomeProgram(pid_t parent, int output, char* const* arguments) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // it ended before the line above
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execv(arguments[0], arguments);
  _exit(127);
}

}  // namespace

std::string EndText(const ChildEnd& end) {
  if (end.signal == 0) return StrCat("exit status ", end.exit_status);
  return StrCat("signal ", end.signal, " (", strsignal(end.signal), ")");
}

Result<ChildProcess> ChildProcess::Start(const std::vector<std::string>& arguments) {
  const auto failed = [&] {
    return Error(ErrorId::kWorkerStart, arguments[0], ": can't start: ", std::strerror(errno));
  };
  if (access(arguments[0].c_str(), X_OK) != 0) return failed();
  std::vector<char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return failed();
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) BecomeProgram(parent, ends[1], pointers.data());
  const int saved = errno;
  close(ends[1]);
  ChildProcess child;
  child.fd_ = ends[0];
  child.pid_ = pid;
  errno = saved;
  if (pid < 0) return failed();
  fcntl(child.fd_, F_SETFL, O_NONBLOCK);
  return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      fd_(std::exchange(other.fd_, -1)),
      unfinished_(std::move(other.unfinished_)) {}

ChildProcess::~ChildProcess() {
  if (pid_ > 0) {
    Send(SIGKILL);
    Wait();
  }
  if (fd_ >= 0) close(fd_);
}

bool ChildProcess::ReadLines(std::vector<std::string>& lines) {
  char buffer[1 << 14];
  while (true) {
    const ssize_t got = read(fd_, buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno == EAGAIN;
    if (got == 0) {
      if (!unfinished_.empty()) lines.push_back(std::exchange(unfinished_, {}));
      return false;
    }
    unfinished_.append(buffer, static_cast<size_t>(got));
    for (size_t end; (end = unfinished_.find('\n')) != std::string::npos; unfinished_.erase(0, end + 1))
      lines.push_back(unfinished_.substr(0, end));
  }
}

void ChildProcess::Send(int signal) const {
  if (pid_ > 0) kill(pid_, signal);
}

ChildEnd ChildProcess::Wait() {
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  if (WIFSIGNALED(status)) return {.signal = WTERMSIG(status)};
  return {.exit_status = WEXITSTATUS(status)};
}

int64_t ChildrenRssBytes() {
  int64_t pages = 0;
  std::error_code ignored;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    std::ifstream children(thread.path() / "children");
    for (std::string pid; children >> pid;) {
      int64_t size = 0, resident = 0;
      std::ifstream("/proc/" + pid + "/statm") >> size >> resident;
      pages += resident;
    }
  }
  return pages * sysconf(_SC_PAGESIZE);
}

void ChildProcess::WaitForAny(std::span<const ChildProcess* const> children, std::chrono::milliseconds longest) {
  std::vector<pollfd> polled;
  for (const ChildProcess* child : children) polled.push_back({child->fd_, POLLIN, 0});
  poll(polled.data(), polled.size(), static_cast<int>(longest.count()));
}

}  // namespace preon

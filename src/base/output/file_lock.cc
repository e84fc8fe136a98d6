#include "base/output/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "base/folder.h"
#include "base/output/temp_name.h"

namespace preon {

LockState TryLock(int fd) {
  while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return LockState::kHeldByAnother;
    if (errno != EINTR) return LockState::kUnsupported;
  }
  return LockState::kLocked;
}

bool HasName(int fd) {
  struct stat info;
  return fstat(fd, &info) == 0 && info.st_nlink > 0;
}

OutputLock::OutputLock(const std::string& path) : path_(TempPath(path, "lock")) {
  constexpr std::chrono::seconds kPatience{10};
  constexpr std::chrono::milliseconds kPause{5};
  for (const auto over = std::chrono::steady_clock::now() + kPatience; std::chrono::steady_clock::now() < over;) {
    file_ = Descriptor(open(path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666));
    const LockState state = file_ ? TryLock(file_.get()) : LockState::kUnsupported;
    held_ = state == LockState::kLocked && HasName(file_.get());  // the holder before has removed the name
    if (held_) return;
    if (state == LockState::kUnsupported) {
      if (file_) unlink(path_.c_str());
      return;
    }
    std::this_thread::sleep_for(kPause);
  }
}

OutputLock::~OutputLock() {
  if (held_) unlink(path_.c_str());
}

}  // namespace preon

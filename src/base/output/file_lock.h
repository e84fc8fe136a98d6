// Who still needs a temporary file: its owner holds a lock, which ends with the process, however that ends.
#pragma once

#include <string>

#include "base/descriptor.h"

namespace preon {

enum class LockState { kLocked, kHeldByAnother, kUnsupported };

/// Locks an open file or folder until it is closed. Unlike a process id in a name, a lock also tells threads of one
/// process and containers that share a folder apart.
LockState TryLock(int fd);

/// Whether the open file still has a name: one that lost it before it was locked is of no use.
bool HasName(int fd);

/// Holds an output against other writers of it while several names change together: by a file in its folder that has a
/// temporary name and goes with the object.
class OutputLock {
 public:
  /// Waits for others up to 10 s: their changes take milliseconds.
  explicit OutputLock(const std::string& path);
  OutputLock(const OutputLock&) = delete;
  OutputLock& operator=(const OutputLock&) = delete;
  ~OutputLock();

  /// False where the file system has no locks.
  bool held() const { return held_; }

 private:
  std::string path_;
  Descriptor file_;
  bool held_ = false;
};

}  // namespace preon

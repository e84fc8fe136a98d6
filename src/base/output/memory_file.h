// MemoryFile: a file in memory, in no folder, for what must not get to the disk.
#pragma once

#include <string>

#include "base/descriptor.h"
#include "base/status.h"

namespace preon {

/// Gone with the object and with the process.
class MemoryFile {
 public:
  /// Errors: kIoWrite where the system has no more of them.
  static Result<MemoryFile> Create();
  /// "/proc/self/fd/N": any code in this process that takes a path can write and read it.
  std::string path() const;

 private:
  explicit MemoryFile(Descriptor file) : file_(std::move(file)) {}
  Descriptor file_;
};

/// Is it the path of such a file? The calling program's (memfd_create) are, too.
bool IsMemoryFile(const std::string& path);

}  // namespace preon

// TempDir: a folder for temporary files that goes with the object, or with the next one after a kill.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "base/output/memory_file.h"
#include "base/status.h"

namespace preon {

/// A fresh folder `preon-<16 digits>` below `parent`, for its owner alone, removed with all it holds by the destructor.
/// Create() also removes those of this user whose process was killed. Below kInMemory (base/context.h) it has files in
/// memory: no file finds another one beside it there.
class TempDir {
 public:
  /// Errors: kIoWrite.
  static Result<TempDir> Create(const std::string& parent);
  TempDir(TempDir&&) noexcept;
  TempDir& operator=(TempDir&&) = delete;
  ~TempDir();
  const std::string& path() const { return path_; }
  /// The path of this name in it. In memory the file is there at once; where the system has no more of them, writing to
  /// the path fails.
  std::string File(std::string_view name) const;

 private:
  TempDir() = default;
  std::string path_;
  Descriptor folder_;  // locked: others see that somebody needs it
  mutable std::map<std::string, MemoryFile, std::less<>> in_memory_;
};

}  // namespace preon

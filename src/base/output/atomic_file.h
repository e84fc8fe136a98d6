// AtomicFile: the one writer of all outputs; a file is whole or absent. docs/design/output-files.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "base/status.h"

namespace preon {

/// Removes the temporary files that killed processes left for outputs at `path`.
void RemoveLeftovers(const std::string& path);

/// Writes a file that is whole or absent: into a temporary file in the same folder, fsync, rename. Without Commit()
/// the destructor removes the temporary file. Where `path` is a symbolic link, the file behind it is written; a file in
/// memory (memory_file.h) is written in its place.
class AtomicFile {
 public:
  /// Removes leftovers, too. Errors: kOutputFolder if the folder does not exist, kIoWrite.
  static Result<AtomicFile> Open(const std::string& path);
  AtomicFile(AtomicFile&&) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  Status Write(std::span<const std::byte> bytes);
  Status Write(std::string_view text);
  int64_t size_bytes() const { return size_bytes_; }
  /// Where the file will be, links resolved.
  const std::string& path() const { return path_; }
  const std::string& temp_path() const { return temp_path_; }

  /// Flushes to disk and gives the file its name. Errors: kIoWrite; what had the name before has it still.
  Status Commit();
  /// The same under another name in the same folder, which nothing else may have. A file that is there already and
  /// holds the same bytes will do. Errors: kIoWrite.
  Status CommitAs(const std::string& path);
  /// The same, but false where anything has that name: it is not looked at, and other names may be tried.
  Result<bool> CommitNew(const std::string& path);
  /// Removes what a commit has made, unless it replaced something: that is gone.
  void Undo();

 private:
  AtomicFile() = default;
  void DropTemp();
  Result<bool> GiveName(const std::string& path);

  std::string path_, temp_path_;
  Descriptor fd_;  // locked: others see that the temporary file is needed
  int64_t size_bytes_ = 0;
  bool is_new_ = false;
};

/// A file with all its bytes that has no name yet.
Result<AtomicFile> StageFile(const std::string& path, std::string_view bytes);
/// One-call form of AtomicFile.
Status WriteFileAtomically(const std::string& path, std::string_view bytes);

}  // namespace preon

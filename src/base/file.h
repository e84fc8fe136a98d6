// Files: read whole, map, write so that the output is whole or absent, temporary folders.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"

namespace preon {

/// The file's bytes, mapped read-only; the mapping lives as long as a copy of `owner`.
struct MappedFile {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

/// Errors: kIoRead with the system's reason.
Result<std::string> ReadFile(const std::string& path);
Result<MappedFile> MapFile(const std::string& path);

/// Takes the whole pages of a part of a mapped file out of this process's memory; they come back when they are read.
void ForgetPages(std::span<const std::byte> mapped);

/// Removes the temporary files that killed processes left for an AtomicFile at `path`.
void RemoveLeftovers(const std::string& path);

/// Writes a file that is whole or absent: into a temporary file beside `path`, fsync, rename. Without Commit()
/// the destructor removes the temporary file. A leftover of a killed process is named `.<file>.preon-tmp-<pid>`;
/// Open() removes those whose process is gone.
class AtomicFile {
 public:
  /// Errors: kOutputFolder if the folder does not exist, kIoWrite.
  static Result<AtomicFile> Open(const std::string& path);
  AtomicFile(AtomicFile&&) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  Status Write(std::span<const std::byte> bytes);
  Status Write(std::string_view text);
  /// Where the bytes are until Commit(); another writer may replace the file's content there.
  const std::string& temp_path() const { return temp_path_; }
  /// Flushes to disk and gives the file its name.
  Status Commit();

 private:
  AtomicFile() = default;
  std::string path_, temp_path_;
  int fd_ = -1;
};

/// One-call form of AtomicFile.
Status WriteFileAtomically(const std::string& path, std::string_view bytes);

/// A fresh folder below `parent`, removed with all it holds by the destructor.
class TempDir {
 public:
  static Result<TempDir> Create(const std::string& parent);
  TempDir(TempDir&&) noexcept;
  TempDir& operator=(TempDir&&) = delete;
  ~TempDir();
  const std::string& path() const { return path_; }
  std::string File(std::string_view name) const;

 private:
  TempDir() = default;
  std::string path_;
};

}  // namespace preon

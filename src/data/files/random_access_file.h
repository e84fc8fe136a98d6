// RandomAccessFile: reads parts of a file by offset. Not mapped: mapped pages would count as this process's memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/status.h"

namespace preon {

/// An open file; closed by the destructor.
class RandomAccessFile {
 public:
  /// Errors: kDataNotFound (also of a folder, pipe or device), kIoRead with the system's reason.
  static Result<RandomAccessFile> Open(const std::string& path);
  RandomAccessFile(RandomAccessFile&& other) noexcept;
  RandomAccessFile& operator=(RandomAccessFile&&) = delete;
  ~RandomAccessFile();

  const std::string& path() const { return path_; }
  uint64_t size_bytes() const { return size_bytes_; }
  /// Which file it was, and in which state, when it was opened: device, inode, size, time of the last change.
  using Version = std::array<uint64_t, 5>;
  const Version& version() const { return version_; }
  /// Fills `to`. Errors: kDataMalformed if the file ends before, kIoRead.
  Status ReadAt(uint64_t offset, std::span<std::byte> to) const;
  Result<std::string> ReadAll() const;

 private:
  RandomAccessFile(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}

  std::string path_;
  int fd_;
  uint64_t size_bytes_ = 0;
  Version version_ = {};
};

}  // namespace preon

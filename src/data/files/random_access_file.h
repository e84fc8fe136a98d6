// RandomAccessFile: reads parts of a file by offset. Not mapped: mapped pages would count as this process's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/status.h"

namespace preon {

/// An open file; closed by the destructor.
class RandomAccessFile {
 public:
  /// Errors: kDataNotFound, kIoRead with the system's reason.
  static Result<RandomAccessFile> Open(const std::string& path);
  RandomAccessFile(RandomAccessFile&& other) noexcept;
  RandomAccessFile& operator=(RandomAccessFile&&) = delete;
  ~RandomAccessFile();

  const std::string& path() const { return path_; }
  uint64_t size_bytes() const { return size_bytes_; }
  /// Fills `to`. Errors: kDataMalformed if the file ends before, kIoRead.
  Status ReadAt(uint64_t offset, std::span<std::byte> to) const;

 private:
  RandomAccessFile(std::string path, int fd, uint64_t size_bytes)
      : path_(std::move(path)), fd_(fd), size_bytes_(size_bytes) {}

  std::string path_;
  int fd_;
  uint64_t size_bytes_;
};

}  // namespace preon

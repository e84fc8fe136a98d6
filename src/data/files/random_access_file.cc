#include "data/files/random_access_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace preon {
namespace {

Status ReadError(const std::string& path) {
  return Error(ErrorId::kIoRead, path, ": can't read: ", std::strerror(errno));
}

}  // namespace

Result<RandomAccessFile> RandomAccessFile::Open(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // of a pipe, too, it returns at once
  if (fd < 0 && errno == ENOENT) return Error(ErrorId::kDataNotFound, path, ": no such file or folder");
  if (fd < 0) return ReadError(path);
  RandomAccessFile file(path, fd);
  struct stat info;
  if (fstat(fd, &info) != 0) return ReadError(path);
  if (!S_ISREG(info.st_mode)) return Error(ErrorId::kDataNotFound, path, ": is not a file");
  file.size_bytes_ = static_cast<uint64_t>(info.st_size);
  file.version_ = {info.st_dev, info.st_ino, file.size_bytes_, static_cast<uint64_t>(info.st_ctim.tv_sec),
                   static_cast<uint64_t>(info.st_ctim.tv_nsec)};
  return file;
}

RandomAccessFile::RandomAccessFile(RandomAccessFile&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      size_bytes_(other.size_bytes_),
      version_(other.version_) {}

RandomAccessFile::~RandomAccessFile() {
  if (fd_ >= 0) close(fd_);
}

Result<std::string> RandomAccessFile::ReadAll() const {
  std::string bytes(size_bytes_, '\0');
  PREON_RETURN_IF_ERROR(ReadAt(0, std::as_writable_bytes(std::span(bytes))));
  return bytes;
}

Status RandomAccessFile::ReadAt(uint64_t offset, std::span<std::byte> to) const {
  if (offset > size_bytes_ || to.size() > size_bytes_ - offset) {
    return Error(ErrorId::kDataMalformed, path_, ": cut short: wanted ", to.size(), " bytes at offset ", offset,
                 ", the file has ", size_bytes_);
  }
  while (!to.empty()) {
    const ssize_t got = pread(fd_, to.data(), to.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ReadError(path_);
    if (got == 0) return Error(ErrorId::kDataMalformed, path_, ": cut short while it was read");
    offset += static_cast<uint64_t>(got);
    to = to.subspan(static_cast<size_t>(got));
  }
  return Status::Ok();
}

}  // namespace preon

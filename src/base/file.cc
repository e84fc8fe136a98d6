#include "base/file.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "base/descriptor.h"

namespace preon {
namespace {

Status ReadError(const std::string& path) {
  if (errno == ENOENT) return Error(ErrorId::kFileNotFound, path, ": no such file");
  if (errno == EISDIR) return Error(ErrorId::kFileNotFound, path, ": is a folder; wanted a file");
  return Error(errno == ENOMEM ? ErrorId::kOutOfMemory : ErrorId::kIoRead, path,
               ": can't read: ", std::strerror(errno));
}

// What is mapped now.
class Mappings {
 public:
  static Mappings& Get() {
    static auto* const mappings = new Mappings;  // files may be unmapped at exit
    return *mappings;
  }
  void Add(void* memory, size_t size) {
    const std::lock_guard lock(mutex_);
    sizes_.emplace(memory, size);
  }
  void Unmap(void* memory, size_t size) {
    const std::lock_guard lock(mutex_);
    sizes_.erase(memory);
    munmap(memory, size);
  }
  void Forget() {
    const std::lock_guard lock(mutex_);
    for (const auto& [memory, size] : sizes_) ForgetPages({static_cast<const std::byte*>(memory), size});
  }

 private:
  std::mutex mutex_;
  std::map<void*, size_t> sizes_;
};

}  // namespace

Result<std::string> ReadFile(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return ReadError(path);
  std::string text;
  struct stat info;
  if (fstat(file.get(), &info) == 0 && info.st_size > 0) text.reserve(static_cast<size_t>(info.st_size));
  char buffer[1 << 16];
  ssize_t got;
  while ((got = read(file.get(), buffer, sizeof(buffer))) > 0) text.append(buffer, static_cast<size_t>(got));
  if (got < 0) return ReadError(path);
  return text;
}

Result<size_t> ReadBegin(const std::string& path, std::span<std::byte> bytes) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return ReadError(path);
  size_t size = 0;
  while (size < bytes.size()) {
    const ssize_t got = read(file.get(), bytes.data() + size, bytes.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ReadError(path);
    if (got == 0) break;
    size += static_cast<size_t>(got);
  }
  return size;
}

Result<MappedFile> MapFile(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info;
  if (!file || fstat(file.get(), &info) != 0) return ReadError(path);
  const size_t size = static_cast<size_t>(info.st_size);
  if (size == 0) return MappedFile{};
  void* memory = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (memory == MAP_FAILED) return ReadError(path);
  Mappings::Get().Add(memory, size);
  std::shared_ptr<const void> owner(memory, [size](void* p) { Mappings::Get().Unmap(p, size); });
  return MappedFile{{static_cast<const std::byte*>(memory), size}, std::move(owner)};
}

void ForgetPages(std::span<const std::byte> mapped) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = (reinterpret_cast<uintptr_t>(mapped.data()) + page - 1) / page * page;
  const auto end = reinterpret_cast<uintptr_t>(mapped.data() + mapped.size()) / page * page;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);  // advice: may be ignored
}

void ForgetMappedFiles() { Mappings::Get().Forget(); }

void HasReadMapped(size_t bytes) {
  constexpr size_t kMostBytes = size_t{64} << 20;
  static std::atomic<size_t> read = 0;
  if (read.fetch_add(bytes) + bytes < kMostBytes) return;
  read = 0;
  ForgetMappedFiles();
}

}  // namespace preon

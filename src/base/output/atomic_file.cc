#include "base/output/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/folder.h"
#include "base/output/file_lock.h"
#include "base/output/memory_file.h"
#include "base/output/side_file.h"
#include "base/output/temp_name.h"

namespace preon {
namespace fs = std::filesystem;
namespace {

Status WriteError(const std::string& path) {
  return Error(ErrorId::kIoWrite, path, ": can't write: ", std::strerror(errno));
}

// Where a write to `path` ends up. A rename would put the file in a link's place.
Result<std::string> BehindLinks(fs::path path) {
  constexpr int kMaxLinks = 40;  // Linux's limit
  const std::string given = path.string();
  std::error_code error;
  for (int link = 0; fs::is_symlink(path, error); ++link) {
    if (link == kMaxLinks)
      return Error(ErrorId::kIoWrite, given, ": can't write: symbolic links form a loop; remove them");
    path = path.parent_path() / fs::read_symlink(path, error);
  }
  return path.string();
}

// Renames only where nothing has the new name: otherwise EEXIST.
int RenameNew(const std::string& from, const std::string& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return -1;
  // A file system without that call, such as NFS, where a second name is as good: the first one is taken away then.
  if (link(from.c_str(), to.c_str()) == 0) {
    unlink(from.c_str());  // where that fails, the next writer of the output clears it up
    return 0;
  }
  if (errno == EEXIST) return -1;
  // Without links, too, such as FAT: what others put there in between is lost.
  struct stat info;
  if (lstat(to.c_str(), &info) == 0) {
    errno = EEXIST;
    return -1;
  }
  return rename(from.c_str(), to.c_str());
}

bool SameBytes(const std::string& one_path, const std::string& other_path) {
  const Descriptor one = OpenForReading(one_path), other = OpenForReading(other_path);
  std::vector<char> bytes(1 << 16), others(1 << 16);
  for (off_t place = 0; one && other;) {
    const ssize_t got = pread(one.get(), bytes.data(), bytes.size(), place);
    if (got < 0 || pread(other.get(), others.data(), others.size(), place) != got) return false;
    if (std::memcmp(bytes.data(), others.data(), static_cast<size_t>(got)) != 0) return false;
    if (got == 0) return true;
    place += got;
  }
  return false;
}

}  // namespace

void RemoveLeftovers(const std::string& path) {
  const std::string prefix = TempPrefix(path);
  for (const fs::directory_entry& entry : EntriesOf(FolderOf(path))) {
    if (!entry.path().filename().string().starts_with(prefix)) continue;
    const Descriptor file = OpenForReading(entry.path().string());
    struct stat info;
    if (!file || fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    if (TryLock(file.get()) != LockState::kLocked) continue;
    RemoveSideFiles(path, file.get());  // killed between the names of a side file and its model
    unlink(entry.path().c_str());
  }
}

Result<AtomicFile> AtomicFile::Open(const std::string& given_path) {
  if (IsMemoryFile(given_path)) {
    AtomicFile file;
    file.path_ = given_path;
    file.fd_ = Descriptor(open(given_path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
    if (!file.fd_) return WriteError(given_path);
    return file;
  }
  std::error_code error;
  // A rename would put a file in the place of a device or a pipe. /dev/stdout may be a link to a pipe without a name.
  const fs::file_status status = fs::status(given_path, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    return Error(ErrorId::kIoWrite, given_path, ": can't write: is ",
                 fs::is_directory(status) ? "a folder" : "no regular file");
  }
  PREON_ASSIGN_OR_RETURN(const std::string path, BehindLinks(given_path));
  const std::string folder = FolderOf(path);
  if (!fs::is_directory(folder, error)) {
    return Error(ErrorId::kOutputFolder, path, ": the folder '", folder, "' does not exist; make it first");
  }
  RemoveLeftovers(path);
  while (true) {
    AtomicFile file;
    file.path_ = path;
    const std::string temp = TempPath(path, RandomDigits());
    file.fd_ = Descriptor(open(temp.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (!file.fd_) return WriteError(path);
    file.temp_path_ = temp;
    // Until it is locked, another process may take the file for a leftover.
    if (TryLock(file.fd_.get()) != LockState::kHeldByAnother && HasName(file.fd_.get())) return file;
  }
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      temp_path_(std::exchange(other.temp_path_, {})),
      fd_(std::move(other.fd_)),
      size_bytes_(other.size_bytes_),
      is_new_(std::exchange(other.is_new_, false)) {}

AtomicFile::~AtomicFile() { DropTemp(); }

void AtomicFile::DropTemp() {
  if (!temp_path_.empty()) unlink(temp_path_.c_str());
  temp_path_.clear();
  fd_ = {};
}

Status AtomicFile::Write(std::span<const std::byte> bytes) {
  size_bytes_ += static_cast<int64_t>(bytes.size());
  while (!bytes.empty()) {
    const ssize_t written = write(fd_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return WriteError(path_);
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return Status::Ok();
}

Status AtomicFile::Write(std::string_view text) { return Write(std::as_bytes(std::span(text.data(), text.size()))); }

// The lock stays until the name is given: nobody takes the file for a leftover in between.
Status AtomicFile::Commit() {
  if (temp_path_.empty()) return Status::Ok();  // in memory: nobody else sees how it grows
  if (fsync(fd_.get()) != 0) return WriteError(path_);
  is_new_ = RenameNew(temp_path_, path_) == 0;
  if (!is_new_ && (errno != EEXIST || rename(temp_path_.c_str(), path_.c_str()) != 0)) return WriteError(path_);
  temp_path_.clear();
  DropTemp();
  FlushFolder(FolderOf(path_));  // a file system may not know it; old or new, the file is whole
  return Status::Ok();
}

// False where something has the name.
Result<bool> AtomicFile::GiveName(const std::string& path) {
  if (fsync(fd_.get()) != 0) return WriteError(path);
  is_new_ = RenameNew(temp_path_, path) == 0;
  if (!is_new_ && errno != EEXIST) return WriteError(path);
  if (!is_new_) return false;
  path_ = path;
  temp_path_.clear();
  DropTemp();
  return true;
}

Status AtomicFile::CommitAs(const std::string& path) {
  PREON_ASSIGN_OR_RETURN(const bool named, GiveName(path));
  if (named) return Status::Ok();
  if (!SameBytes(temp_path_, path)) {
    return Error(ErrorId::kIoWrite, path,
                 ": can't write: another file has this name; move it away or choose another output");
  }
  path_ = path;
  DropTemp();
  return Status::Ok();
}

Result<bool> AtomicFile::CommitNew(const std::string& path) {
  PREON_ASSIGN_OR_RETURN(const bool named, GiveName(path));
  if (named) FlushFolder(FolderOf(path));
  return named;
}

void AtomicFile::Undo() {
  if (std::exchange(is_new_, false)) unlink(path_.c_str());
}

Result<AtomicFile> StageFile(const std::string& path, std::string_view bytes) {
  PREON_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::Open(path));
  PREON_RETURN_IF_ERROR(file.Write(bytes));
  return file;
}

Status WriteFileAtomically(const std::string& path, std::string_view bytes) {
  PREON_ASSIGN_OR_RETURN(AtomicFile file, StageFile(path, bytes));
  return file.Commit();
}

}  // namespace preon

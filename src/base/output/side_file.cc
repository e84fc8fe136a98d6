#include "base/output/side_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>

#include "base/descriptor.h"
#include "base/folder.h"
#include "base/output/file_lock.h"
#include "base/output/temp_name.h"

namespace preon {
namespace fs = std::filesystem;
namespace {

constexpr size_t kHashDigits = 16;
constexpr std::string_view kEnding = ".data";

// Nothing where the file can't be read to its end.
std::optional<bool> Names(int fd, std::string_view name) {
  std::string window;
  char bytes[1 << 16];
  ssize_t got = 0;
  for (off_t place = 0; (got = pread(fd, bytes, sizeof(bytes), place)) > 0; place += got) {
    window.append(bytes, static_cast<size_t>(got));
    if (window.find(name) != std::string::npos) return true;
    if (window.size() > name.size()) window.erase(0, window.size() - name.size());
  }
  return got == 0 ? std::optional(false) : std::nullopt;
}

// Files that can't be read count: what is in doubt stays.
bool MayName(const fs::directory_entry& entry, std::string_view name) {
  constexpr char kFirstOfModel = 0x08;  // protobuf's mark of ModelProto.ir_version
  std::error_code error;
  if (IsTempName(entry.path().filename().string()) || !entry.is_regular_file(error)) return false;
  const Descriptor file(open(entry.path().c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  char first = 0;
  if (!file || pread(file.get(), &first, 1, 0) < 0) return true;
  return first == kFirstOfModel && Names(file.get(), name).value_or(true);
}

bool IsSideFileOf(const std::string& model_name, const fs::directory_entry& entry) {
  std::error_code error;
  const std::string name = entry.path().filename().string();
  const std::string start = model_name + ".";
  return name.size() == start.size() + kHashDigits + kEnding.size() && name.starts_with(start) &&
         name.ends_with(kEnding) && AreRandomDigits(std::string_view(name).substr(start.size(), kHashDigits)) &&
         !entry.is_symlink(error) && entry.is_regular_file(error) && entry.hard_link_count(error) == 1;
}

std::vector<fs::directory_entry> SideFilesOf(const std::string& path) {
  std::vector<fs::directory_entry> sides = EntriesOf(FolderOf(path));
  const std::string model_name = fs::path(path).filename().string();
  std::erase_if(sides, [&](const fs::directory_entry& entry) { return !IsSideFileOf(model_name, entry); });
  return sides;
}

}  // namespace

std::string SideFilePath(const std::string& path, const std::string& digest) {
  return path + "." + digest.substr(0, kHashDigits) + std::string(kEnding);
}

bool HasSideFiles(const std::string& path) { return !SideFilesOf(path).empty(); }

void RemoveSideFilesLocked(const std::string& path, int gone, const std::vector<std::string>& inputs) {
  for (const fs::directory_entry& side : SideFilesOf(path)) {
    const std::string name = side.path().filename().string();
    if (!Names(gone, name).value_or(false)) continue;
    const std::vector<fs::directory_entry> others = EntriesOf(FolderOf(path));
    std::error_code error;
    const bool needed =
        std::ranges::any_of(inputs, [&](const std::string& input) { return fs::equivalent(side, input, error); }) ||
        std::ranges::any_of(others, [&](const fs::directory_entry& other) { return MayName(other, name); });
    if (!needed) fs::remove(side, error);
  }
}

void RemoveSideFiles(const std::string& path, int gone) {
  const std::vector<fs::directory_entry> sides = SideFilesOf(path);
  const auto named = [&](const fs::directory_entry& side) {
    return Names(gone, side.path().filename().string()).value_or(false);
  };
  if (std::ranges::none_of(sides, named)) return;
  const OutputLock lock(path);
  if (lock.held()) RemoveSideFilesLocked(path, gone, {});
}

}  // namespace preon

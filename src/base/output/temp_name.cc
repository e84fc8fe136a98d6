#include "base/output/temp_name.h"

#include <sys/random.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <random>

#include "base/folder.h"

namespace preon {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kMarker = ".preon-tmp-";
constexpr size_t kDigits = 16;
constexpr size_t kLongestName = 200;  // of 255 that file systems take, with room for marker and digits

}  // namespace

std::string RandomDigits() {
  uint64_t value = 0;
  if (getrandom(&value, sizeof(value), 0) != sizeof(value)) {
    std::random_device device;
    value = static_cast<uint64_t>(device()) << 32 | device();
  }
  char digits[kDigits + 1];
  std::snprintf(digits, sizeof(digits), "%016llx", static_cast<unsigned long long>(value));
  return digits;
}

bool AreRandomDigits(std::string_view text) {
  return text.size() == kDigits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string TempPrefix(const std::string& path) {
  return "." + fs::path(path).filename().string().substr(0, kLongestName) + std::string(kMarker);
}

std::string TempPath(const std::string& path, const std::string& ending) {
  return FolderOf(path) + "/" + TempPrefix(path) + ending;
}

bool IsTempName(std::string_view name) { return name.starts_with('.') && name.find(kMarker) != std::string_view::npos; }

}  // namespace preon

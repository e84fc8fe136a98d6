#include "instrument/output_name.h"

#include <unistd.h>

#include <filesystem>

#include "base/hash.h"

namespace preon {
namespace fs = std::filesystem;

namespace {

std::string HostName() {
  char name[256] = "";
  gethostname(name, sizeof(name) - 1);
  return name;
}

}  // namespace

Status CheckOutputPattern(const std::string& pattern) {
  for (size_t at = pattern.find('%'); at != std::string::npos; at = pattern.find('%', at + 2)) {
    const char field = at + 1 < pattern.size() ? pattern[at + 1] : '\0';
    if (field == 'p' || field == 'h' || field == '%') continue;
    return Error(ErrorId::kBadOptionValue, "got '", pattern,
                 "', wanted a name whose fields are %p (process), %h (host) or %%");
  }
  return Status::Ok();
}

Result<std::string> OutputPattern(const std::string& folder_or_pattern, std::string_view description) {
  std::error_code ignored;
  if (!folder_or_pattern.ends_with('/') && !fs::is_directory(folder_or_pattern, ignored)) {
    PREON_RETURN_IF_ERROR(CheckOutputPattern(folder_or_pattern));
    return folder_or_pattern;
  }
  std::string folder;
  for (const char c : folder_or_pattern) folder += c == '%' ? "%%" : std::string(1, c);
  return (fs::path(folder) / (Sha256Hex(description).substr(0, 16) + "-%p.calib")).string();
}

bool HasFields(const std::string& pattern) {
  return pattern.find("%p") != std::string::npos || pattern.find("%h") != std::string::npos;
}

std::string FillPattern(const std::string& pattern) {
  std::string path;
  for (size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] != '%' || at + 1 == pattern.size()) {
      path += pattern[at];
      continue;
    }
    const char field = pattern[++at];
    path += field == 'p' ? std::to_string(getpid()) : field == 'h' ? HostName() : "%";
  }
  std::error_code ignored;
  return fs::absolute(path, ignored).lexically_normal().string();
}

std::string FreePath(const std::string& path, const std::set<std::string>& taken, bool keep_files) {
  const fs::path given(path);
  std::string name = path;
  std::error_code ignored;
  for (int number = 2; taken.contains(name) || (keep_files && fs::exists(fs::symlink_status(name, ignored)));
       ++number) {
    name = (given.parent_path() / given.stem()).string() + "-" + std::to_string(number) + given.extension().string();
  }
  return name;
}

}  // namespace preon

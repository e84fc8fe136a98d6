#include "base/folder.h"

#include "base/descriptor.h"

namespace preon {
namespace fs = std::filesystem;

std::string FolderOf(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

std::vector<fs::directory_entry> EntriesOf(const std::string& folder) {
  std::vector<fs::directory_entry> entries;
  std::error_code ignored;
  for (fs::directory_iterator entry(folder, ignored), end; !ignored && entry != end; entry.increment(ignored))
    entries.push_back(*entry);
  return entries;
}

bool FlushFolder(const std::string& folder) {
  const Descriptor opened(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return opened && fsync(opened.get()) == 0;
}

}  // namespace preon

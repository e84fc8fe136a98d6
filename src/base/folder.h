// The folder that a file lies in, and what lies in a folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace preon {

/// `.` for a name without a folder.
std::string FolderOf(const std::string& path);

/// In no particular order; empty where it can't be read.
std::vector<std::filesystem::directory_entry> EntriesOf(const std::string& folder);

/// Flushes the names in a folder to disk; false where that did not work.
bool FlushFolder(const std::string& folder);

}  // namespace preon

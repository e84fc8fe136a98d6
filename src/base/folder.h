// The folder that a file lies in.
#pragma once

#include <string>

namespace preon {

/// `.` for a name without a folder.
std::string FolderOf(const std::string& path);

/// Flushes the names in a folder to disk; false where that did not work.
bool FlushFolder(const std::string& folder);

}  // namespace preon

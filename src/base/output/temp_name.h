// Names of temporary files and folders: nobody can foresee them, and whoever comes later knows them.
#pragma once

#include <string>
#include <string_view>

namespace preon {

/// 16 hexadecimal digits by chance.
std::string RandomDigits();
bool AreRandomDigits(std::string_view text);

/// What the temporary names of a file at `path` begin with; RandomDigits() follow. They lie in the same folder.
std::string TempPrefix(const std::string& path);
/// A path with such a name.
std::string TempPath(const std::string& path, const std::string& ending);
/// A temporary name of any file.
bool IsTempName(std::string_view name);

}  // namespace preon

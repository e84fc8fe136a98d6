// Names of the files that processes collect into.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "base/status.h"

namespace preon {

/// Fields of a pattern: %p process, %h host, %% a percent sign. Errors: kBadOptionValue for any other.
Status CheckOutputPattern(const std::string& pattern);
/// The pattern for what the server says: itself, or for a folder (one that is there, or a name that ends in '/') one in
/// it of a hash of the model's description and the process: no model chooses a name. Errors: kBadOptionValue.
Result<std::string> OutputPattern(const std::string& folder_or_pattern, std::string_view description);
bool HasFields(const std::string& pattern);

/// The pattern filled in, as an absolute path; it has no other fields than those above.
std::string FillPattern(const std::string& pattern);

/// `path`, or the first of path-2, path-3, … (in front of the extension) that is not `taken`, nor there in the file
/// system where `keep_files`.
std::string FreePath(const std::string& path, const std::set<std::string>& taken, bool keep_files);

}  // namespace preon

// Names of the files that processes collect into.
#pragma once

#include <set>
#include <string>

#include "base/status.h"

namespace preon {

/// Fields of a pattern: %p process, %h host, %% a percent sign. Errors: kBadOptionValue for any other.
Status CheckOutputPattern(const std::string& pattern);
bool HasFields(const std::string& pattern);

/// The pattern filled in, as an absolute path; it has no other fields than those above.
std::string FillPattern(const std::string& pattern);

/// `path`, or the first of path-2, path-3, … (in front of the extension) that is not `taken`, nor there as a file where
/// `keep_files`.
std::string FreePath(const std::string& path, const std::set<std::string>& taken, bool keep_files);

}  // namespace preon

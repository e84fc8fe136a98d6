// Side files: the weights of a model beside it, in a file that the model names. docs/design/output-files.md
#pragma once

#include <string>
#include <vector>

namespace preon {

/// The name of a side file holds a hash of what is in it, so no other content is ever written under that name.
/// @param digest  64 hexadecimal digits
std::string SideFilePath(const std::string& path, const std::string& digest);

bool HasSideFiles(const std::string& path);

/// Removes side files of the model at `path` that the open file `gone` names and no other file of the folder does.
/// `gone` itself has no name any more, or a temporary one.
void RemoveSideFiles(const std::string& path, int gone);
/// The same for the holder of an OutputLock: no other model is about to name one of them.
/// @param inputs  files that are never removed
void RemoveSideFilesLocked(const std::string& path, int gone, const std::vector<std::string>& inputs);

}  // namespace preon

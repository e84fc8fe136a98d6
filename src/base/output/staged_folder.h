// StagedFolder: several files that belong together, finished before the first of them gets its place.
#pragma once

#include <string>
#include <string_view>

#include "base/output/temp_dir.h"

namespace preon {

class StagedFolder {
 public:
  /// @param folder  made by Commit() where it is missing; its parent has to be there. Errors: kIoWrite.
  static Result<StagedFolder> Open(const std::string& folder);

  /// Where to write a file of this name.
  std::string File(std::string_view name) const { return temp_.File(name); }
  /// Moves all files into the folder; they replace those of the same names, others stay. Errors: kIoWrite.
  Status Commit();

 private:
  StagedFolder(std::string folder, TempDir temp) : folder_(std::move(folder)), temp_(std::move(temp)) {}

  std::string folder_;
  TempDir temp_;  // on the same file system: a rename is all or nothing
};

}  // namespace preon

#include "base/output/staged_folder.h"

#include <filesystem>
#include <utility>

#include "base/folder.h"

namespace preon {
namespace fs = std::filesystem;

Result<StagedFolder> StagedFolder::Open(const std::string& folder) {
  std::error_code ignored;
  const fs::path target = fs::absolute(folder, ignored).lexically_normal();
  const fs::path parent = target.has_filename() ? target.parent_path() : target.parent_path().parent_path();
  PREON_ASSIGN_OR_RETURN(TempDir temp, TempDir::Create(parent.string()));
  return StagedFolder(target.string(), std::move(temp));
}

Status StagedFolder::Commit() {
  std::error_code error;
  fs::create_directory(folder_, error);
  for (const fs::directory_entry& entry : EntriesOf(temp_.path())) {
    if (!error) fs::rename(entry.path(), fs::path(folder_) / entry.path().filename(), error);
  }
  if (!error) return Status::Ok();
  return Error(ErrorId::kIoWrite, folder_, ": can't write: ", error.message());
}

}  // namespace preon

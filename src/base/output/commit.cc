#include "base/output/commit.h"

#include <unistd.h>

#include "base/descriptor.h"
#include "base/folder.h"
#include "base/output/file_lock.h"
#include "base/output/side_file.h"
#include "base/output/temp_name.h"

namespace preon {
namespace {

// What has the name of an output before a commit. It keeps a temporary name until its side file is gone: from a killed
// process the next one learns by it what is to be removed.
class ReplacedFile {
 public:
  explicit ReplacedFile(const std::string& path) : file_(OpenForReading(path)), name_(TempPath(path, RandomDigits())) {
    named_ = file_ && link(path.c_str(), name_.c_str()) == 0;
  }
  ReplacedFile(const ReplacedFile&) = delete;
  ReplacedFile& operator=(const ReplacedFile&) = delete;
  ~ReplacedFile() {
    if (named_) unlink(name_.c_str());
  }
  const Descriptor& file() const { return file_; }

 private:
  Descriptor file_;
  std::string name_;
  bool named_ = false;  // not on a file system without hard links
};

}  // namespace

Status CommitAll(std::vector<AtomicFile>& files, const std::function<Status()>& last) {
  Status status;
  for (auto file = files.begin(); file != files.end() && status.ok(); ++file) status = file->Commit();
  if (status.ok()) status = last();
  if (status.ok()) return status;
  for (AtomicFile& file : files) file.Undo();
  return status;
}

Status CommitWithSideFile(AtomicFile& model, AtomicFile* side, const std::string& side_path,
                          const std::vector<std::string>& inputs) {
  const std::string folder = FolderOf(model.path());
  if (side == nullptr && !HasSideFiles(model.path())) return model.Commit();
  const OutputLock lock(model.path());  // nobody removes the side file between its name and the model's
  const ReplacedFile replaced(model.path());
  if (side != nullptr) {
    PREON_RETURN_IF_ERROR(side->CommitAs(side_path));
    FlushFolder(folder);  // a model is never on the disk without its weights
  }
  const Status status = model.Commit();
  if (!status.ok() && side != nullptr) side->Undo();
  if (status.ok() && lock.held() && replaced.file() && FlushFolder(folder))
    RemoveSideFilesLocked(model.path(), replaced.file().get(), inputs);
  return status;
}

}  // namespace preon

#include "instrument/collector_file.h"

#include <sys/stat.h>

#include "base/output/atomic_file.h"
#include "calib/calib_file.h"
#include "instrument/output_name.h"

namespace preon {
namespace {

std::optional<FileMark> MarkOf(const std::string& path) {
  struct stat info;
  if (lstat(path.c_str(), &info) != 0) return std::nullopt;
  return FileMark{info.st_dev, info.st_ino, int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec};
}

}  // namespace

Status SaveCollected(const CalibrationData& data, CollectorFile& file) {
  PREON_ASSIGN_OR_RETURN(AtomicFile staged, StageFile(file.path, SerializeCalibration(data)));
  const bool own = file.written && MarkOf(file.path) == file.written;
  if (!file.keep_others || own) {
    PREON_RETURN_IF_ERROR(staged.Commit());
  } else {
    PREON_ASSIGN_OR_RETURN(bool named, staged.CommitNew(file.path));
    while (!named) {
      file.path = FreePath(file.wanted, {}, /*keep_files=*/true);
      PREON_ASSIGN_OR_RETURN(named, staged.CommitNew(file.path));
    }
  }
  file.written = MarkOf(file.path);
  return Status::Ok();
}

}  // namespace preon

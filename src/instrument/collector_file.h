// CollectorFile: the file that a collector saves to.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"
#include "calib/calibration.h"

namespace preon {

/// What tells a file from another one that got its name later.
struct FileMark {
  dev_t device = 0;
  ino_t number = 0;
  int64_t modified_ns = 0;
  bool operator==(const FileMark&) const = default;
};

/// Where a collector saves.
struct CollectorFile {
  std::string path;
  int64_t first_sample = 0;  ///< number of its first one
  /// For a name made of fields: no file that another process wrote is ever replaced. Processes on other hosts and in
  /// other containers may have the same number, so a name that was free at first may be taken at the first save.
  bool keep_others = false;
  std::string wanted;                    ///< the name that further numbers are put to
  std::optional<FileMark> written = {};  ///< what this process has saved at `path`
};

/// Saves, and sets `path` and `written`. The file that this process has saved before is replaced; another file under
/// its name is kept where `file.keep_others`: `path` becomes the next free name.
/// Errors: those of WriteFileAtomically.
Status SaveCollected(const CalibrationData& data, CollectorFile& file);

}  // namespace preon

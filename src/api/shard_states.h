// A run description (docs/design/shards.md): the file that says which shard of a calibration is written where.
#pragma once

#include <string>
#include <vector>

#include "report/shards.h"

namespace preon {

/// By its name.
bool MayBeRunDescription(const std::string& path);

/// What has become of each shard. Errors: kBadConfig, naming the file and the field; kFileNotFound, kIoRead.
Result<StatusResult> ShardStates(const std::string& description);

/// The files of all shards. Errors: as above; kCalibFileMismatch, naming the shards that are not done.
Result<std::vector<std::string>> ResultsOfCompleteRun(const std::string& description);

}  // namespace preon

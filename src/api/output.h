// Checks of what a verb is given before any work is done, and sizes of what it made.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "ir/graph.h"

namespace preon {

/// The output can be written and is none of the inputs. Errors: kMissingOption, kOutputFolder, kIoWrite,
/// kConflictingOptions.
Status CheckOutput(std::string_view verb, const std::string& output, const std::vector<std::string>& inputs);

/// kMissingOption: the verb needs samples.
Status MissingData(std::string_view verb, std::string_view wanted);

/// 0 when there is no such file.
int64_t FileSizeBytes(const std::string& path);

/// The file with its external data.
int64_t ModelSizeBytes(const std::string& path, const Model& model);

}  // namespace preon

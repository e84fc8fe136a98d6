// Checks of what a verb is given before any work is done, and sizes of what it made.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "config/options.h"
#include "ir/graph.h"

namespace preon {

/// The same file or folder, however it is spelled, or one in that folder.
bool IsPartOf(const std::string& path, const std::string& whole);
/// A file that `flag` has written is none of the inputs, nor in a folder of them. Errors: kConflictingOptions.
Status CheckNotInput(std::string_view flag, const std::string& path, const std::vector<std::string>& inputs);
/// What a run writes is none of these files, nor in these folders. Errors: kConflictingOptions.
Status CheckNotInputs(const OutputOptions& outputs, const std::vector<std::string>& inputs);
/// What the options have written (output, report and page) can be written, is none of the inputs (those given, and all
/// that the options name), and not twice the same. Errors: kOutputFolder, kIoWrite, kConflictingOptions.
Status CheckOutputs(const Options& options, std::vector<std::string> inputs);
/// The same for a verb that is nothing without an output. Errors: kMissingOption besides.
Status CheckOutputs(std::string_view verb, const Options& options, std::vector<std::string> inputs);

/// The same for a verb that writes a folder, whose parent has to be there.
Status CheckOutputFolder(std::string_view verb, const std::string& folder, const std::vector<std::string>& inputs);

/// kMissingOption: the verb needs samples.
Status MissingData(std::string_view verb, std::string_view wanted);

/// 0 when there is no such file.
int64_t FileSizeBytes(const std::string& path);

/// The file with its external data.
int64_t ModelSizeBytes(const std::string& path, const Model& model);
/// The same of a model that nobody has loaded; of what is no model, the file's.
int64_t ModelSizeBytes(const std::string& path);

}  // namespace preon

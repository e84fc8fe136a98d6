// Outputs of which several belong together get their names. docs/design/output-files.md
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/output/atomic_file.h"
#include "base/status.h"

namespace preon {

/// All of the files get their names, and `last` succeeds; otherwise none of them is left that was not there before.
Status CommitAll(std::vector<AtomicFile>& files, const std::function<Status()>& last);

/// Gives a model and its side file their names, in such an order that the one rename of the model commits both; then
/// removes a side file that only the replaced model named. `side` may be null.
/// @param inputs  files that are never removed, whatever they are
/// Errors: kIoWrite; nothing has changed then.
Status CommitWithSideFile(AtomicFile& model, AtomicFile* side, const std::string& side_path,
                          const std::vector<std::string>& inputs);

}  // namespace preon

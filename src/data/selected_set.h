// --only: some samples of a set, by a list.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "data/sample_set.h"

namespace preon {

/// The samples of `set` that the file `path` lists, in the set's order, numbered anew. One line each: its place in the
/// set from 0 on, and where there is a tab behind it, the name that it must have (Printable form); lines that begin
/// with # are comments. An empty path: all of the set.
/// Errors: kDataNotFound, kIoRead; kSampleList for a line that is neither, a place beyond the end or there twice,
/// another name, no line at all.
Result<std::unique_ptr<SampleSet>> SelectSamples(std::unique_ptr<SampleSet> set, const std::string& path);

}  // namespace preon

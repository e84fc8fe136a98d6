// One SRC of the command line becomes a SampleSet, by what it points at.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/status.h"
#include "base/tensor_spec.h"
#include "data/sample_set.h"
#include "data/source_context.h"

namespace preon {

/// By its name: neither random, nor an array file.
bool MayHoldMedia(const std::string& source);
/// Size and time of change of the file, or of each file of the folder that may hold samples. Others don't matter:
/// results are often written beside the data.
std::string StateOfSource(const std::string& source);

/// Opens `source` for `inputs` (all of the model's, or the one that --input names).
/// Errors: kDataNotFound, kDataEmpty, kDataUnsupported and what the kind of source reports.
Result<std::unique_ptr<SampleSet>> OpenSource(const std::string& source, std::span<const TensorSpec> inputs,
                                              const SourceContext& context);

}  // namespace preon

// The samples of one .npy or .npz file.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/status.h"
#include "base/tensor_spec.h"
#include "data/sample_set.h"
#include "data/source_context.h"

namespace preon {

/// Opens `path` for the given inputs: each takes the array of its name. For a single input, a single array without a
/// name (.npy, or `arr_0` of numpy.savez) is taken too. Arrays `label`/`labels` that are no inputs hold one class index
/// per sample. `key` is the file's name below its source. Only headers are read here. Errors: kDataInputName,
/// kDataShape, kDataType, kLabels, and those of ListArrays.
Result<std::unique_ptr<SampleSet>> OpenArrayFile(const std::string& path, const std::string& key,
                                                 std::span<const TensorSpec> inputs, const SourceContext& context);

}  // namespace preon

// From what a user points at to one stream of batches.
#pragma once

#include <memory>
#include <vector>

#include "base/status.h"
#include "base/tensor_spec.h"
#include "data/data_options.h"
#include "data/data_source.h"

namespace preon {

/// Opens all sources for a model with these inputs and checks names, types and shapes before anything is run
/// (docs/design/data.md has the rules). Errors: kMissingOption, kConflictingOptions, kBadOptionValue, kPreprocess,
/// kLabels, kData*.
Result<std::unique_ptr<DataSource>> OpenDataSource(const DataOptions& options, const std::vector<TensorSpec>& inputs,
                                                   const SampleSelection& selection = {});

}  // namespace preon

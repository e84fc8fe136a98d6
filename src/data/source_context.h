// SourceContext: what all sources of a run share.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/tensor_pool.h"
#include "data/data_options.h"
#include "data/labels.h"

namespace preon {

/// What all sources of a run share.
struct SourceContext {
  int64_t fixed_batch = 1;  ///< FixedBatch of all inputs of the model
  std::string preprocess;   ///< --preprocess
  RandomOptions random;
  std::shared_ptr<ClassNames> classes = std::make_shared<ClassNames>();  ///< of sub-folders, over all sources
  TensorPool pool;                                                       ///< for the samples
};

}  // namespace preon

// One SRC of the command line becomes a SampleSet, by what it points at.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/status.h"
#include "calib/data/labels.h"
#include "calib/data/sample_set.h"
#include "calib/data_source.h"
#include "runtime/session.h"

namespace preon {

/// What all sources of a run share.
struct SourceContext {
  int64_t fixed_batch = 1;  ///< FixedBatch of all inputs of the model
  std::string preprocess;   ///< --preprocess
  uint64_t seed = 0;
  RandomValues random;
  std::shared_ptr<ClassNames> classes = std::make_shared<ClassNames>();  ///< of sub-folders, over all sources
};

bool IsRandomSource(const std::string& source);
/// By its name: neither random, nor an array file.
bool MayHoldImages(const std::string& source);
/// Size and time of change of the file, or of each file of the folder that may hold samples. Others don't matter: results are
/// often written beside the data.
std::string StateOfSource(const std::string& source);

/// Opens `source` for `inputs` (all of the model's, or the one that --input names).
/// Errors: kDataNotFound, kDataEmpty, kDataUnsupported and what the kind of source reports.
Result<std::unique_ptr<SampleSet>> OpenSource(const std::string& source, std::span<const TensorSpec> inputs,
                                              const SourceContext& context);

}  // namespace preon

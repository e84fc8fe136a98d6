// Images and sound as samples.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/status.h"
#include "base/tensor_spec.h"
#include "data/media_folder.h"
#include "data/sample_set.h"
#include "data/source_context.h"

namespace preon {

/// The images or sound files `files` below `folder` for one input. An image is a sample; a sound file is one for each
/// of its windows ("a.wav[3]"; "a.wav" where it has one). The first folder of a path is the class, where there is one.
/// Of sound the headers are read here. Errors: kDataInputName (several inputs), kDataShape, those of ImagePlan::Make,
/// SoundPlan::Make and WavFile::Open; kDataUnsupported for sound of several rates.
Result<std::unique_ptr<SampleSet>> MakeMediaSet(const std::string& folder, MediaFolder files,
                                                std::span<const TensorSpec> inputs, const SourceContext& context);

}  // namespace preon

// Folders of pictures.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/status.h"
#include "base/tensor_spec.h"
#include "data/sample_set.h"
#include "data/source_context.h"

namespace preon {

/// Whether a file of this name is taken for an image: .jpg, .jpeg, .png, .bmp in any case, not hidden.
bool IsImageName(const std::string& name);

/// All images below `folder`, by their relative path in byte order. The first folder of that path is the class, where
/// there is one. Files of other kinds are left alone, but images in a format that is not read are an error: half
/// of a folder is no calibration set. Errors: kDataEmpty, kDataUnsupported, kDataInputName (several inputs), those
/// of ImagePlan::Make.
Result<std::unique_ptr<SampleSet>> OpenImageFolder(const std::string& folder, std::span<const TensorSpec> inputs,
                                                   const SourceContext& context);
/// One image as the only sample.
Result<std::unique_ptr<SampleSet>> OpenImageFile(const std::string& path, std::span<const TensorSpec> inputs,
                                                 const SourceContext& context);

}  // namespace preon

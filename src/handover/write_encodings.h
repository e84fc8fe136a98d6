// Scales and zero points as AIMET writes them: the other direction of config/files/encodings.h.
#pragma once

#include <string>
#include <vector>

#include "handover/rounded_tensor.h"

namespace preon {

/// JSON of version 2.0.0.
std::string EncodingsText(const std::vector<RoundedTensor>& tensors);
/// The same of version 1.0.0, which knows no blocks: names of tensors with these are added to `left_out`.
std::string FirstEncodingsText(const std::vector<RoundedTensor>& tensors, std::vector<std::string>& left_out);

}  // namespace preon

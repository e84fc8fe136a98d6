// Samples that change most, with their pictures.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "eval/most_changed.h"

namespace preon {

/// @param pictures  files, by the samples' names
std::string SamplePictures(const std::vector<ChangedSample>& samples,
                           const std::map<std::string, std::string>& pictures);

}  // namespace preon

#include "data/data_options.h"

#include <algorithm>

#include "data/source.h"

namespace preon {

bool DataOptions::has_random() const {
  return (!has_sources() && random_samples > 0) || std::ranges::any_of(sources, IsRandomSource) ||
         std::ranges::any_of(inputs, [](const auto& input) { return IsRandomSource(input.second); });
}

}  // namespace preon

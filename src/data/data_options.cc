#include "data/data_options.h"

#include <algorithm>

namespace preon {

bool IsRandomSource(const std::string& source) { return source.starts_with(kRandomPrefix); }

bool SourceOptions::has_random() const {
  return (!has_sources() && random_samples > 0) || std::ranges::any_of(sources, IsRandomSource) ||
         std::ranges::any_of(inputs, [](const auto& input) { return IsRandomSource(input.second); });
}

std::vector<std::string> DataOptions::Paths() const {
  std::vector<std::string> paths = from.sources;
  for (const auto& [name, source] : from.inputs) paths.push_back(source);
  paths.insert(paths.end(), {labels, only});
  return paths;
}

}  // namespace preon

// What it took to make a file as small as --size asks for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace preon {

struct SizeFit {
  int64_t most_bytes = 0;
  std::string type;                 ///< of the weights that got fewer bits
  std::vector<std::string> layers;  ///< nodes with such weights, those first that make the most noise
  size_t candidates = 0;            ///< nodes that could have had them
};

}  // namespace preon

// What `preon encrypt` and `preon decrypt` answer, and `preon quantize` in crypto mode.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/results/results.h"

namespace preon {

struct CryptResult {
  RunFacts facts;
  std::string model, output;
  int64_t size_bytes = 0;  ///< of the output
  bool encrypted = false;  ///< the output is
  std::vector<std::string> warnings;
};

/// In place of a QuantizeResult: nothing that names or measures the model.
struct CryptoRunResult {
  RunFacts facts;
  std::string model, output;
  int64_t size_bytes = 0;             ///< of the output
  std::vector<std::string> warnings;  ///< of options; of the model their number
};

}  // namespace preon

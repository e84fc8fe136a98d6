// What `preon export-qat` answers.
#pragma once

#include <string>
#include <vector>

#include "report/results/results.h"

namespace preon {

struct ExportResult {
  RunFacts facts;
  std::string model, output;             ///< the folder
  std::vector<std::string> files;        ///< names in it
  int64_t activations = 0, weights = 0;  ///< tensors that are rounded
  std::string float_model;               ///< whose weights training begins with; "": decoded codes
  int64_t float_weights = 0;             ///< of `weights`, those that the float model has
  std::vector<std::string> warnings;
};

}  // namespace preon

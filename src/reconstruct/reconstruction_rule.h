// ReconstructionRule: what an algorithm may do to codes and biases, and to which.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>

#include "solver/round_codes.h"

namespace preon {

struct ReconstructionRule {
  bool rounds = true;  ///< false: codes stay, biases alone change
  CodeReach reach;
  RoundingSteps steps;
  float damping = 0.01F;  ///< of the mean curvature
  bool updates_bias = true;
};

struct ReconstructionScope {
  std::set<std::string> op_types = {"Conv", "Gemm", "MatMul"};
  int64_t samples = std::numeric_limits<int64_t>::max();  ///< at most
  bool selective = false;                   ///< a layer that does not bring the model's outputs nearer stays as it was
  bool parallel = false;                    ///< all layers read what the model gives before any of them changes
  std::optional<int64_t> output;            ///< the one that judges; nullopt: all
  int64_t rows_per_input = 8;               ///< of a layer, at least 4096 rows
  size_t memory_bytes = size_t{256} << 20;  ///< for tensors between layers, and for the inputs of all runs
};

}  // namespace preon

// ReconstructionRule: what an algorithm may do to codes and biases, and to which.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>

#include "solver/round_codes.h"

namespace preon {

struct ReconstructionRule {
  CodeReach reach;
  RoundingSteps steps;
  float damping = 0.01F;         ///< of the mean curvature
  float damping_of_few = 0.05F;  ///< of layers with few codes
  float shrinkage = 0.15F;       ///< of these: of products of different inputs (solver/quadratic.h)
  bool updates_bias = true;
};

/// Rows of inputs that a layer's sums have, as far as the samples have them.
struct RowCount {
  int64_t per_input = 8;
  int64_t least = 4096;
  double evidence = 0;  ///< per input, for codes: with fewer, a layer that is not judged alone stays as it is

  int64_t For(size_t inputs) const { return std::max(per_input * static_cast<int64_t>(inputs), least); }
};

struct ReconstructionScope {
  std::set<std::string> op_types = {"Conv", "Gemm", "MatMul"};
  std::set<std::string> only;                             ///< float nodes; empty: all of these types
  int64_t samples = std::numeric_limits<int64_t>::max();  ///< at most
  bool selective = false;         ///< a layer that does not bring the model's outputs nearer stays as it was
  bool parallel = false;          ///< all layers read what the model gives before any of them changes
  std::optional<int64_t> output;  ///< the one that judges; nullopt: all
  RowCount rows;
  size_t judging_step = 0;  ///< every so many-th run judges; 0: as LiveRuns
  size_t blocks = 0;        ///< so many groups of layers are judged as one; 0: each layer by itself
  size_t most_refused = std::numeric_limits<size_t>::max();  ///< groups of layers; behind so many, all stay
  size_t memory_bytes = size_t{256} << 20;  ///< for tensors between layers, and for the inputs of all runs
  std::optional<double> enough_db;  ///< outputs that are as near as that on the judging samples stay as they are
  double least_gain_db = 0;         ///< of all layers together on the judging samples; less is not kept
  std::optional<double> most_cost;  ///< time that it may take, as a multiple of calibration's; nullopt: no limit
};

}  // namespace preon

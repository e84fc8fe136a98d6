// What `sensitivity` answers: which layers and tensors make a quantized model's error, why, and what helps.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/results/results.h"

namespace preon {

/// Whether so much gained makes a model that equals float: there is no figure in dB then, and the gain is infinite.
inline bool EqualsFloat(const std::optional<double>& gain_db) { return gain_db && std::isinf(*gain_db); }

/// One integer Conv, MatMul or Gemm node. Shares are of the noise at the outputs, 0…1.
struct LayerSensitivity {
  std::string node, op_type;
  int64_t position = 0;                             ///< of the node in the graph
  double time_share = 0;                            ///< of the quantized model's time, estimated
  double weight_share = 0;                          ///< that its rounded weight makes
  double input_share = 0, output_share = 0;         ///< that the codes of what it reads and writes make
  std::optional<double> own_db, inherited_db;       ///< at its output: signal over what it makes, over what it got
  std::optional<double> float_gain_db, float_cost;  ///< in float: predicted SQNR gain; share of the time, 0.02 = 2 %
  int64_t float_bytes = 0;                          ///< by which the file grows then
  std::optional<double> measured_gain_db;           ///< by running with this node in float (EqualsFloat)
  std::string cause;                                ///< "" where nothing stands out

  double share() const { return weight_share + input_share + output_share; }
};

/// One tensor with codes.
struct TensorSensitivity {
  std::string tensor;
  double share = 0;                            ///< of the noise at the outputs that its codes make
  std::optional<double> own_db, inherited_db;  ///< signal over its own rounding, over what it inherits
  std::string cause;
};

/// Nodes in float that bring most for their time, measured.
struct SensitivityFix {
  std::vector<std::string> nodes;
  double predicted_gain_db = 0, gain_db = 0;  ///< the measured one: EqualsFloat
  double cost = 0;                            ///< estimated share of the time
  std::optional<double> measured_cost;        ///< share of the time, of the fastest runs at one thread
  int64_t bytes = 0;
  std::string command;  ///< to paste
};

struct SensitivityResult {
  RunFacts facts;
  std::string model, target, method;
  int64_t samples = 0;      ///< that trials ran on; calibration has seen them
  int64_t evaluations = 0;  ///< runs over them, of one model each
  double sqnr_db = 0;       ///< of the model without layers left in float for accuracy, over all these samples
  double typical_db = 0;    ///< mean over the runs: what gains are measured against
  std::vector<LayerSensitivity> layers;    ///< the largest gain first
  std::vector<TensorSensitivity> tensors;  ///< the largest share first
  std::optional<SensitivityFix> fix;
  std::string why_no_fix;  ///< "" where there is one
  std::string scope;       ///< one sentence where another model is, or may be, the one that matters; ""
  std::vector<std::string> warnings;
};

}  // namespace preon

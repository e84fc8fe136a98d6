// Reconstruct: codes and biases of a Q/DQ model that bring each layer nearer to float, given what the layers before
// give, layer by layer. (docs/design/weight-algorithms.md)
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/context.h"
#include "base/status.h"
#include "data/data_source.h"
#include "ir/graph.h"
#include "reconstruct/matched_layers.h"
#include "reconstruct/reconstruction_rule.h"

namespace preon {

struct LayerOutcome {
  std::string node;
  int64_t outputs = 0, kept = 0;  ///< outputs with new codes
  bool stays = false;             ///< the layer is as it was: new codes and biases took the model's outputs off
};

struct Reconstruction {
  std::vector<LayerOutcome> layers;
  std::vector<std::string> left_out;   ///< nodes with codes that have no float layer beside them, or share their codes
  int64_t runs = 0;                    ///< of samples
  double before_db = 0, after_db = 0;  ///< SQNR of the model's outputs on the judging samples
  bool is_kept = true;                 ///< false: too little was gained, and the model is as it was
  bool is_judged = true;               ///< false: no output of floats tells what is better; nothing was changed
  bool is_near = false;                ///< enough before anything was changed
};

/// @param batches  at least one
/// Errors: the runtime's, kCancelled; the model is as it was then.
Result<Reconstruction> Reconstruct(Model& quantized, const FloatReference& reference, const std::vector<Batch>& batches,
                                   const ReconstructionRule& rule, const ReconstructionScope& scope,
                                   const RunContext& context);

/// SQNR of the model's outputs on all of these runs. Errors: the runtime's, kCancelled.
Result<double> OutputsDb(const Model& quantized, const Model& reference, const std::vector<Batch>& runs,
                         const RunContext& context);

}  // namespace preon

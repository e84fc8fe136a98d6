// TrainingForm: a quantized model, of any tool, as training takes it up.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "handover/rounded_tensor.h"
#include "ir/graph.h"

namespace preon {

struct TrainingForm {
  /// Without quantizers: constants are decoded, and a Relu or Clip stands again where codes have replaced it.
  Model float_model;
  /// The same with a QONNX `Quant` node behind every tensor of `tensors`; its scale is the constant `NAME_quant_scale`.
  Model fake_quant_model;
  std::vector<RoundedTensor> tensors;  ///< in graph order
  std::vector<std::string> warnings;   ///< what is rounded in the quantized model but not here
};

/// @param quantized  with Q/DQ nodes (opset 11 or later) and inferred shapes
/// @param float_graph  of the float model that was quantized, or null: what codes have replaced comes back as it was
///                     there; without it as a Relu, where codes begin at 0
/// Errors: kNotQuantized; kNotYetSupported naming the node, for codes that other nodes compute with or that a run
/// scales.
Result<TrainingForm> TrainingFormOf(const Model& quantized, const Graph* float_graph = nullptr);

}  // namespace preon

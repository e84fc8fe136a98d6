// Saturation: what Clip and the range of codes behind a layer cut off. An error of the layer changes nothing there.
#pragma once

#include <span>
#include <vector>

#include "reconstruct/coded_layer.h"

namespace preon {

/// Limits of what follows the tensor, where every reader sees it through them; infinite where there are none. Relu's 0
/// is no limit: half of the values lie below it, and to fit codes to them as well gives weights that hold on other
/// samples.
Range SaturationLimits(const Graph& quantized, const std::string& tensor);

class Saturation {
 public:
  Saturation(const Graph& quantized, const CodedLayer& layer, const FloatLayer& float_layer);

  bool has_limits() const;
  /// Rows of one group. A target beyond a limit asks of the layer only to stay beyond it, and else to come to it: the
  /// squared error to that bounds the one behind the limit from above, and is the same for the codes as they are (a
  /// majorizer, Hunter and Lange 2004).
  /// @param targets  of each row, all groups
  /// @param missing  as LayerSums wants it
  void Relax(size_t group, ConstMatrixView inputs, std::span<const float* const> targets, MatrixView missing) const;

 private:
  Range limits_;
  std::vector<Matrix> changes_;      // by group: codes as they are, less the float weights
  std::vector<float> bias_changes_;  // by output
};

}  // namespace preon

// Saturation: what Clip and the range of codes behind a layer cut off. An error of the layer changes nothing there.
#pragma once

#include <span>
#include <vector>

#include "reconstruct/coded_layer.h"

namespace preon {

/// Limits of what follows the tensor, where every reader sees it through them; infinite where there are none.
Range SaturationLimits(const Graph& quantized, const std::string& tensor);

class Saturation {
 public:
  Saturation(const Graph& quantized, const CodedLayer& layer, const FloatLayer& float_layer);

  const Range& limits() const { return limits_; }
  /// Ways to fit codes, by what counts as a limit. Relu's 0 is none: half of the values lie below it, and to fit codes
  /// to them as well gives weights that hold on other samples. Where codes are few, a few targets far below 0 can
  /// decide most of them: both ways are tried there, and the error behind all limits `judges`.
  size_t ways() const { return ways_.size(); }
  bool judges() const { return judges_; }
  /// Rows of one group. A target beyond a limit asks of the layer only to stay beyond it, and else to come to it: the
  /// squared error to that bounds the one behind the limit from above, and is the same for the codes as they are (a
  /// majorizer, Hunter and Lange 2004).
  /// @param targets  of each row, all groups
  /// @param missing  [places, ways · outputs]: the first outputs as LayerSums wants them, and the others become so
  void Relax(size_t group, ConstMatrixView inputs, std::span<const float* const> targets, MatrixView missing) const;

 private:
  Range limits_;  // with Relu's 0
  std::vector<Range> ways_;
  bool judges_ = false;
  std::vector<Matrix> changes_;      // by group: codes as they are, less the float weights
  std::vector<float> bias_changes_;  // by output
};

}  // namespace preon

// Images as [N, H, W, C] at a quantized model's inputs and outputs (Quark's ConvertNCHWToNHWC).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/tensor.h"
#include "ir/graph.h"

namespace preon {

struct NhwcBorder {
  std::set<std::string> inputs, outputs;  ///< that are NHWC now
  std::vector<std::string> warnings;
};

/// Graph inputs and outputs [N, C, H, W] whose last three sizes are known become [N, H, W, C] under the same name, with
/// a Transpose inside; where a pair stands there, the same pair stands on its other side too, so that codes are
/// transposed.
/// @param of  these alone; empty: all
NhwcBorder ToNhwc(Graph& graph, const std::set<std::string>& of = {});

/// [N, C, H, W] → [N, H, W, C], of an element type of whole bytes.
Tensor TransposedToNhwc(const Tensor& nchw);

}  // namespace preon

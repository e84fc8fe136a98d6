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

/// `tensors` with `images` among them [N, C, H, W] → [N, H, W, C], of element types of whole bytes.
std::vector<NamedTensor> TransposedToNhwc(std::vector<NamedTensor> tensors, const std::set<std::string>& images);

}  // namespace preon

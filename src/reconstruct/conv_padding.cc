#include "reconstruct/conv_padding.h"

#include <algorithm>

namespace preon {

std::vector<int64_t> PaddingInFront(const Node& conv, const Shape& weight, const Shape& input, const Shape& output) {
  const size_t axes = weight.size() - 2;
  const std::string mode = conv.String("auto_pad", "NOTSET");
  std::vector<int64_t> pads = conv.Ints("pads"), strides = conv.Ints("strides"), dilations = conv.Ints("dilations");
  pads.resize(axes);  // those behind the input follow
  if (mode == "NOTSET") return pads;
  strides.resize(axes, 1);
  dilations.resize(axes, 1);
  for (size_t axis = 0; axis < axes; ++axis) {
    const int64_t patch = (weight[axis + 2] - 1) * dilations[axis] + 1;
    const int64_t all = std::max<int64_t>((output[axis + 2] - 1) * strides[axis] + patch - input[axis + 2], 0);
    pads[axis] = mode == "VALID" ? 0 : mode == "SAME_LOWER" ? (all + 1) / 2 : all / 2;
  }
  return pads;
}

}  // namespace preon

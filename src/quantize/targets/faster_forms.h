// Passes that change no value and make a model faster in ONNX Runtime, in float, too: for targets that run there.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace preon {

inline bool IsFasterForm(std::string_view pass) {
  constexpr std::array<std::string_view, 6> kPasses = {"convert_einsum", "fold_affine_forward", "fold_gemm_scalars",
                                                       "fold_reshape",   "fuse_hard_sigmoid",   "simplify_softmax"};
  return std::ranges::find(kPasses, pass) != kPasses.end();
}

}  // namespace preon

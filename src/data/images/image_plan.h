// ImagePlan: --preprocess made definite for one model input, and its execution.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/tensor_pool.h"
#include "base/tensor_spec.h"
#include "data/images/pixels.h"
#include "data/images/preprocess.h"

namespace preon {

/// Turns pictures into feeds of shape [1, C, H, W] or [1, H, W, C].
class ImagePlan {
 public:
  /// @param text  --preprocess; empty is allowed for uint8 inputs only, where it means `raw`: whether a float model
  ///              wants 0-255, 0-1 or something normalized can't be seen, and a wrong guess ruins the ranges silently.
  /// Errors: kDataShape (no picture fits the input), kDataType, kPreprocess.
  static Result<ImagePlan> Make(const std::string& text, const TensorSpec& input);

  /// Errors: kPreprocess if the picture is smaller than the crop, kDataShape if it comes out in another size than the
  /// model's; `where` stands in messages, `pool` gives the memory.
  Result<Tensor> Apply(const Pixels& picture, const std::string& where, const TensorPool& pool = {}) const;

 private:
  Status ResolveAxes(const TensorSpec& input);
  Status ResolveSizes();
  Status ResolveValues(const TensorSpec& input);
  Result<Pixels> Arrange(const Pixels& picture, const std::string& where) const;

  Preprocess steps_;  // no kAuto, no kInput, no from_preset left
  int channels_ = 0;
  PictureSize wanted_;  // of the model; 0 where symbolic
  DataType type_ = DataType::kUndefined;
  std::vector<std::array<float, 256>> values_;  // per channel: what each code becomes
};

}  // namespace preon

// SoundPlan: --preprocess made definite for one model input that takes sound, and its execution.
#pragma once

#include <optional>
#include <string>

#include "base/status.h"
#include "base/tensor_pool.h"
#include "base/tensor_spec.h"
#include "data/sound/wav_file.h"

namespace preon {

/// Cuts sound into windows and turns each into a feed of floats of shape [1, T], [1, C, T] or [1, T, C].
class SoundPlan {
 public:
  /// @param text  --preprocess: rate=HZ, which files must have; window=N, frames in a sample, where the model does not
  /// fix
  ///              them (without it a file is one sample); scale=A|A/B, a factor for the values of -1 to 1.
  /// Errors: kDataShape (no sound fits the input), kDataType, kPreprocess.
  static Result<SoundPlan> Make(const std::string& text, const TensorSpec& input);

  /// How many samples a file of so many frames is; a part of a window counts as one.
  int64_t CountWindows(int64_t frames) const { return window_ == 0 ? 1 : (frames + window_ - 1) / window_; }

  /// That a file has the rate that is asked for and channels that fit. Errors: kPreprocess, kDataShape.
  Status Check(const WavFile& file) const;

  /// Several channels become their mean where the input takes one; silence fills up the last window.
  /// Floats, whatever the input's type. Errors: those of WavFile::Read.
  Result<Tensor> Window(WavFile& file, int64_t index, const TensorPool& pool = {}) const;

 private:
  Status ResolveAxes(const TensorSpec& input);

  std::optional<int64_t> rate_hz_;
  int64_t window_ = 0;  // frames; 0 = the whole file
  double scale_ = 1;
  int64_t channels_ = 1;
  size_t rank_ = 2;
  bool channels_last_ = false;
};

}  // namespace preon

#include "data/sound/sound_plan.h"

#include <algorithm>
#include <span>
#include <vector>

#include "base/spelling.h"
#include "base/text.h"

namespace preon {
namespace {

bool IsSoundChannelCount(int64_t dim) { return dim == 1 || dim == 2; }

Result<int64_t> WholeNumber(std::string_view key, std::string_view text) {
  constexpr int64_t kMost = int64_t{1} << 31;
  const auto number = ParseNumber<int64_t>(text);
  if (number && *number >= 1 && *number <= kMost) return *number;
  return Error(ErrorId::kPreprocess, "--preprocess: ", key, ": got '", text, "', wanted a whole number above 0");
}

}  // namespace

Result<SoundPlan> SoundPlan::Make(const std::string& text, const TensorSpec& input) {
  if (input.type != DataType::kFloat && input.type != DataType::kFloat16 && input.type != DataType::kDouble) {
    return Error(ErrorId::kDataType, "--data: sound can't feed '", input.name, "' of type ", DataTypeName(input.type),
                 "; wanted float, float16 or double");
  }
  SoundPlan plan;
  PREON_RETURN_IF_ERROR(plan.ResolveAxes(input));
  const int64_t fixed = plan.window_;
  const std::vector<std::string> keys = {"rate", "window", "scale"};
  for (const std::string& part : text.empty() ? std::vector<std::string>() : Split(text, ',')) {
    const std::vector<std::string> pair = Split(part, '=');
    if (pair.size() == 2 && pair[0] == "rate") {
      PREON_ASSIGN_OR_RETURN(plan.rate_hz_, WholeNumber(pair[0], pair[1]));
    } else if (pair.size() == 2 && pair[0] == "window") {
      PREON_ASSIGN_OR_RETURN(plan.window_, WholeNumber(pair[0], pair[1]));
    } else if (pair.size() == 2 && pair[0] == "scale") {
      const std::optional<double> scale = ParseRatio(pair[1]);
      if (!scale)
        return Error(ErrorId::kPreprocess, "--preprocess: scale: got '", pair[1], "', wanted a number or A/B");
      plan.scale_ = *scale;
    } else {
      return Error(ErrorId::kPreprocess, "--preprocess: got '", part, "' for sound", DidYouMean(pair[0], keys),
                   ", wanted rate=HZ, window=N or scale=A");
    }
  }
  if (fixed != 0 && plan.window_ != fixed) {
    return Error(ErrorId::kPreprocess, "--preprocess: window: got ", plan.window_, ", the model needs ", fixed);
  }
  return plan;
}

// Which axes are channels and time.
Status SoundPlan::ResolveAxes(const TensorSpec& input) {
  const Shape& shape = input.shape;
  rank_ = shape.size();
  channels_last_ = rank_ == 3 && !IsSoundChannelCount(shape[1]) && IsSoundChannelCount(shape[2]);
  if (rank_ != 2 && (rank_ != 3 || !IsSoundChannelCount(shape[channels_last_ ? 2 : 1]))) {
    return Error(ErrorId::kDataShape, "--data: sound can't feed '", input.name, "' of shape ", ShapeToString(shape),
                 "; wanted [N, frames], [N, channels, frames] or [N, frames, channels] with 1 or 2 channels")
        .WithHint("features of sound, as spectra, come as arrays");
  }
  if (rank_ == 3) channels_ = shape[channels_last_ ? 2 : 1];
  window_ = std::max<int64_t>(shape[rank_ == 2 ? 1 : channels_last_ ? 1 : 2], 0);
  return Status::Ok();
}

Status SoundPlan::Check(const WavFile& file) const {
  if (rate_hz_ && file.rate_hz() != *rate_hz_) {
    return Error(ErrorId::kPreprocess, file.path(), ": it has ", file.rate_hz(), " Hz, wanted ", *rate_hz_)
        .WithHint(StrCat("convert it first, for example with 'ffmpeg -i IN.wav -ar ", *rate_hz_, " OUT.wav'"));
  }
  if (channels_ != 1 && file.channels() != channels_)
    return Error(ErrorId::kDataShape, file.path(), ": it has ", file.channels(), " channels, wanted ", channels_);
  if (file.frames() == 0) return Error(ErrorId::kDataEmpty, file.path(), ": no sound in it");
  return Status::Ok();
}

Result<Tensor> SoundPlan::Window(WavFile& file, int64_t index, const TensorPool& pool) const {
  const int64_t wanted = window_ == 0 ? file.frames() : window_, first = index * wanted;
  const int64_t count = std::min(wanted, file.frames() - first), stored = file.channels();
  PREON_ASSIGN_OR_RETURN(const std::vector<float> sound, file.Read(first, count));
  Shape shape = {1, wanted};
  if (rank_ == 3) shape.insert(channels_last_ ? shape.end() : shape.begin() + 1, channels_);
  Tensor tensor = pool.Allocate(DataType::kFloat, shape);
  const std::span<float> values = tensor.Mutable<float>();
  std::ranges::fill(values, 0.0f);
  for (int64_t frame = 0; frame < count; ++frame) {
    const float* const from = &sound[static_cast<size_t>(frame * stored)];
    if (channels_ == 1) {
      double sum = 0;
      for (int64_t channel = 0; channel < stored; ++channel) sum += from[channel];
      values[static_cast<size_t>(frame)] = static_cast<float>(sum / static_cast<double>(stored) * scale_);
      continue;
    }
    for (int64_t channel = 0; channel < channels_; ++channel) {
      const int64_t to = channels_last_ ? frame * channels_ + channel : channel * wanted + frame;
      values[static_cast<size_t>(to)] = static_cast<float>(from[channel] * scale_);
    }
  }
  return tensor;
}

}  // namespace preon

#include "eval/input_check.h"

#include <algorithm>
#include <optional>

#include "data/image_look.h"
#include "eval/feeds.h"
#include "eval/preset_fit.h"

namespace preon {
namespace {

constexpr size_t kTrialSamples = 32;
constexpr size_t kMaxBytes = size_t{64} << 20;  // of images that are looked at

struct Look {
  std::vector<std::vector<NamedTensor>> samples;  // feeds of each
  int64_t count = 0;                              // of the whole stream, or a lower bound
  size_t bytes = 0;
};

// Reads on until there are so many samples.
void ReadUpTo(size_t wanted, DataSource& source, const RunContext& context, Look& look) {
  while (look.samples.size() < wanted && look.bytes < kMaxBytes && context.CheckCancelled().ok()) {
    const Result<std::optional<Batch>> batch = source.Next();
    if (!batch.ok() || !*batch) return;
    for (int64_t sample = 0; sample < (*batch)->samples; ++sample) {
      std::vector<NamedTensor>& feeds = look.samples.emplace_back((*batch)->feeds);
      for (NamedTensor& feed : feeds) {
        const Shape& shape = feed.tensor.shape();
        if ((*batch)->samples > 1 && !shape.empty() && shape[0] == (*batch)->samples &&
            feed.tensor.type() != DataType::kString && DataTypeBits(feed.tensor.type()) >= 8)
          feed.tensor = feed.tensor.Slice(sample, sample + 1);
        if (feed.tensor.type() != DataType::kString) look.bytes += feed.tensor.bytes().size();
      }
    }
  }
}

std::vector<Tensor> ImagesOf(const Look& look, const std::string& input) {
  std::vector<Tensor> images;
  for (const std::vector<NamedTensor>& feeds : look.samples) {
    const auto feed = std::ranges::find(feeds, input, &NamedTensor::name);
    if (feed != feeds.end() && feed->tensor.type() == DataType::kFloat && feed->tensor.count() > 0)
      images.push_back(feed->tensor);
  }
  return images;
}

// Samples of which most are copies of others.
std::string CheckCopies(const Look& look) {
  std::vector<std::vector<NamedTensor>> different;
  for (const std::vector<NamedTensor>& feeds : look.samples) {
    if (std::ranges::none_of(different, [&](const auto& other) { return SameFeeds(feeds, other); }))
      different.push_back(feeds);
  }
  if (look.samples.size() < 2 || different.size() * 2 > look.samples.size()) return "";
  return StrCat("only ", different.size(), " of the first ", look.samples.size(),
                " samples differ, the others are copies; use different samples");
}

std::string CheckNumber(const Look& look, int64_t shards) {
  if (look.count * shards >= kFewSamples) return "";
  return StrCat("only ", look.count, look.count == 1 ? " sample" : " samples", ": use at least ", kFewSamples,
                ", better 100, that are like the data in use");
}

// What needs no model.
std::string CheckLook(const ImageInput& input) {
  const std::string name = StrCat("input '", input.spec.name, "': ");
  const ImageLook& look = input.look;
  if (look.min == look.max) return StrCat(name, "every value is ", look.min + 0.0f, "; wanted images");
  if (look.interleaved) {
    return StrCat(name, "wrong layout? the values of the three channels alternate (NHWC), the model takes NCHW; ",
                  "transpose the arrays, do not reshape them");
  }
  if (look.divided_twice && input.spec.shape[input.channel_axis] == 3)
    return StrCat(name, "wrong preprocessing? no value is above ", look.max,
                  ": were pixels divided by 255 twice? divide once");
  return "";
}

}  // namespace

std::vector<std::string> CheckInputs(DataSource& source, const std::vector<TensorSpec>& inputs, int64_t shards,
                                     const LoadFloatModel& load, const RunContext& context) {
  Look look;
  ReadUpTo(kFewSamples, source, context, look);
  if (look.samples.empty()) return {};
  const auto read = static_cast<int64_t>(look.samples.size());
  look.count = source.SampleCount().value_or(look.bytes < kMaxBytes ? read : kFewSamples);
  std::vector<std::string> warnings = {CheckNumber(look, shards), CheckCopies(look)};
  std::optional<Model> model;
  for (const TensorSpec& spec : inputs) {
    const std::optional<size_t> axis = ImageChannelAxis(spec);
    ImageInput input{spec, axis.value_or(1), axis ? ImagesOf(look, spec.name) : std::vector<Tensor>(), {}};
    if (input.images.empty()) continue;
    input.look = LookAtImages(input.images, *axis);
    std::string& warning = warnings.emplace_back(CheckLook(input));
    if (!warning.empty()) continue;
    if (!model) {
      Result<Model> loaded = load();
      if (!loaded.ok()) break;
      model = *std::move(loaded);
    }
    if (const std::optional<TrainedLayers> layers = FindTrainedLayers(*model, spec.name)) {
      warning = CheckSpread(input, *layers, context);
    } else if (input.look.scale != nullptr && IsClassifier(*model) && look.count >= kFewSamples) {
      ReadUpTo(kTrialSamples, source, context, look);
      input.images = ImagesOf(look, spec.name);
      warning = CheckClasses(input, *model, context);
    }
  }
  std::erase(warnings, "");
  return warnings;
}

}  // namespace preon

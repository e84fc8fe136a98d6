#include "eval/preset_fit.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "data/images/preprocess.h"
#include "eval/told_apart.h"
#include "eval/values.h"
#include "runtime/session.h"

namespace preon {
namespace {

// Right samples of the models that preon is tested with have a divergence of 0.02 to 0.09, wrong ones from 0.5.
constexpr double kSuspicious = 0.5, kFar = 1.5;
// A preset fits if it has a third of the divergence, or tells so many more classes apart and changes what they are.
constexpr double kFits = 1.0 / 3, kToldApart = 1.3, kSameClasses = 0.8;
struct Preset {
  const PreprocessPreset* row;
  PixelFormula formula;
};

struct Fit {
  Preset preset;
  double quality;  // the higher, the better
};

// Of presets that are nearly as good as the best one, the first in the list: it is the most common.
std::optional<Fit> MostCommonOfTheBest(const std::vector<Fit>& fits) {
  constexpr double kNearlyAsGood = 0.1;
  if (fits.empty()) return std::nullopt;
  const double best = std::ranges::max(fits, {}, &Fit::quality).quality;
  return *std::ranges::find_if(fits, [&](const Fit& fit) { return fit.quality >= best - kNearlyAsGood; });
}

std::string Number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

std::vector<Tensor> AllPrepared(const std::vector<Tensor>& images, const PixelScale& from, const Preset& preset,
                                size_t axis) {
  std::vector<Tensor> prepared;
  for (const Tensor& image : images) prepared.push_back(Prepared(image, from, preset.formula, axis));
  return prepared;
}

// Those for so many channels.
std::vector<Preset> PresetsFor(int64_t channels) {
  std::vector<Preset> presets;
  for (const PreprocessPreset& row : PreprocessPresets()) {
    const Result<Preprocess> keys = ParsePreprocess(row.name);
    if (keys.ok() && (channels == 3 || keys->mean.size() <= 1))
      presets.push_back({&row, {keys->scale, keys->mean, keys->std}});
  }
  return presets;
}

// What to do, for image files and for arrays.
std::string Advice(const Preset& preset) {
  const std::string_view keys = preset.row->keys;
  const size_t scale = keys.find("scale=");
  return StrCat("use --preprocess ", preset.row->name, ", or prepare arrays with ",
                scale == std::string_view::npos ? "pixels from 0 to 255" : keys.substr(scale));
}

std::string WhatTheyAre(const ImageInput& input) {
  const ImageLook& look = input.look;
  return StrCat("input '", input.spec.name, "': wrong preprocessing? ", look.scale ? look.scale->name : "values from ",
                look.scale ? "" : StrCat(Number(look.min), " to ", Number(look.max)));
}

}  // namespace

std::string CheckSpread(const ImageInput& input, const TrainedLayers& layers, const RunContext& context) {
  const Result<SpreadAgainstTraining> now = MeasureSpread(layers, input.images, context);
  if (!now.ok() || now->divergence < kSuspicious) return "";
  const std::string what = StrCat(WhatTheyAre(input), " make the input of BatchNormalization '", layers.node, "' vary ",
                                  Number(now->ratio), " times as much as in training");
  std::vector<Fit> fits;
  if (input.look.scale != nullptr) {
    for (const Preset& preset : PresetsFor(input.spec.shape[input.channel_axis])) {
      const auto then =
          MeasureSpread(layers, AllPrepared(input.images, *input.look.scale, preset, input.channel_axis), context);
      if (then.ok() && then->divergence < kFits * now->divergence) fits.push_back({preset, -then->divergence});
    }
  }
  if (const std::optional<Fit> best = MostCommonOfTheBest(fits)) return StrCat(what, "; ", Advice(best->preset));
  return now->divergence >= kFar ? what : "";
}

std::string CheckClasses(const ImageInput& input, const Model& model, const RunContext& context) {
  Result<Session> session = Session::OpenModel(model, {.threads = context.ThreadCount()}, context);
  if (!session.ok()) return "";
  const auto scores_of = [&](const std::vector<Tensor>& images) -> std::optional<ClassScores> {
    ClassScores scores;
    for (const Tensor& image : images) {
      const auto outputs = session->Run({{input.spec.name, image}}, context);
      if (!outputs.ok()) return std::nullopt;
      scores.Add(outputs->front().tensor);
    }
    return scores;
  };
  const std::optional<ClassScores> now = scores_of(input.images);
  if (!now) return "";
  const double told_apart = now->ClassesToldApart();
  std::vector<Fit> fits;
  for (const Preset& preset : PresetsFor(input.spec.shape[input.channel_axis])) {
    const auto then = scores_of(AllPrepared(input.images, *input.look.scale, preset, input.channel_axis));
    if (then && then->ClassesToldApart() > kToldApart * told_apart && then->Agreement(*now) < kSameClasses)
      fits.push_back({preset, std::log(then->ClassesToldApart())});
  }
  const std::optional<Fit> best = MostCommonOfTheBest(fits);
  if (!best) return "";
  return StrCat(WhatTheyAre(input), "; the model distinguishes about ", std::lround(told_apart), " classes in ",
                input.images.size(), " samples, with preset ", best->preset.row->name, " ",
                std::lround(std::exp(best->quality)), "; ", Advice(best->preset));
}

bool IsClassifier(const Model& model) {
  const Graph& graph = model.graph;
  if (graph.inputs().size() != 1 || graph.outputs().size() != 1) return false;
  const std::optional<Shape> shape = graph.ShapeOf(graph.outputs()[0]);
  return shape && shape->size() == 2 && shape->back() > 2 && IsFloatingType(graph.TypeOf(graph.outputs()[0]));
}

}  // namespace preon

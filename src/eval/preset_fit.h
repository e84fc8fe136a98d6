// Which preset of --preprocess fits a model better than the images that it is given: by the values that its first
// BatchNormalization was trained with, or by the classes that it tells apart (docs/design/input-checks.md).
#pragma once

#include <string>
#include <vector>

#include "base/context.h"
#include "base/tensor_spec.h"
#include "data/image_look.h"
#include "eval/trained_spread.h"
#include "ir/graph.h"

namespace preon {

/// One image input, the first samples of it and how they look.
struct ImageInput {
  const TensorSpec& spec;
  size_t channel_axis;
  std::vector<Tensor> images;
  ImageLook look;
};

/// A float model with one input and one output of classes per sample.
bool IsClassifier(const Model& model);

// Both: a warning, or "" where nothing is suspicious or the model does not run.

/// Compares the values before a BatchNormalization with those of the training.
std::string CheckSpread(const ImageInput& input, const TrainedLayers& layers, const RunContext& context);
/// Runs a classifier on the images as they are and as each preset prepares them. `input.look.scale` is not null.
std::string CheckClasses(const ImageInput& input, const Model& model, const RunContext& context);

}  // namespace preon

// How far channels between two layers are balanced where that shall cost nothing elsewhere.
#pragma once

#include <span>

#include "algorithms/scaled_layer.h"
#include "formats/scale_type.h"
#include "formats/tensor_type.h"

namespace preon {

/// Steps between codes, as shares of what a scale is made for; 0: nothing is rounded.
struct CodeSteps {
  double weight, tensor;
};
/// @param tensor  the type of activations; a float type where they are not quantized
/// @param scale   the type of their scales
CodeSteps StepsOf(const TensorType& weight, const TensorType& tensor, ScaleType scale);

/// The power, 0 to 1, of these factors (per channel, what the outputs of `head` are multiplied by and the inputs of
/// `tail` divided by) with the least error that is to be expected behind `tail`, from the rounding of both weights and
/// of the tensor between, each with one scale. Without data: inputs of `head` count as independent with mean square 1.
double BestPower(const ScaledLayer& head, const ScaledLayer& tail, std::span<const double> factors,
                 const CodeSteps& steps);

}  // namespace preon

// RoundingErrors: how far the rounded tensors of a quantized model are from float, and what of that each makes itself.
#pragma once

#include <string>
#include <vector>

#include "base/context.h"
#include "data/data_source.h"
#include "handover/training_form.h"

namespace preon {

/// Sums of squares over all samples.
struct RoundingError {
  std::string name;  ///< in the float graph
  bool constant = false;
  double signal = 0;  ///< of the float values
  double own = 0;     ///< of what the tensor's own codes make of them
  double noise = 0;   ///< of the quantized model's difference from them; of constants the same as `own`
};

/// Of the activations of `form.tensors`, from the first runs of the source through both models, unoptimized. Tensors
/// that one of the models has under no such name are left out. Errors: the runtime's, the source's, kCancelled.
/// @param quantized  that the form was made of
Result<std::vector<RoundingError>> MeasureActivations(const Model& quantized, const TrainingForm& form,
                                                      DataSource& source, const RunContext& context);

/// JSON: by tensor, the worst first, `own_db` and `inherited_db`, decibels of the signal over what the tensor makes and
/// over what it gets; null where that is nothing.
std::string SensitivityText(std::vector<RoundingError> errors);

}  // namespace preon

// Scales and zero points that a file gives: they take the place of calibrated ones (--encodings).
#pragma once

#include "base/status.h"
#include "ir/graph.h"
#include "quantize/plan/plan_options.h"
#include "quantize/plan/quant_plan.h"

namespace preon {

/// The options with the number of bits, and with scales per channel, that `given_scales` has for single tensors.
PlanOptions WithGivenTypes(const Graph& graph, PlanOptions options);

/// Puts the scales and zero points of `given` into the plan: codes of the plan's type, signed or unsigned, that stand
/// for the same values. Tensors that share a scale get that of the first of them with an entry; entries of biases,
/// whose scales follow from others, are not read. Warns of entries without a quantizer in the plan.
/// Errors: kBadConfig naming the tensor where number of bits, axis or number of scales differ, or where the plan's
/// scales have another type; kConflictingOptions where no entry has a quantizer.
Status PutGivenScales(const Graph& graph, const std::map<std::string, TensorOverride>& given, QuantPlan* plan);

}  // namespace preon

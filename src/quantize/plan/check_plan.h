// Is every tensor of a plan one that can be written?
#pragma once

#include "base/status.h"
#include "formats/int_format.h"
#include "quantize/plan/quant_plan.h"

namespace preon {

class Graph;
struct QuantPlan;

/// Type, scale type, granularity and symmetry exist together, and scale and zero point that somebody gave are of the
/// type. Errors: kFormatCombination, kBadConfig, with the tensor.
Status CheckPlan(const QuantPlan& plan);

/// Has every convolution weights beside which the runtime can load it? Of one between pairs of 4 bits it makes a kernel
/// that has only 8 bits, where the weights are floats or have 8 bits (found with ONNX Runtime 1.30; other operators are
/// left alone). Errors: kConflictingOptions with the node and what works.
Status CheckConvolutions(const Graph& graph, const QuantPlan& plan);

/// Is the scale one of the type's? Errors: kBadConfig with one that is.
Status CheckScale(const QuantParams& params, ScaleType type);

/// Is the zero point one of the type's codes? Errors: kBadConfig with those that are.
Status CheckZeroPoint(const QuantParams& params, DataType type);

}  // namespace preon

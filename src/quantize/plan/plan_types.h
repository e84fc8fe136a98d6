// The names of the types that tensors of a plan have, for who reads a result.
#pragma once

#include <string>

#include "quantize/plan/plan_options.h"
#include "quantize/plan/quant_plan.h"

namespace preon {

/// What a tensor of such codes has as its type. @param block  in place of the format; may be null
TensorType TypeOf(const IntFormat& format, const BlockPlan* block);

struct PlanTypes {
  std::string activation, weight;
  std::string weight_stored_as;  ///< types with more bits that hold the codes of weights; "" where these fill theirs
};

/// The types of the options, for what settings change is told beside them. With given scales
/// (PlanOptions::given_scales), which bring types of their own: those that tensors have, as "int3, int8".
PlanTypes TypesOfPlan(const QuantPlan& plan, const TensorType& activation, const TensorType& weight,
                      bool has_given_scales);

}  // namespace preon

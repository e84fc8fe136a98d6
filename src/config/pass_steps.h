// What the steps of a list of passes mean here: passes of the registries, and what these are told.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/listed_passes.h"
#include "passes/pass.h"
#include "quantize/plan/pass_parameters.h"

namespace preon {

/// What the simplifier's pattern is here; "" where it is nothing.
std::string_view PassOfPattern(std::string_view pattern);
/// Registry names.
std::vector<std::string> PassesOf(const ListedStep& step);
/// Of align_scale, remove_qdq_between_op_types and constrain_per_channel_weight_scale. Errors: kBadConfig.
Result<PassParameters> ParametersOf(const ListedStep& step);
/// Of set_node_attributes. Errors: kBadConfig.
Result<std::vector<AttributeUpdate>> AttributesOf(const ListedStep& step);
/// Of cross_layer_equalization, as --algorithm takes it. Errors: kNotYetSupported.
Result<std::string> CleSetting(const ListedStep& step);
/// Of fix_shapes. Errors: kBadConfig.
Result<std::map<std::string, Shape>> ShapesOf(const ListedStep& step);

}  // namespace preon

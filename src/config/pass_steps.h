// What the steps of a list of passes mean here: passes of the registries, and what these are told.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/listed_passes.h"
#include "config/options.h"
#include "passes/pass.h"
#include "quantize/plan/pass_parameters.h"

namespace preon {

/// Of simplify_Options and the key SimplifyModelOptions: registry names of the passes that are left out. A pattern that
/// is nothing here is a warning. Errors: kUnknownOption, kBadOptionValue.
Result<std::vector<std::string>> SkippedPasses(const nlohmann::json& options, std::vector<std::string>& warnings);
/// The steps of a list (ListedSteps), whose parameters mean something as far as no model is needed to know. What has no
/// effect is a warning. Errors: those of ListedSteps, of SkippedPasses and of the functions below; kBadConfig.
Result<std::vector<ListedStep>> ReadPassList(const std::string& list, std::vector<std::string>& warnings);
/// Registry names.
std::vector<std::string> PassesOf(const ListedStep& step);
/// Of align_scale, remove_qdq_between_op_types and constrain_per_channel_weight_scale. Errors: kBadConfig.
Result<PassParameters> ParametersOf(const ListedStep& step);
/// Of set_node_attributes. Errors: kBadConfig.
Result<std::vector<AttributeUpdate>> AttributesOf(const ListedStep& step);
/// Of convert_fp16_to_fp32; empty: the whole model. Errors: kBadConfig.
Result<std::vector<Float16Part>> Float16PartsOf(const ListedStep& step);
/// Asks for cross-layer equalization as the step has it. Errors: those of AskForAlgorithm.
Status AskForCle(AlgorithmOptions& options, const ListedStep& step);
/// Of fix_shapes. Errors: kBadConfig.
Result<std::map<std::string, Shape>> ShapesOf(const ListedStep& step);

}  // namespace preon

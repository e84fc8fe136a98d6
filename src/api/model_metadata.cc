#include "api/model_metadata.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/version.h"
#include "config/json_text.h"
#include "quantize/plan/plan_types.h"

namespace preon {
namespace {

using Json = nlohmann::json;  // keys in order

constexpr std::string_view kLeftFloat = "preon.left_float";

Json MethodOptionsJson(const RangeOptions& ranges) {
  Json json = Json::object();
  for (const auto* options : {&ranges.method_keys, &ranges.method_options}) {
    for (const auto& [key, value] : *options) json[key] = value;
  }
  return json;
}

void AddPlan(const PlanOptions& plan, Json& json) {
  if (plan.activation_symmetric) json["symmetric"] = *plan.activation_symmetric;
  if (!plan.per_channel) json["per_tensor"] = true;
  if (plan.scale_type != ScaleType::kFloat32) json["scale_type"] = ScaleTypeName(plan.scale_type);
  if (plan.scale_type_of_weights() != plan.scale_type)
    json["weight_scale_type"] = ScaleTypeName(plan.scale_type_of_weights());
  if (plan.weight_rule.method) json["weight_method"] = WeightMethodName(*plan.weight_rule.method);
  if (plan.weight_rule.search)
    json["weight_search"] = WeightSearchNames().at(static_cast<size_t>(*plan.weight_rule.search));
  if (plan.compat != Compat::kOff) json["compat"] = CompatName(plan.compat);
  if (plan.scaled.activation) json["activation_scaled"] = true;
  if (plan.scaled.weight) json["weight_scaled"] = true;
  if (plan.bfloat16.casts) json["bfloat16"].push_back("casts");
  if (plan.bfloat16.clip) json["bfloat16"].push_back("clip");
  if (plan.bfloat16.vaiml) json["bfloat16"].push_back("vaiml");
  if (!plan.blocks.refine_axis) json["keep_block_axis"] = true;
  if (plan.weight_form) json["weight_form"] = WeightFormName(*plan.weight_form);
  if (plan.exclude.weights && plan.exclude.weights->excluded_too)
    json["float_weights"] = FloatStorageName(plan.exclude.weights->smallest);
  if (plan.block_size) json["block_size"] = *plan.block_size;
  if (plan.blocks.accuracy_level) json["accuracy_level"] = *plan.blocks.accuracy_level;
  if (plan.op_list.reduce_range) json["reduce_range"] = true;
  if (plan.vnni) json["vnni"] = true;
  if (!plan.exclude.names.empty()) json["exclude"] = plan.exclude.names;
  if (!plan.exclude.types.empty()) json["exclude_type"] = plan.exclude.types;
  if (!plan.passthrough.empty()) json["passthrough"] = plan.passthrough;
  const size_t settings =
      plan.settings.overrides.size() + plan.settings.layers.size() + plan.settings.base_overrides.size();
  if (settings > 0) json["tensor_settings"] = settings;
}

// Names and values of options that change the result and differ from the defaults.
Json OptionsJson(const Options& options, const Choices& choices) {
  Json json = Json::object();
  AddPlan(choices.plan, json);
  if (Json given = MethodOptionsJson(options.ranges); !given.empty()) json["method_option"] = std::move(given);
  if (!choices.algorithms.asked.empty()) json["algorithm"] = choices.algorithms.asked;
  if (!options.algorithms.disabled.empty()) json["disable_algorithm"] = options.algorithms.disabled;
  if (!choices.passes.disabled.empty()) json["disable_pass"] = choices.passes.disabled;
  if (!choices.passes.enabled.empty()) json["enable_pass"] = choices.passes.enabled;
  if (options.prepare.float16 == Float16::kConvert) json["float16"] = "convert";
  if (options.prepare.float16 == Float16::kOff) json["float16"] = "off";
  for (const auto& [tensor, shape] : options.prepare.fixed_shapes) json["fix_shape"][tensor] = shape;
  if (options.prepare.opset > 0) json["opset"] = options.prepare.opset;
  if (options.write.format == QuantFormat::kQOperator) json["format"] = "qoperator";
  if (options.plan.op_list.format == QuarkFormat::kExtended) json["format"] = "extended";
  if (options.write.nhwc) json["nhwc"] = true;
  for (const std::string& key : options.given.op_list_settings) {
    if (const auto value = options.given.keys.find(key); value != options.given.keys.end())
      json["option"][key] = value->second;
  }
  return json;
}

// By reason; nodes are named by their first outputs, since not all have names in the file.
Json LeftFloatJson(const Graph& graph, const QuantPlan& plan) {
  constexpr FloatReason kChosen[] = {FloatReason::kExcluded, FloatReason::kNoGain,    FloatReason::kTail,
                                     FloatReason::kMask,     FloatReason::kInputHead, FloatReason::kAccuracy};
  Json json = Json::object();
  for (const NodeDecision& node : plan.nodes) {
    const Node* left =
        std::ranges::find(kChosen, node.reason) == std::end(kChosen) ? nullptr : graph.FindNode(node.node);
    if (left != nullptr && !left->outputs().empty())
      json[std::string(FloatReasonName(node.reason))].push_back(left->output());
  }
  return json;
}

// Names come from the command line and from models and may be no UTF-8.
std::string Text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

std::map<std::string, std::string> LeftInFloat(const Model& model) {
  const auto property = std::ranges::find(model.metadata, kLeftFloat, &std::pair<std::string, std::string>::first);
  std::map<std::string, std::string> reasons;
  if (property == model.metadata.end()) return reasons;
  const Result<Json> json = ParseJson(property->second);
  if (!json.ok() || !json->is_object()) return reasons;
  for (const auto& [reason, nodes] : json->items()) {
    for (const Json& node : nodes) {
      if (node.is_string()) reasons.emplace(node, reason);
    }
  }
  return reasons;
}

void SetMetadata(PlannedModel& planned, const Options& options, const Choices& choices, const std::string& method) {
  Model& model = planned.model;
  std::erase_if(model.metadata, [](const auto& entry) { return entry.first.starts_with("preon."); });
  const auto add = [&](const char* name, std::string value) {
    if (!value.empty()) model.metadata.emplace_back(StrCat("preon.", name), std::move(value));
  };
  add("version", std::string(kVersion));
  add("method", method);
  add("target", std::string(choices.target->name()));
  const PlanTypes types =
      TypesOfPlan(planned.plan, choices.plan.activation, choices.plan.weight, !choices.plan.given_scales.empty());
  if (choices.target->QuantizesActivations()) add("activation", types.activation);
  add("weight", types.weight);
  if (choices.target->QuantizesActivations()) add("weight_stored_as", types.weight_stored_as);
  const Json changed = OptionsJson(options, choices);
  if (!changed.empty()) add("options", Text(changed));
  if (const Json left = LeftFloatJson(model.graph, planned.plan); !left.empty()) add("left_float", Text(left));
}

}  // namespace preon

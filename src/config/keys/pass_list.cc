#include "config/keys/pass_list.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "config/compound_options.h"
#include "config/option_table.h"
#include "config/option_values.h"
#include "config/pass_steps.h"

namespace preon {
namespace {

using Json = nlohmann::json;

// What is on by itself, and not part of a list that does not name it.
constexpr std::array kOnByDefault = {"SimplifyModel",       "OptimizeModel",
                                     "FoldBatchNorm",       "FuseInstanceNorm",
                                     "FuseL2Norm",          "FuseGelu",
                                     "FuseLayerNorm",       "RemoveInputInit",
                                     "ConvertBNToConv",     "ConvertReduceMeanToGlobalAvgPool",
                                     "ConvertSplitToSlice", "SplitLargeKernelPool"};

// {"x": [1, 3]} → "x:[1,3]".
std::string ShapesText(const Json& shapes) {
  std::string text;
  for (const auto& [name, shape] : shapes.items()) text += StrCat(text.empty() ? "" : ";", name, ":", shape.dump());
  return text;
}

// What has no key of its own.
Status SetWithoutKey(Options& options, const ListedStep& step) {
  const std::string_view name = step.pass->name;
  if (name == "align_scale") {
    PREON_ASSIGN_OR_RETURN(const PassParameters parameters, ParametersOf(step));
    for (const std::string& type : parameters.aligned_types) {
      const std::string key = StrCat("Align", type.ends_with("Pool") ? "Pool" : type);
      PREON_RETURN_IF_ERROR(SetKey(options, key, "true"));
    }
    return Status::Ok();
  }
  if (name == "cross_layer_equalization") {
    PREON_ASSIGN_OR_RETURN(const std::string setting, CleSetting(step));
    return AskForAlgorithm(options.algorithms, setting);
  }
  if (name == "set_node_attributes") {
    PREON_ASSIGN_OR_RETURN(const std::vector<AttributeUpdate> updates, AttributesOf(step));
    options.prepare.attributes.insert(options.prepare.attributes.end(), updates.begin(), updates.end());
  }
  if (name == "constrain_per_channel_weight_scale") {
    PREON_ASSIGN_OR_RETURN(const PassParameters parameters, ParametersOf(step));
    options.plan.op_list.parameters.floor = parameters.floor;
  }
  for (const std::string& pass : PassesOf(step)) options.prepare.passes.enabled.insert(pass);
  return Status::Ok();
}

Status SetPass(Options& options, const ListedStep& step) {
  const ListedPass& pass = *step.pass;
  if (pass.name == "copy_bias_init") return Status::Ok();  // each bias has codes of its own here
  if (pass.key.empty()) return step.is_on() ? SetWithoutKey(options, step) : Status::Ok();
  if (const Json& skipped = step["simplify_Options"]; !skipped.is_null())
    PREON_RETURN_IF_ERROR(SetKey(options, "SimplifyModelOptions", skipped.dump()));
  Json value = step[pass.parameters.front().name];
  if (value.is_null()) value = true;
  if (pass.name == "convert_fp16_to_fp32" && step["subgraphs_to_include"].is_array())
    value = step["subgraphs_to_include"];
  if (pass.key == "FixShapes") value = ShapesText(value);
  return SetKey(options, std::string(pass.key), value.is_string() ? value.get<std::string>() : value.dump());
}

}  // namespace

Status SetPassList(Options& options, const KeyValue& value) {
  PREON_ASSIGN_OR_RETURN(const std::vector<ListedStep> steps, ReadPassList(value.text));
  for (const char* key : kOnByDefault) {
    if (std::ranges::none_of(steps, [&](const ListedStep& step) { return step.pass->key == key; }))
      PREON_RETURN_IF_ERROR(SetKey(options, key, "false"));
  }
  for (const ListedStep& step : steps)
    PREON_RETURN_IF_ERROR(SetPass(options, step).WithContext(StrCat("onnx_", step.pass->name)));
  return Status::Ok();
}

Status SetSimplifierOptions(Options& options, const KeyValue& value) {
  const Json table = Json::parse(value.text);
  if (!table.is_object()) return BadValue(value.text, "a JSON object");
  for (const auto& [name, patterns] : table.items()) {
    if (name != "skip_fusion_patterns")
      return Error(ErrorId::kUnknownOption, "unknown entry '", name, "'; this version has skip_fusion_patterns");
    if (!patterns.is_array() || !std::ranges::all_of(patterns, &Json::is_string))
      return BadValue(patterns.dump(), "a list of names").WithContext(name);
    for (const std::string& pattern : patterns.get<std::vector<std::string>>()) {
      const std::string_view found = PassOfPattern(pattern);
      if (found.empty())
        options.given.warnings.push_back(
            StrCat("SimplifyModelOptions: '", pattern, "' has no effect: preon has no such pass"));
      else
        PREON_RETURN_IF_ERROR(SetOption(options, "disable-pass", std::string(found)));
    }
  }
  return Status::Ok();
}

}  // namespace preon

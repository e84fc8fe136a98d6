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
  if (name == "cross_layer_equalization") return AskForCle(options.algorithms, step);
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

Status Skip(Options& options, const Json& patterns, std::vector<std::string>& warnings) {
  PREON_ASSIGN_OR_RETURN(const std::vector<std::string> passes, SkippedPasses(patterns, warnings));
  for (const std::string& pass : passes) PREON_RETURN_IF_ERROR(SetOption(options, "disable-pass", pass));
  return Status::Ok();
}

Status SetPass(Options& options, const ListedStep& step) {
  const ListedPass& pass = *step.pass;
  if (pass.key.empty()) return step.is_on() ? SetWithoutKey(options, step) : Status::Ok();
  if (const Json& skipped = step["simplify_Options"]; !skipped.is_null()) {
    std::vector<std::string> told;  // when the list was read
    PREON_RETURN_IF_ERROR(Skip(options, skipped, told));
  }
  Json value = step[pass.parameters.front().name];
  if (value.is_null()) value = true;
  // As a pass it then does nothing; the key means all types.
  if (pass.name == "copy_shared_init" && value.empty()) return Status::Ok();
  if (pass.name == "convert_fp16_to_fp32" && step.is_on()) {
    PREON_ASSIGN_OR_RETURN(options.prepare.float16_parts, Float16PartsOf(step));
    if (!options.prepare.float16_parts.empty()) return SetOption(options, "float16", "off");  // the rest stays
  }
  if (pass.key == "FixShapes") value = ShapesText(value);
  if (pass.name == "convert_nchw_to_nhwc" && value.is_array()) {
    PREON_ASSIGN_OR_RETURN(const PassParameters parameters, ParametersOf(step));
    options.prepare.nhwc_of = parameters.nhwc;
    value = true;
  }
  return SetKey(options, std::string(pass.key), value.is_string() ? value.get<std::string>() : value.dump());
}

}  // namespace

bool IsPassListGiven(const std::map<std::string, std::string>& keys) {
  return keys.contains("ShapeShifterYaml") || keys.contains("PreprocessYAML");
}

Status SetPassList(Options& options, const KeyValue& value) {
  options.plan.op_list.preprocessing.skip = false;
  PREON_ASSIGN_OR_RETURN(const std::vector<ListedStep> steps, ReadPassList(value.text, options.given.warnings));
  for (const char* key : kOnByDefault) {
    if (std::ranges::none_of(steps, [&](const ListedStep& step) { return step.pass->key == key; }))
      PREON_RETURN_IF_ERROR(SetKey(options, key, "false"));
  }
  for (const ListedStep& step : steps)
    PREON_RETURN_IF_ERROR(SetPass(options, step).WithContext(StrCat("onnx_", step.pass->name)));
  return Status::Ok();
}

Status SetSimplifierOptions(Options& options, const KeyValue& value) {
  return Skip(options, Json::parse(value.text), options.given.warnings);
}

}  // namespace preon

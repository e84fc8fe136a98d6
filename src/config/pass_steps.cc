#include "config/pass_steps.h"

#include <algorithm>
#include <array>
#include <sstream>

#include "base/spelling.h"
#include "config/compound_options.h"
#include "config/json_values.h"
#include "config/option_values.h"
#include "ir/model_io.h"

namespace preon {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::string_view, 8> kAlignable = {"Concat", "MaxPool", "AveragePool", "GlobalAveragePool",
                                                        "Pad",    "Slice",   "Transpose",   "Reshape"};
// The simplifier's patterns and what leaves them out here (docs/options/preprocessing.md, SimplifyModelOptions).
using FusionPattern = std::pair<std::string_view, std::string_view>;
constexpr FusionPattern kPatterns[] = {{"FusionConvBN", "fold_batch_norm"},
                                       {"FusionConvAdd", "fold_affine"},
                                       {"FusionConvMul", "fold_affine"},
                                       {"FusionPadConv", "fold_pad"},
                                       {"FusionGelu", "fuse_gelu"}};

constexpr int64_t kOldestOpset = 7;  // as the key ConvertOpsetVersion

std::vector<std::string> Texts(const Json& value) {
  if (value.is_string()) return {value.get<std::string>()};
  return value.is_array() ? value.get<std::vector<std::string>>() : std::vector<std::string>();
}

bool AreWhole(const Json& list) { return std::ranges::all_of(list, &Json::is_number_integer); }
bool AreTexts(const Json& list) { return std::ranges::all_of(list, &Json::is_string); }
bool HaveFractions(const Json& list) { return std::ranges::all_of(list, &Json::is_number_float); }

std::optional<AttributeValue> AttributeOf(const Json& value) {
  if (value.is_number_integer()) return AttributeValue(value.get<int64_t>());
  if (value.is_number_float()) return AttributeValue(value.get<float>());
  if (value.is_string()) return AttributeValue(value.get<std::string>());
  if (!value.is_array() || value.empty()) return std::nullopt;
  if (AreWhole(value)) return AttributeValue(value.get<std::vector<int64_t>>());
  if (HaveFractions(value)) return AttributeValue(value.get<std::vector<float>>());
  if (AreTexts(value)) return AttributeValue(value.get<std::vector<std::string>>());
  return std::nullopt;
}

void SetNumber(const Json& value, double& field) {
  if (!value.is_null()) field = value.get<double>();
}
void SetSwitch(const Json& value, bool& field) {
  if (!value.is_null()) field = value.get<bool>();
}

Status CheckStep(const ListedStep& step, std::vector<std::string>& warnings) {
  if (const Json& options = step["simplify_Options"]; !options.is_null())
    PREON_RETURN_IF_ERROR(SkippedPasses(options, warnings).status().WithContext("simplify_Options"));
  if (const Json& opset = step["target_opset_version"]; !opset.is_null()) {
    const auto wanted = opset.get<int64_t>();
    if (wanted < kOldestOpset || wanted > NewestOpset())
      return Error(ErrorId::kBadConfig, "target_opset_version: got ", wanted, ", wanted ", kOldestOpset, " to ",
                   NewestOpset());
  }
  if (const Json& images = step["convert_nchw_to_nhwc"]; images.is_array() && images.empty())
    return Error(ErrorId::kBadConfig,
                 "convert_nchw_to_nhwc: got [], wanted true, false or names of inputs and outputs");
  PREON_RETURN_IF_ERROR(ParametersOf(step).status());
  PREON_RETURN_IF_ERROR(AttributesOf(step).status());
  PREON_RETURN_IF_ERROR(ShapesOf(step).status());
  PREON_RETURN_IF_ERROR(Float16PartsOf(step).status());
  AlgorithmOptions unused;
  return step.pass->name == "cross_layer_equalization" ? AskForCle(unused, step) : Status::Ok();
}

}  // namespace

Result<std::vector<std::string>> SkippedPasses(const Json& options, std::vector<std::string>& warnings) {
  const std::vector<std::string> entries = {"skip_fusion_patterns"};
  if (!options.is_object()) return BadValue(options.dump(), "a JSON object");
  std::vector<std::string> passes;
  for (const auto& [name, patterns] : options.items()) {
    if (name != entries.front())
      return Error(ErrorId::kUnknownOption, "unknown entry '", name, "'; this version has ", entries.front(),
                   DidYouMean(name, entries));
    if (!patterns.is_array() || !AreTexts(patterns))
      return BadValue(patterns.dump(), "a list of names").WithContext(name);
    for (const std::string& pattern : Texts(patterns)) {
      if (const auto known = std::ranges::find(kPatterns, pattern, &FusionPattern::first);
          known != std::end(kPatterns)) {
        passes.emplace_back(known->second);
        continue;
      }
      std::vector<std::string> names;
      for (const FusionPattern& each : kPatterns) names.emplace_back(each.first);
      warnings.push_back(StrCat("SimplifyModelOptions: '", pattern, "' has no effect: preon has no such pass",
                                DidYouMean(pattern, names)));
    }
  }
  return passes;
}

Result<std::vector<ListedStep>> ReadPassList(const std::string& list, std::vector<std::string>& warnings) {
  PREON_ASSIGN_OR_RETURN(std::vector<ListedStep> steps, ListedSteps(list));
  for (const ListedStep& step : steps)
    PREON_RETURN_IF_ERROR(CheckStep(step, warnings).WithContext(StrCat("onnx_", step.pass->name)));
  if (steps.empty()) warnings.push_back("the list of passes is empty: no pass runs");
  return steps;
}

std::vector<std::string> PassesOf(const ListedStep& step) {
  std::istringstream names{std::string(step.pass->passes)};
  std::vector<std::string> passes;
  for (std::string name; names >> name;) passes.push_back(name);
  const Json& options = step["simplify_Options"];
  std::vector<std::string> told;  // before, when the list was read
  if (options.is_null()) return passes;
  for (const std::string& skipped : *SkippedPasses(options, told)) std::erase(passes, skipped);
  return passes;
}

Result<PassParameters> ParametersOf(const ListedStep& step) {
  PassParameters parameters;
  for (const std::string& type : Texts(step["align_scale"])) {
    if (std::ranges::find(kAlignable, type) == kAlignable.end()) {
      const std::vector<std::string> known(kAlignable.begin(), kAlignable.end());
      return Error(ErrorId::kBadConfig, "align_scale: got ", type, ", wanted ", JoinNames(known),
                   DidYouMean(type, known));
    }
    parameters.aligned_types.insert(type);
  }
  for (const Json& pair : step["remove_qdq_between_op_types"]) {
    if (!pair.is_array() || pair.size() != 2 || !AreTexts(pair))
      return Error(ErrorId::kBadConfig, "remove_qdq_between_op_types: got ", pair.dump(),
                   ", wanted two operator types, for example [Mul, Add]");
    parameters.pairless.emplace_back(pair[0].get<std::string>(), pair[1].get<std::string>());
  }
  if (step["convert_nchw_to_nhwc"].is_array()) {
    for (std::string& name : Texts(step["convert_nchw_to_nhwc"])) parameters.nhwc.insert(std::move(name));
  }
  SetNumber(step["min_w_scale"], parameters.floor.least);
  SetNumber(step["maxmin_scale_ratio"], parameters.floor.most_ratio);
  SetSwitch(step["adaptive_min_w_scale"], parameters.floor.adaptive);
  SetSwitch(step["adjust_bias"], parameters.floor.adjusts_bias);
  if (!(parameters.floor.least > 0) || !(parameters.floor.most_ratio >= 1))
    return Error(ErrorId::kBadConfig, "wanted min_w_scale above 0 and maxmin_scale_ratio of 1 or more");
  return parameters;
}

Result<std::vector<AttributeUpdate>> AttributesOf(const ListedStep& step) {
  std::vector<AttributeUpdate> updates;
  for (const Json& entry : step["node_attribute_updates"]) {
    const bool fits = entry.is_object() && entry.contains("node_name") && entry["node_name"].is_string() &&
                      entry.contains("attributes") && entry["attributes"].is_object();
    if (!fits)
      return Error(ErrorId::kBadConfig, "node_attribute_updates: got ", entry.dump(),
                   ", wanted {node_name: NAME, attributes: {ATTRIBUTE: VALUE}}");
    const std::string node = entry["node_name"].get<std::string>();
    for (const auto& [name, value] : entry["attributes"].items()) {
      const std::optional<AttributeValue> attribute = AttributeOf(value);
      if (!attribute)
        return Error(ErrorId::kBadConfig, "node_attribute_updates: node '", node, "', attribute ", name, ": got ",
                     value.dump(), ", wanted a number, text, or a list of one of them");
      updates.push_back({node, name, *attribute});
    }
  }
  return updates;
}

Result<std::vector<Float16Part>> Float16PartsOf(const ListedStep& step) {
  std::vector<Float16Part> parts;
  for (const Json& part : step["subgraphs_to_include"]) {
    const bool fits = part.is_array() && part.size() == 2 &&
                      std::ranges::all_of(part, [](const Json& nodes) { return nodes.is_array() && AreTexts(nodes); });
    if (!fits)
      return Error(ErrorId::kBadConfig, "subgraphs_to_include: got ", part.dump(),
                   ", wanted [[FIRST NODES], [LAST NODES]], for example [[conv_1], [relu_3]]");
    parts.push_back({part[0].get<std::vector<std::string>>(), part[1].get<std::vector<std::string>>()});
  }
  return parts;
}

Status AskForCle(AlgorithmOptions& options, const ListedStep& step) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"cle_steps", "steps"},
      {"cle_weight_threshold", "weight-threshold"},
      {"cle_scale_use_threshold", "use-threshold"},
      {"cle_scale_append_bias", "append-bias"},
      {"cle_total_layer_diff_threshold", "diff-threshold"},
      {"cle_balance_method", "balance"},
      {"replace_clip6_relu", "replace-clip6"}};
  constexpr std::pair<std::string_view, std::string_view> kLists[] = {
      {"op_types_to_quantize", "op-types"}, {"nodes_to_quantize", "nodes"}, {"nodes_to_exclude", "exclude"}};
  std::string setting = "cle";
  for (const auto& [parameter, option] : kNames) {
    const Json& value = step[parameter];
    if (value.is_null()) continue;
    setting +=
        StrCat(setting == "cle" ? ":" : ",", option, "=", value.is_string() ? value.get<std::string>() : value.dump());
  }
  PREON_RETURN_IF_ERROR(AskForAlgorithm(options, setting));
  for (const auto& [parameter, option] : kLists) {  // names may hold what separates options in a setting
    const Json& value = step[parameter];
    if (value.is_array()) options.asked.at("cle").values[std::string(option)] = value.dump();
  }
  return Status::Ok();
}

Result<std::map<std::string, Shape>> ShapesOf(const ListedStep& step) {
  std::map<std::string, Shape> shapes;
  const Json& given = step["input_output_name_shapes"];
  for (const auto& [name, sizes] : given.items()) {
    if (!sizes.is_array() || !AreWhole(sizes))
      return Error(ErrorId::kBadConfig, "input_output_name_shapes: ", name, ": got ", sizes.dump(),
                   ", wanted a list of whole numbers");
    shapes[name] = sizes.get<Shape>();
  }
  return shapes;
}

}  // namespace preon

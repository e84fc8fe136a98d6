#include "config/pass_steps.h"

#include <algorithm>
#include <array>
#include <sstream>

#include "base/spelling.h"
#include "config/json_values.h"

namespace preon {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::string_view, 8> kAlignable = {"Concat", "MaxPool", "AveragePool", "GlobalAveragePool",
                                                        "Pad",    "Slice",   "Transpose",   "Reshape"};
// The simplifier's patterns and what leaves them out here (docs/options/preprocessing.md, SimplifyModelOptions).
constexpr std::pair<std::string_view, std::string_view> kPatterns[] = {{"FusionConvBN", "fold_batch_norm"},
                                                                       {"FusionConvAdd", "fold_affine"},
                                                                       {"FusionConvMul", "fold_affine"},
                                                                       {"FusionPadConv", "fold_pad"},
                                                                       {"FusionGelu", "fuse_gelu"}};

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

}  // namespace

std::string_view PassOfPattern(std::string_view pattern) {
  const auto known = std::ranges::find(kPatterns, pattern, &std::pair<std::string_view, std::string_view>::first);
  return known == std::end(kPatterns) ? "" : known->second;
}

std::vector<std::string> PassesOf(const ListedStep& step) {
  std::istringstream names{std::string(step.pass->passes)};
  std::vector<std::string> passes;
  for (std::string name; names >> name;) passes.push_back(name);
  const Json& options = step["simplify_Options"];
  if (!options.is_object() || !options.contains("skip_fusion_patterns")) return passes;
  for (const std::string& pattern : Texts(options["skip_fusion_patterns"])) std::erase(passes, PassOfPattern(pattern));
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

Result<std::string> CleSetting(const ListedStep& step) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"cle_steps", "steps"},
      {"cle_weight_threshold", "weight-threshold"},
      {"cle_scale_use_threshold", "use-threshold"},
      {"cle_scale_append_bias", "append-bias"},
      {"cle_total_layer_diff_threshold", "diff-threshold"},
      {"cle_balance_method", "balance"},
      {"replace_clip6_relu", "replace-clip6"}};
  std::string setting = "cle";
  for (const auto& [parameter, option] : kNames) {
    const Json& value = step[parameter];
    if (value.is_null()) continue;
    setting +=
        StrCat(setting == "cle" ? ":" : ",", option, "=", value.is_string() ? value.get<std::string>() : value.dump());
  }
  return setting;
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

#include "api/qconfig.h"

#include <algorithm>
#include <array>

#include "api/config.h"
#include "api/json_values.h"
#include "api/keys/keys.h"
#include "api/option_table.h"
#include "base/spelling.h"

namespace preon {
namespace {

using Json = nlohmann::json;

constexpr ConfigField kFields[] = {
    {"QConfig.global_config", "QLayerConfig", "", "what holds for every layer; needs input_tensors and weight"},
    {"QConfig.specific_layer_config", "list of [QLayerConfig, selectors]", "[]", "over that, for nodes by name, ^pattern or sub-graph"},
    {"QConfig.layer_type_config", "list of [QLayerConfig or null, operator types]", "[]", "over the global one, by operator type; null leaves them in float"},
    {"QConfig.exclude", "list of selectors", "[]", "nodes that stay float: names, ^patterns, sub-graphs [[starts], [ends]]"},
    {"QConfig.algo_config", "list of {\"name\": ..., parameters}", "[]", "algorithms; of these this version runs bias_correction"},
    {"QConfig.use_external_data_format", "true or false", "false", "large tensors in a file beside the model"},
    {"QConfig.extra_options", "table", "{}", "keys, each with a description of its own"},
    {"QConfig.preon_options", "table", "{}", "options of ours by their long names (not in the reference)"},
    {"QLayerConfig.input_tensors", "QTensorConfig", "null", "activations that a layer reads"},
    {"QLayerConfig.activation", "QTensorConfig", "null", "older name of input_tensors"},
    {"QLayerConfig.weight", "QTensorConfig", "null", "constants that it reads"},
    {"QLayerConfig.bias", "QTensorConfig", "null", "its bias, instead of 32-bit codes that fit input and weight"},
    {"QLayerConfig.output_tensors", "QTensorConfig", "null", "what it writes; default: as its readers read it"},
    {"QTensorConfig.symmetric", "true or false", "", "zero point in the middle"},
    {"QTensorConfig.scale_type", "Float32, PowerOf2 or Int16", "", "which scales there are"},
    {"QTensorConfig.calibration_method", "method", "", "how the range follows from the values"},
    {"QTensorConfig.quant_granularity", "Tensor, Channel or Group", "", "which values share a scale; Group wants the key WeightBlockSize"},
    {"QTensorConfig.data_type", "number format", "", "the type"},
};

constexpr std::array kAlgorithms = {"cle", "smooth_quant", "quarot", "bias_correction", "gptq", "auto_mixprecision", "adaround", "adaquant"};

enum class Granularity { kTensor, kChannel, kGroup };

struct TensorSpec {
  bool symmetric = true;
  ScaleType scale_type = ScaleType::kFloat32;
  std::string method;
  Granularity granularity = Granularity::kTensor;
  TensorType type = DataType::kInt8;

  /// Of values with a range: blocks and unscaled halves have none.
  bool is_integer() const { return type.block() == nullptr && IsIntType(type.type()); }
};

// "ScaleType.PowerOf2" or "PowerOf2".
Result<std::string> Member(const Json& spec, const char* key) {
  const Json& value = spec.at(key);
  if (!value.is_string()) return WrongType(value, "a name").WithContext(key);
  const std::string text = value.get<std::string>();
  return text.substr(text.rfind('.') == std::string::npos ? 0 : text.rfind('.') + 1);
}

Status CheckKeys(const Json& object, std::string_view of) {
  if (!object.is_object()) return WrongType(object, StrCat("a ", of));
  std::vector<std::string> known;
  for (const ConfigField& field : kFields) {
    if (field.name.starts_with(StrCat(of, "."))) known.emplace_back(field.name.substr(of.size() + 1));
  }
  for (const auto& [key, ignored] : object.items()) {
    if (std::ranges::find(known, key) == known.end())
      return Error(ErrorId::kBadConfig, "'", key, "' is no field of ", of, DidYouMean(key, known));
  }
  return Status::Ok();
}

Result<Granularity> ParseGranularity(const std::string& name) {
  constexpr std::array kNames = {std::pair("Tensor", Granularity::kTensor), std::pair("Channel", Granularity::kChannel),
                                 std::pair("Group", Granularity::kGroup)};
  for (const auto& [known, granularity] : kNames) {
    if (name == known) return granularity;
  }
  return Error(ErrorId::kBadConfig, "quant_granularity: got '", name, "', wanted Tensor, Channel or Group");
}

Result<TensorSpec> ParseSpec(const Json& json) {
  PREON_RETURN_IF_ERROR(CheckKeys(json, "QTensorConfig"));
  for (const char* field : {"symmetric", "scale_type", "calibration_method", "quant_granularity", "data_type"}) {
    if (!json.contains(field)) return Error(ErrorId::kBadConfig, "no ", field, " given, which every QTensorConfig has");
  }
  TensorSpec spec;
  if (!json["symmetric"].is_boolean()) return WrongType(json["symmetric"], "true or false").WithContext("symmetric");
  spec.symmetric = json["symmetric"].get<bool>();
  PREON_ASSIGN_OR_RETURN(const std::string scale_type, Member(json, "scale_type"));
  Result<ScaleType> parsed_scale = ParseScaleType(scale_type);
  if (!parsed_scale.ok()) return std::move(parsed_scale).status().WithContext("scale_type");
  spec.scale_type = *parsed_scale;
  PREON_ASSIGN_OR_RETURN(spec.method, Member(json, "calibration_method"));
  const Result<const RangeMethod*> method = MakeBuiltins().methods.Find(spec.method);
  if (!method.ok()) return Status(method.status()).WithContext("calibration_method");
  PREON_ASSIGN_OR_RETURN(const std::string granularity, Member(json, "quant_granularity"));
  PREON_ASSIGN_OR_RETURN(spec.granularity, ParseGranularity(granularity));
  PREON_ASSIGN_OR_RETURN(const std::string type, Member(json, "data_type"));
  Result<TensorType> parsed_type = ParseTensorType(type);
  if (!parsed_type.ok()) return std::move(parsed_type).status().WithContext("data_type");
  spec.type = *parsed_type;
  return spec;
}

// Roles by their names; `activation` is put under input_tensors.
Result<std::map<std::string, TensorSpec>> ParseLayer(const Json& json) {
  PREON_RETURN_IF_ERROR(CheckKeys(json, "QLayerConfig"));
  std::map<std::string, TensorSpec> roles;
  for (const auto& [role, spec] : json.items()) {
    if (spec.is_null()) continue;
    Result<TensorSpec> parsed = ParseSpec(spec);
    if (!parsed.ok()) return std::move(parsed).status().WithContext(role);
    const bool older = role == "activation" && json.contains("input_tensors") && !json["input_tensors"].is_null();
    if (older && json["input_tensors"] != spec)
      return Error(ErrorId::kBadConfig, "Both `activation` and `input_tensors` are provided. Please just use `input_tensors`.");
    roles[role == "activation" ? "input_tensors" : role] = *parsed;
  }
  return roles;
}

// What the role of a layer says of a tensor.
TensorOverride OverrideOf(const TensorSpec& spec, bool constant) {
  TensorOverride wanted{.type = spec.type};
  if (!spec.is_integer()) return wanted;
  wanted.symmetric = spec.symmetric;
  wanted.scale_type = spec.scale_type;
  wanted.method = ToLower(spec.method);
  if (constant) wanted.per_channel = spec.granularity == Granularity::kChannel;
  return wanted;
}

Status CheckRole(const TensorSpec& spec, std::string_view role, const Options& options) {
  const bool constant = role == "weight" || role == "bias";
  if (!constant && spec.granularity != Granularity::kTensor)
    return Error(ErrorId::kBadConfig, role, ": quant_granularity: activations have one scale, wanted Tensor");
  if (spec.granularity == Granularity::kGroup && !options.plan.block_size)
    return Error(ErrorId::kBadConfig, role, ": quant_granularity: Group wants extra_options {\"WeightBlockSize\": N}");
  return Status::Ok();
}

LayerOverride LayerOf(const std::map<std::string, TensorSpec>& roles) {
  LayerOverride layer;
  for (const auto& [role, spec] : roles) {
    const TensorOverride wanted = OverrideOf(spec, role == "weight" || role == "bias");
    (role == "input_tensors" ? layer.input : role == "weight" ? layer.weight : role == "bias" ? layer.bias : layer.output) = wanted;
  }
  return layer;
}

Status SetGlobalActivation(Options& options, const TensorSpec& spec) {
  PREON_RETURN_IF_ERROR(SetOption(options, "activation", spec.type.name()));
  if (!spec.is_integer()) return Status::Ok();   // nothing is calibrated, or the type says it
  PREON_RETURN_IF_ERROR(SetOption(options, "symmetric", spec.symmetric ? "true" : "false"));
  PREON_RETURN_IF_ERROR(SetOption(options, "scale-type", std::string(ScaleTypeName(spec.scale_type))));
  return SetOption(options, "method", spec.method);
}

Status SetGlobalWeight(Options& options, const TensorSpec& spec) {
  PREON_RETURN_IF_ERROR(SetOption(options, "weight", spec.type.name()));
  if (!spec.is_integer()) return Status::Ok();
  options.plan.weight_symmetric = spec.symmetric;
  PREON_RETURN_IF_ERROR(SetOption(options, "weight-scale-type", std::string(ScaleTypeName(spec.scale_type))));
  if (!options.plan.weight_rule.method)
    PREON_RETURN_IF_ERROR(SetOption(options, "weight-method", ToLower(spec.method) == "minmse" ? "minmse" : "minmax"));
  return spec.granularity == Granularity::kTensor ? SetOption(options, "per-tensor", "true") : Status::Ok();
}

Status ApplyGlobal(Options& options, const Json& json) {
  PREON_ASSIGN_OR_RETURN(auto roles, ParseLayer(json));
  if (!roles.contains("input_tensors")) return Error(ErrorId::kBadConfig, "You must specify `input_tensors`.");
  if (!roles.contains("weight"))
    return Error(ErrorId::kBadConfig, "You must specify either `weight`.")
        .WithHint("QLayerConfig(a, b) of Python sets input_tensors and activation: name the roles");
  for (const auto& [role, spec] : roles) PREON_RETURN_IF_ERROR(CheckRole(spec, role, options));
  if (options.target == "matmul-nbits") return Status::Ok();  // UseMatMulNBits: its own parameters say all
  PREON_RETURN_IF_ERROR(SetGlobalActivation(options, roles["input_tensors"]).WithContext("input_tensors"));
  PREON_RETURN_IF_ERROR(SetGlobalWeight(options, roles["weight"]).WithContext("weight"));
  if (roles["input_tensors"].scale_type == ScaleType::kPowerOfTwo && roles["weight"].scale_type == ScaleType::kPowerOfTwo) {
    options.warnings.push_back("power-of-two scales for activations and weights: in the reference's layout, but without what it "
                               "changes for NPUs (limits of shifts, operators of the DPU)");
  }
  roles.erase("input_tensors");
  roles.erase("weight");
  if (!roles.empty()) options.plan.layers.push_back(LayerOf(roles));
  return Status::Ok();
}

Result<std::vector<std::string>> Names(const Json& json, std::string_view what) {
  if (!json.is_array() || !std::ranges::all_of(json, &Json::is_string)) return WrongType(json, StrCat("a list of ", what));
  return json.get<std::vector<std::string>>();
}

// A name, a ^pattern, or [[starts], [ends]].
Status AddSelector(const Json& json, NodeSelectors* selectors) {
  if (json.is_string()) {
    selectors->patterns.push_back(json.get<std::string>());
    return Status::Ok();
  }
  const bool pair = json.is_array() && json.size() == 2 && json[0].is_array() && json[1].is_array();
  if (!pair) return Error(ErrorId::kBadConfig, "got ", json.dump(), ", wanted a node's name, a ^pattern, or a sub-graph [[starts], [ends]]");
  SubGraphSelector sub_graph;
  PREON_ASSIGN_OR_RETURN(sub_graph.starts, Names(json[0], "node names"));
  PREON_ASSIGN_OR_RETURN(sub_graph.ends, Names(json[1], "node names"));
  selectors->sub_graphs.push_back(std::move(sub_graph));
  return Status::Ok();
}

Status AddLayers(Options& options, const Json& json, bool by_type) {
  if (!json.is_array()) return WrongType(json, "a list of [layer configuration, selectors]");
  for (const Json& entry : json) {
    if (!entry.is_array() || entry.size() != 2 || !entry[1].is_array())
      return Error(ErrorId::kBadConfig, "got ", entry.dump(), ", wanted [layer configuration, list of ", by_type ? "operator types]" : "selectors]");
    if (entry[0].is_null()) {
      if (!by_type) return Error(ErrorId::kBadConfig, "got null as layer configuration; nodes are left out by exclude");
      PREON_ASSIGN_OR_RETURN(const auto types, Names(entry[1], "operator types"));
      for (const std::string& type : types) PREON_RETURN_IF_ERROR(SetOption(options, "exclude-type", type));
      continue;
    }
    const Json& layer_json = entry[0];
    if (!by_type && layer_json.contains("activation") && !layer_json.contains("input_tensors"))
      return Error(ErrorId::kBadConfig, "`activation` of a layer is its older name: wanted `input_tensors`");
    PREON_ASSIGN_OR_RETURN(const auto roles, ParseLayer(layer_json));
    for (const auto& [role, spec] : roles) PREON_RETURN_IF_ERROR(CheckRole(spec, role, options));
    LayerOverride layer = LayerOf(roles);
    if (by_type) {
      PREON_ASSIGN_OR_RETURN(layer.selectors.op_types, Names(entry[1], "operator types"));
    } else {
      for (const Json& selector : entry[1]) PREON_RETURN_IF_ERROR(AddSelector(selector, &layer.selectors));
    }
    if (!entry[1].empty()) options.plan.layers.push_back(std::move(layer));
  }
  return Status::Ok();
}

Status AddExclude(Options& options, const Json& json) {
  if (!json.is_array()) return WrongType(json, "a list of selectors");
  for (const Json& selector : json) {
    if (selector.is_string()) {
      PREON_RETURN_IF_ERROR(SetOption(options, "exclude", selector.get<std::string>()));
    } else {
      PREON_RETURN_IF_ERROR(AddSelector(selector, &options.plan.exclude_paths));
    }
  }
  return Status::Ok();
}

Status ApplyAlgorithms(const Json& json) {
  if (!json.is_array()) return WrongType(json, "a list of algorithms");
  for (const Json& algorithm : json) {
    if (!algorithm.is_object() || !algorithm.contains("name") || !algorithm["name"].is_string())
      return Error(ErrorId::kBadConfig, "Algo config dict must contain field 'name'.");
    const std::string name = algorithm["name"].get<std::string>();
    const std::vector<std::string> known(kAlgorithms.begin(), kAlgorithms.end());
    if (std::ranges::find(known, name) == known.end()) return Error(ErrorId::kBadConfig, "Unknown algo name: ", name, DidYouMean(name, known));
    if (name == "bias_correction") continue;   // always done
    return Error(ErrorId::kNotYetSupported, "'", name, "' is not in this version, which has bias_correction");
  }
  return Status::Ok();
}

Status ApplyExternalData(Options& options, const Json& json) {
  if (!json.is_boolean()) return WrongType(json, "true or false");
  return json.get<bool>() ? SetOption(options, "external-data", "true") : Status::Ok();
}

}  // namespace

std::span<const ConfigField> QConfigFields() { return kFields; }

bool IsQConfig(const Json& json) { return json.is_object() && json.contains("global_config"); }

Status ApplyQConfig(Options& options, const Json& config) {
  PREON_RETURN_IF_ERROR(CheckKeys(config, "QConfig"));
  const auto part = [&](const char* name, Json fallback) {
    const auto found = config.find(name);
    return found == config.end() || found->is_null() ? std::move(fallback) : *found;
  };
  PREON_RETURN_IF_ERROR(ApplyExtraOptions(options, part("extra_options", Json::object())));
  options.layout_hints = std::exchange(options.layout_settings, {});
  PREON_RETURN_IF_ERROR(ApplyGlobal(options, part("global_config", Json::object())).WithContext("global_config"));
  PREON_RETURN_IF_ERROR(AddLayers(options, part("layer_type_config", Json::array()), true).WithContext("layer_type_config"));
  PREON_RETURN_IF_ERROR(AddLayers(options, part("specific_layer_config", Json::array()), false).WithContext("specific_layer_config"));
  PREON_RETURN_IF_ERROR(AddExclude(options, part("exclude", Json::array())).WithContext("exclude"));
  PREON_RETURN_IF_ERROR(ApplyAlgorithms(part("algo_config", Json::array())).WithContext("algo_config"));
  PREON_RETURN_IF_ERROR(ApplyExternalData(options, part("use_external_data_format", false)).WithContext("use_external_data_format"));
  const bool reference_layout = !options.target;
  PREON_RETURN_IF_ERROR(ApplyConfigObject(options, part("preon_options", Json::object())).WithContext("preon_options"));
  if (reference_layout && !options.target) options.target = "quark";
  return Status::Ok();
}

Status ApplyQConfigText(Options& options, const std::string& text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!IsQConfig(json)) return Error(ErrorId::kBadConfig, "QConfig dict must contain field 'global_config'.");
  return ApplyQConfig(options, json);
}

}  // namespace preon

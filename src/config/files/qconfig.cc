#include "config/files/qconfig.h"

#include <algorithm>

#include "algorithms/algorithms.h"
#include "base/spelling.h"
#include "config/builtins.h"
#include "config/compound_options.h"
#include "config/files/config_object.h"
#include "config/files/layer_config.h"
#include "config/files/precision_parameters.h"
#include "config/files/qconfig_fields.h"
#include "config/float_scales.h"
#include "config/json_text.h"
#include "config/json_values.h"
#include "config/keys/algorithm_settings.h"
#include "config/keys/keys.h"
#include "config/option_table.h"
#include "formats/combination.h"
#include "quantize/settings/tensor_settings.h"

namespace preon {
namespace {

using Json = nlohmann::json;

// Beside the fields, by preon's Python package: {option: field of the older configuration that stood for it}.
constexpr const char* kOptionNames = "option_names";

// Are weights all that the target quantizes? Its keys then say what weights in blocks need.
bool QuantizesWeightsAlone(const std::optional<std::string>& name) {
  if (!name) return false;
  const Builtins builtins = MakeBuiltins();
  const Result<const Target*> target = builtins.targets.Find(*name);
  return target.ok() && !(*target)->QuantizesActivations();
}

// Where a key and the specs set the same. Int16Scale goes over Float32, which is what specs have unasked.
void SettleKeys(Options& options, TensorConfig& spec, std::string_view role, const char* symmetric) {
  const auto is_on = [&](const char* key) { return options.given.keys.at(key) == "true"; };
  const auto warn = [&](const char* key, std::string_view field) {
    options.given.warnings.push_back(StrCat(key, ": has no effect: ", field, " of ", role, " overrides it"));
  };
  if (options.given.keys.contains(symmetric) && spec.is_integer() && is_on(symmetric) != spec.symmetric)
    warn(symmetric, "symmetric");
  if (!options.given.keys.contains("Int16Scale") || !is_on("Int16Scale") || !spec.is_integer()) return;
  if (spec.scale_type == ScaleType::kFloat32)
    spec.scale_type = ScaleType::kInt16;
  else if (spec.scale_type != ScaleType::kInt16)
    warn("Int16Scale", "scale_type");
}

Status SetGlobalActivation(Options& options, const TensorConfig& spec) {
  std::map<std::string, std::string>& name_of = options.given.origins.key_of;
  PREON_RETURN_IF_ERROR(SetOption(options, "activation", spec.type.name()));
  name_of["activation"] = "data_type of input_tensors";
  if (!HasScale(spec.type, options.plan.scaled.activation)) return Status::Ok();
  if (spec.is_integer()) {
    PREON_RETURN_IF_ERROR(SetOption(options, "symmetric", spec.symmetric ? "true" : "false"));
    const bool by_key = options.given.keys.contains("ActivationSymmetric");
    name_of["symmetric"] = by_key ? "ActivationSymmetric" : "symmetric of input_tensors";
  }
  PREON_RETURN_IF_ERROR(SetOption(options, "scale-type", std::string(ScaleTypeName(spec.scale_type))));
  name_of["scale-type"] = "scale_type of input_tensors";
  PREON_RETURN_IF_ERROR(SetOption(options, "method", spec.method));
  name_of["method"] = "calibration_method of input_tensors";
  options.given.origins.hints.emplace("method");  // every Spec has one
  return Status::Ok();
}

Status SetGlobalWeight(Options& options, const TensorConfig& spec) {
  std::map<std::string, std::string>& name_of = options.given.origins.key_of;
  PREON_RETURN_IF_ERROR(SetOption(options, "weight", spec.type.name()));
  name_of["weight"] = "data_type of weight";
  if (!HasScale(spec.type, options.plan.scaled.weight)) return Status::Ok();
  if (spec.is_integer()) {
    options.plan.weight_symmetric = spec.symmetric;
    PREON_RETURN_IF_ERROR(SetOption(options, "weight-scale-type", std::string(ScaleTypeName(spec.scale_type))));
    name_of["weight-scale-type"] = "scale_type of weight";
    if (!options.plan.weight_rule.method)
      PREON_RETURN_IF_ERROR(
          SetOption(options, "weight-method", ToLower(spec.method) == "minmse" ? "minmse" : "minmax"));
  }
  if (spec.block_size > 0) options.plan.block_size = spec.block_size;
  options.given_types.channels = spec.granularity != SpecGranularity::kTensor;
  if (options.given_types.channels) return Status::Ok();
  PREON_RETURN_IF_ERROR(SetOption(options, "per-tensor", "true"));
  name_of["per-tensor"] = "quant_granularity of weight";
  return Status::Ok();
}

Status ApplyGlobal(Options& options, const Json& json, std::optional<int64_t> block_size, bool weights_alone) {
  PREON_ASSIGN_OR_RETURN(auto roles, ParseLayer(json, block_size));
  if (!roles.contains("input_tensors")) return Error(ErrorId::kBadConfig, "You must specify `input_tensors`.");
  if (!roles.contains("weight"))
    return Error(ErrorId::kBadConfig, "You must specify either `weight`.")
        .WithHint("QLayerConfig(a, b) of Python sets input_tensors and activation: name the roles");
  for (const auto& [role, spec] : roles) {
    PREON_RETURN_IF_ERROR(CheckRole(spec, role));
    if (!weights_alone) WarnOfIgnoredFields(spec, role, options);
  }
  if (weights_alone) return Status::Ok();
  options.types.by_qconfig = true;
  SettleKeys(options, roles["input_tensors"], "input_tensors", "ActivationSymmetric");
  SettleKeys(options, roles["weight"], "weight", "WeightSymmetric");
  PREON_RETURN_IF_ERROR(SetGlobalActivation(options, roles["input_tensors"]).WithContext("input_tensors"));
  PREON_RETURN_IF_ERROR(SetGlobalWeight(options, roles["weight"]).WithContext("weight"));
  roles.erase("input_tensors");
  roles.erase("weight");
  if (!roles.empty()) options.plan.settings.layers.push_back(LayerOf(roles));
  return Status::Ok();
}

Result<std::vector<std::string>> Names(const Json& json, std::string_view what) {
  if (!json.is_array() || !std::ranges::all_of(json, &Json::is_string))
    return WrongType(json, StrCat("a list of ", what));
  return json.get<std::vector<std::string>>();
}

// A name, a ^pattern, or [[starts], [ends]].
Status AddSelector(const Json& json, NodeSelectors* selectors) {
  if (json.is_string()) {
    selectors->patterns.push_back(json.get<std::string>());
    return Status::Ok();
  }
  const bool pair = json.is_array() && json.size() == 2 && json[0].is_array() && json[1].is_array();
  if (!pair)
    return Error(ErrorId::kBadConfig, "got ", json.dump(),
                 ", wanted a node's name, a ^pattern, or a sub-graph [[starts], [ends]]");
  SubGraphSelector sub_graph;
  PREON_ASSIGN_OR_RETURN(sub_graph.starts, Names(json[0], "node names"));
  PREON_ASSIGN_OR_RETURN(sub_graph.ends, Names(json[1], "node names"));
  selectors->sub_graphs.push_back(std::move(sub_graph));
  return Status::Ok();
}

Status AddLayers(Options& options, const Json& json, bool by_type, std::optional<int64_t> block_size) {
  if (!json.is_array()) return WrongType(json, "a list of [layer configuration, selectors]");
  for (const Json& entry : json) {
    if (!entry.is_array() || entry.size() != 2 || !entry[1].is_array())
      return Error(ErrorId::kBadConfig, "got ", entry.dump(), ", wanted [layer configuration, list of ",
                   by_type ? "operator types]" : "selectors]");
    if (entry[0].is_null()) {
      if (!by_type)
        return Error(ErrorId::kBadConfig, "got null as layer configuration; to leave nodes in float use exclude");
      PREON_ASSIGN_OR_RETURN(const auto types, Names(entry[1], "operator types"));
      for (const std::string& type : types) PREON_RETURN_IF_ERROR(SetOption(options, "exclude-type", type));
      options.plan.exclude.types_name = "layer_type_config";
      continue;
    }
    const Json& layer_json = entry[0];
    if (!by_type && layer_json.contains("activation") && !layer_json.contains("input_tensors"))
      return Error(ErrorId::kBadConfig, "`activation` is an older name: wanted `input_tensors`");
    PREON_ASSIGN_OR_RETURN(const auto roles, ParseLayer(layer_json, block_size));
    for (const auto& [role, spec] : roles) {
      PREON_RETURN_IF_ERROR(CheckRole(spec, role));
      WarnOfIgnoredFields(spec, role, options);
    }
    LayerOverride layer = LayerOf(roles);
    if (by_type) {
      PREON_ASSIGN_OR_RETURN(layer.selectors.op_types, Names(entry[1], "operator types"));
    } else {
      for (const Json& selector : entry[1]) PREON_RETURN_IF_ERROR(AddSelector(selector, &layer.selectors));
    }
    if (!entry[1].empty()) options.plan.settings.layers.push_back(std::move(layer));
  }
  return Status::Ok();
}

Status AddExclude(Options& options, const Json& json) {
  if (!json.is_array()) return WrongType(json, "a list of selectors");
  for (const Json& selector : json) {
    if (selector.is_string()) {
      PREON_RETURN_IF_ERROR(SetOption(options, "exclude", selector.get<std::string>()));
    } else {
      PREON_RETURN_IF_ERROR(AddSelector(selector, &options.plan.exclude.paths));
    }
  }
  return Status::Ok();
}

// Parameters of an algorithm's class, by their names there.
Status ApplyParameters(const Algorithm& algorithm, const Json& json, AskedAlgorithm& asked) {
  for (const auto& [parameter, value] : json.items()) {
    if (parameter == "name") continue;
    const auto option = std::ranges::find(algorithm.options(), parameter, &AlgorithmOption::parameter);
    if (option == algorithm.options().end()) {
      std::vector<std::string> known;
      for (const AlgorithmOption& each : algorithm.options()) {
        if (!each.parameter.empty()) known.emplace_back(each.parameter);
      }
      return Error(ErrorId::kUnknownOption, "unknown parameter '", parameter, "'", DidYouMean(parameter, known));
    }
    if (value.is_null()) continue;
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    PREON_RETURN_IF_ERROR(CheckAlgorithmValue(parameter, option->type, option->range, text));
    asked.values[std::string(option->name)] = text;
  }
  return Status::Ok();
}

// Of AdaRound and AdaQuant the first one acts, as in Quark: both choose the codes of the same layers.
bool IsSecond(const AlgorithmOptions& options, std::string_view name, std::vector<std::string>& warnings) {
  if (name != "adaround" && name != "adaquant") return false;
  const std::string first = name == "adaround" ? "adaquant" : "adaround";
  if (!options.asked.contains(first)) return false;
  warnings.push_back(
      StrCat("algo_config: ", name, " has no effect: of adaround and adaquant the first one acts, ", first));
  return true;
}

Status ApplyAlgorithms(AlgorithmOptions& options, const Json& json, bool weights_alone, GivenSettings& given) {
  if (!json.is_array()) return WrongType(json, "a list of algorithms");
  const AlgorithmRegistry algorithms = MakeAlgorithms();
  for (const Json& entry : json) {
    if (!entry.is_object() || !entry.contains("name") || !entry["name"].is_string())
      return Error(ErrorId::kBadConfig, "Algo config dict must contain field 'name'.");
    const std::string name = entry["name"].get<std::string>();
    if (!IsQuarkAlgorithm(name))
      return Error(ErrorId::kBadConfig, "Unknown algo name: ", name, DidYouMean(name, QuarkAlgorithms()));
    if (weights_alone && name != "gptq")
      return Error(ErrorId::kConflictingOptions, "'", name,
                   "' and UseMatMulNBits: got both, wanted one: only the algorithm gptq quantizes weights in blocks");
    if (name == kMixedPrecision) {
      PREON_RETURN_IF_ERROR(AskForPrecision(options, entry).WithContext(name));
      continue;
    }
    PREON_ASSIGN_OR_RETURN(const Algorithm* algorithm, FindAlgorithm(algorithms, name));
    if (IsSecond(options, algorithm->name(), given.warnings)) continue;
    AskedAlgorithm& asked = options.asked[std::string(algorithm->name())];
    asked.by_config = true;
    given.origins.key_of[StrCat("algorithm ", algorithm->name())] =
        StrCat("algo_config: algorithm ", algorithm->name());
    PREON_RETURN_IF_ERROR(ApplyParameters(*algorithm, entry, asked).WithContext(name));
  }
  return Status::Ok();
}

Status ApplyExternalData(Options& options, const Json& json) {
  if (!json.is_boolean()) return WrongType(json, "true or false");
  return json.get<bool>() ? SetOption(options, "external-data", "true") : Status::Ok();
}

}  // namespace

bool IsQConfig(const Json& json) {
  constexpr const char* kOnlyHere[] = {"global_config", "specific_layer_config",    "layer_type_config",
                                       "algo_config",   "use_external_data_format", "preon_options"};
  return std::ranges::any_of(kOnlyHere, [&](const char* field) { return json.contains(field); });
}

Status ApplyQConfig(Options& options, const Json& config) {
  PREON_RETURN_IF_ERROR(CheckFields(config, "QConfig"));
  if (!config.contains("global_config"))
    return Error(ErrorId::kBadConfig, "QConfig dict must contain field 'global_config'.");
  const auto part = [&](const char* name, Json fallback) {
    const auto found = config.find(name);
    return found == config.end() || found->is_null() ? std::move(fallback) : *found;
  };
  const Json keys = part("extra_options", Json::object());
  const size_t set_before = options.given.settings.size();
  const bool has_target = options.target.has_value();
  PREON_RETURN_IF_ERROR(ApplyExtraOptions(options, keys));
  if (!has_target && options.target == "npu-cnn")
    options.target.reset();  // EnableNPUCnn asks, SettleTargetOfQConfig decides
  for (const auto& [key, ignored] : options.given.keys) options.given.origins.hints.insert(key);
  for (size_t index = set_before; index < options.given.settings.size(); ++index)
    options.given.origins.hints.insert(options.given.settings[index].name);
  // For groups alone; others of the model have a granularity of their own.
  std::optional<int64_t> block_size;
  const bool weights_alone = QuantizesWeightsAlone(options.target);
  if (!weights_alone) block_size = std::exchange(options.plan.block_size, std::nullopt);
  PREON_RETURN_IF_ERROR(ApplyGlobal(options, part("global_config", Json::object()), block_size, weights_alone)
                            .WithContext("global_config"));
  PREON_RETURN_IF_ERROR(
      AddLayers(options, part("layer_type_config", Json::array()), true, block_size).WithContext("layer_type_config"));
  PREON_RETURN_IF_ERROR(AddLayers(options, part("specific_layer_config", Json::array()), false, block_size)
                            .WithContext("specific_layer_config"));
  if (block_size && !options.plan.HasBlockSize())
    return Error(ErrorId::kBadConfig, "WeightBlockSize: has no effect: no quant_granularity of weights is Group");
  PREON_RETURN_IF_ERROR(AddExclude(options, part("exclude", Json::array())).WithContext("exclude"));
  PREON_RETURN_IF_ERROR(
      ApplyAlgorithms(options.algorithms, part("algo_config", Json::array()), weights_alone, options.given)
          .WithContext("algo_config"));
  PREON_RETURN_IF_ERROR(
      ApplyExternalData(options, part("use_external_data_format", false)).WithContext("use_external_data_format"));
  PlanOptions& plan = options.plan;
  if (!SettleFloatScales(options.given.keys, plan.scale_type, plan.weight_scale_type, plan.settings))
    options.given.warnings.push_back(StrCat(kPowerOf2Key, ": has no effect ", kNoPowersAsked));
  return ApplyConfigObject(options, part("preon_options", Json::object())).WithContext("preon_options");
}

Status ApplyQConfigText(Options& options, const std::string& text) {
  PREON_ASSIGN_OR_RETURN(Json json, ParseJson(text));
  const Json names = json.is_object() ? json.value(kOptionNames, Json::object()) : Json::object();
  if (json.is_object()) json.erase(kOptionNames);
  PREON_RETURN_IF_ERROR(ApplyQConfig(options, json));
  SettingOrigins& origins = options.given.origins;
  for (const auto& [option, name] : names.items()) {
    const auto known = origins.key_of.find(option);
    if (known != origins.key_of.end() && FindKey(known->second) != nullptr) continue;
    origins.key_of[option] = name.get<std::string>();
    origins.hints.insert(option);  // every such configuration has all fields
  }
  return Status::Ok();
}

}  // namespace preon

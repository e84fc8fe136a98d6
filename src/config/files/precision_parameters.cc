#include "config/files/precision_parameters.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/spelling.h"
#include "base/text.h"
#include "config/files/layer_config.h"
#include "config/json_text.h"
#include "config/json_values.h"
#include "config/keys/algorithm_settings.h"
#include "config/keys/keys.h"

namespace preon {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kTable = "AutoMixprecision.";
constexpr std::array kDistanceNames = {std::pair{OutputDistance::kL2, "l2"}, std::pair{OutputDistance::kKl, "kl"},
                                       std::pair{OutputDistance::kCosine, "cosine"},
                                       std::pair{OutputDistance::kSqnr, "sqnr"},
                                       std::pair{OutputDistance::kPsnr, "psnr"}};

// "MetricThreshold" and "metric_threshold" are the same.
std::string Bare(std::string_view name) {
  std::string bare = ToLower(name);
  std::erase(bare, '_');
  return bare;
}

std::string InSnakeCase(std::string_view key) {
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  std::string name;
  for (size_t index = 0; index < key.size(); ++index) {
    const bool starts_word = is_upper(key[index]) && index > 0 && !is_upper(key[index - 1]);
    name += starts_word ? "_" : "";
    name += key[index];
  }
  return ToLower(name);
}

struct Setter {
  std::string_view key;
  void (*set)(PrecisionOptions& options, const KeyValue& value);
};

constexpr auto kSetters = std::to_array<Setter>({
    {"DataSize", [](PrecisionOptions& o, const KeyValue& v) { o.metric.samples = v.integer; }},
    {"DualQuantNodes", [](PrecisionOptions& o, const KeyValue& v) { o.dual = v.on; }},
    {"ExcludeLayers", [](PrecisionOptions& o, const KeyValue& v) { o.candidates.exclude = v.texts; }},
    {"IncludeLayers", [](PrecisionOptions& o, const KeyValue& v) { o.candidates.include = v.texts; }},
    {"MetricDefault",
     [](PrecisionOptions& o, const KeyValue& v) {
       o.metric.distance.kind =
           std::ranges::find(kDistanceNames, v.text, [](const auto& pair) { return pair.second; })->first;
     }},
    {"MetricOptimizeObject", [](PrecisionOptions& o, const KeyValue& v) { o.metric.raises = v.text == "quality"; }},
    {"MetricOutputIndex", [](PrecisionOptions& o, const KeyValue& v) { o.metric.output = v.integer; }},
    {"MetricThreshold", [](PrecisionOptions& o, const KeyValue& v) { o.metric.threshold = v.number; }},
    {"NoInputQDQShared", [](PrecisionOptions& o, const KeyValue& v) { o.candidates.own_inputs = v.on; }},
    {"SensitivityCacheFile", [](PrecisionOptions& o, const KeyValue& v) { o.cache = v.text; }},
    {"SubgraphJson", [](PrecisionOptions& o, const KeyValue& v) { o.candidates.blocks = v.text; }},
    {"TargetOpType", [](PrecisionOptions& o, const KeyValue& v) { o.candidates.op_types = v.texts; }},
});

Result<LayerOverride> ReadLayer(const Json& json) {
  PREON_ASSIGN_OR_RETURN(const auto roles, ParseLayer(json, std::nullopt));
  for (const auto& [role, spec] : roles) PREON_RETURN_IF_ERROR(CheckRole(spec, role));
  return LayerOf(roles);
}

// A layer, a list of them, a list of [layer, names], or the name of a type for activations.
Result<std::vector<std::vector<LayerOverride>>> ReadForms(const Json& json) {
  std::vector<std::vector<LayerOverride>> forms;
  if (json.is_string()) {
    PREON_ASSIGN_OR_RETURN(const TensorType type, ParseTensorType(json.get<std::string>()));
    return std::vector<std::vector<LayerOverride>>{{LayerOverride{.input = TensorOverride{.type = type}}}};
  }
  if (json.is_object()) {
    PREON_ASSIGN_OR_RETURN(LayerOverride layer, ReadLayer(json));
    return std::vector<std::vector<LayerOverride>>{{std::move(layer)}};
  }
  if (!json.is_array() || json.empty())
    return WrongType(json, "a layer configuration, a list of them, or a list of [layer configuration, node names]");
  std::vector<LayerOverride> by_name;
  int64_t without_names = 0;
  for (const Json& entry : json) {
    if (entry.is_object()) {
      PREON_ASSIGN_OR_RETURN(LayerOverride layer, ReadLayer(entry));
      forms.push_back({std::move(layer)});
      continue;
    }
    const bool pair =
        entry.is_array() && entry.size() == 2 && entry[1].is_array() && std::ranges::all_of(entry[1], &Json::is_string);
    if (!pair)
      return Error(ErrorId::kBadConfig, "got ", entry.dump(), ", wanted [layer configuration, list of node names]");
    PREON_ASSIGN_OR_RETURN(LayerOverride layer, ReadLayer(entry[0]));
    layer.selectors.patterns = entry[1].get<std::vector<std::string>>();
    if (entry[1].empty() && ++without_names > 1)
      return Error(ErrorId::kBadConfig, "got two layer configurations without names, wanted at most one");
    by_name.push_back(std::move(layer));
  }
  if (!by_name.empty() && !forms.empty())
    return Error(ErrorId::kBadConfig, "got layer configurations with and without lists of names, wanted one kind");
  if (!by_name.empty()) forms.push_back(std::move(by_name));
  return forms;
}

const KeySpec* FindEntry(std::string_view name) {
  const std::span<const KeySpec> keys = KeysOf(KeyGroup::kAlgorithms);
  const auto key = std::ranges::find_if(keys, [&](const KeySpec& each) {
    return each.name.starts_with(kTable) && Bare(each.name.substr(kTable.size())) == Bare(name);
  });
  return key == keys.end() ? nullptr : &*key;
}

std::vector<std::string> ParameterNames() {
  std::vector<std::string> names;
  for (const KeySpec& key : KeysOf(KeyGroup::kAlgorithms)) {
    if (key.name.starts_with(kTable)) names.push_back(InSnakeCase(key.name.substr(kTable.size())));
  }
  return names;
}

Status SetEntry(PrecisionOptions& options, const std::string& name, const Json& value) {
  const KeySpec* key = FindEntry(name);
  if (key == nullptr)
    return Error(ErrorId::kUnknownOption, "unknown parameter '", name, "'", DidYouMean(name, ParameterNames()));
  const std::string_view entry = key->name.substr(kTable.size());
  if (entry == "TargetLayerConfig") {
    if (value.is_null() || (value.is_object() && value.empty())) return Status::Ok();
    PREON_ASSIGN_OR_RETURN(options.forms, ReadForms(value));
    return Status::Ok();
  }
  const bool list = key->type == KeyType::kTexts && value.is_array();
  if (list && value.empty()) return Status::Ok();
  if (value.is_null() && entry == "MetricThreshold") options.metric.threshold.reset();
  if (value.is_null()) return Status::Ok();
  PREON_ASSIGN_OR_RETURN(const std::optional<KeyValue> parsed,
                         ParseKeyValue(*key, value.is_string() ? value.get<std::string>() : value.dump()));
  const auto setter = std::ranges::find(kSetters, entry, &Setter::key);
  if (parsed && setter != kSetters.end()) setter->set(options, *parsed);
  return Status::Ok();
}

Status SetEntries(PrecisionOptions& options, const std::string& text) {
  if (text.empty()) return Status::Ok();
  PREON_ASSIGN_OR_RETURN(const Json json, ParseJson(text));
  for (const auto& [name, value] : json.items()) {
    if (name == "name") continue;
    const Status set = SetEntry(options, name, value);
    if (!set.ok()) return Status(set).WithContext(name);
  }
  return Status::Ok();
}

}  // namespace

std::string_view OutputDistanceName(OutputDistance distance) {
  return std::ranges::find(kDistanceNames, distance, [](const auto& pair) { return pair.first; })->second;
}

Status AskForPrecision(AlgorithmOptions& options, const Json& parameters) {
  options.precision = parameters.dump();
  PrecisionOptions checked;
  return SetEntries(checked, options.precision);
}

Result<std::optional<PrecisionOptions>> ReadPrecision(const AlgorithmOptions& options, const OwnDistance& distance) {
  if (options.precision.empty() && options.precision_keys.empty()) return std::optional<PrecisionOptions>();
  PrecisionOptions read;
  PREON_RETURN_IF_ERROR(SetEntries(read, options.precision).WithContext(kMixedPrecision));
  PREON_RETURN_IF_ERROR(SetEntries(read, options.precision_keys).WithContext("AutoMixprecision"));
  if (read.forms.empty())
    return Error(ErrorId::kMissingOption,
                 options.precision.empty() ? "AutoMixprecision: needs TargetLayerConfig"
                                           : StrCat(kMixedPrecision, ": needs target_layer_config"),
                 ", the types that layers may get");
  read.metric.distance.own = distance;
  return std::optional(std::move(read));
}

void SettleSymmetry(std::optional<bool> activation, std::optional<bool> weight, PrecisionOptions* precision) {
  const auto settle = [](std::optional<bool> symmetric, std::optional<TensorOverride>& wanted) {
    if (symmetric && wanted && wanted->symmetric) wanted->symmetric = symmetric;
  };
  for (std::vector<LayerOverride>& form : precision->forms) {
    for (LayerOverride& layer : form) {
      settle(activation, layer.input);
      settle(activation, layer.output);
      settle(weight, layer.weight);
      settle(weight, layer.bias);
    }
  }
}

}  // namespace preon

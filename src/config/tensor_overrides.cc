#include "config/tensor_overrides.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "base/spelling.h"
#include "config/json_text.h"
#include "config/json_values.h"
#include "quantize/plan/check_plan.h"
#include "quantize/settings/tensor_settings.h"

namespace preon {
namespace {

using Json = nlohmann::json;

constexpr int64_t kMaxRank = 16;  // more than any operator with weights takes
constexpr std::string_view kTwoWays =
    "got scale and zero_point together with symmetric, reduce_range, rmin or rmax, wanted one or the other";

Result<std::string> TextOf(const Json& object, const char* key) {
  if (!object.at(key).is_string()) return WrongType(object.at(key), "a text").WithContext(key);
  return object.at(key).get<std::string>();
}

Result<bool> Flag(const Json& object, const char* key) {
  if (!object.at(key).is_boolean()) return WrongType(object.at(key), "true or false").WithContext(key);
  return object.at(key).get<bool>();
}

Result<int64_t> Integer(const Json& object, const char* key, int64_t least, int64_t most) {
  const Json& value = object.at(key);
  const std::optional<int64_t> integer = IntegerOf(value);
  if (integer && *integer >= least && *integer <= most) return *integer;
  return Error(ErrorId::kBadConfig, key, ": got ", value.dump(), ", wanted an integer from ", least, " to ", most);
}

// Errors: kBadConfig for what is no number from `min` to `max`.
Result<double> Number(const Json& object, const char* key, double min, double max) {
  const Json& value = object.at(key);
  if (!value.is_number()) return WrongType(value, "a number").WithContext(key);
  const double number = value.get<double>();
  if (number >= min && number <= max) return number;
  return Error(ErrorId::kBadConfig, key, ": got ", value.dump(), ", wanted a number from ", min, " to ", max);
}

// True with both keys of a pair, false without any.
Result<bool> HasPair(const Json& object, const char* first, const char* second) {
  if (object.contains(first) == object.contains(second)) return object.contains(first);
  return Error(ErrorId::kBadConfig, "got one of ", first, " and ", second, ", wanted both");
}

Result<std::optional<float>> ParseBound(const Json& value, const char* key) {
  if (!value.contains(key)) return std::optional<float>();
  PREON_ASSIGN_OR_RETURN(const double bound, Number(value, key, -FLT_MAX, FLT_MAX));
  return std::optional(static_cast<float>(bound));
}

Result<RangeBounds> ParseRange(const Json& value) {
  PREON_ASSIGN_OR_RETURN(const std::optional<float> min, ParseBound(value, "rmin"));
  PREON_ASSIGN_OR_RETURN(const std::optional<float> max, ParseBound(value, "rmax"));
  if (!min || !max || *min <= *max) return RangeBounds(min, max);
  return Error(ErrorId::kBadConfig, "rmin: got ", *min, " with rmax ", *max, ", wanted rmin <= rmax");
}

// Without a type of the override's own, only planning knows the codes that the zero point must be one of.
Result<std::optional<QuantParams>> ParseParams(const Json& value, const std::optional<TensorType>& type) {
  PREON_ASSIGN_OR_RETURN(const bool has, HasPair(value, "scale", "zero_point"));
  if (!has) return std::optional<QuantParams>();
  PREON_ASSIGN_OR_RETURN(const double scale, Number(value, "scale", FLT_MIN, FLT_MAX));
  PREON_ASSIGN_OR_RETURN(const double zero_point, Number(value, "zero_point", -DBL_MAX, DBL_MAX));
  if (zero_point != std::nearbyint(zero_point) || zero_point < INT32_MIN || zero_point > UINT32_MAX) {
    return Error(ErrorId::kBadConfig, "zero_point: got ", value["zero_point"].dump(),
                 ", wanted an integer that the tensor's type can hold");
  }
  const QuantParams params{static_cast<float>(scale), static_cast<int64_t>(zero_point)};
  if (type && type->block() == nullptr) PREON_RETURN_IF_ERROR(CheckZeroPoint(params, type->type()));
  return std::optional(params);
}

// All that is wrong with the settings of a tensor: one run tells of every mistake.
using Problems = std::vector<std::string>;

template <typename T, typename Field>
void Keep(const Result<T>& parsed, Field& field, Problems& problems) {
  if (parsed.ok())
    field = *parsed;
  else
    problems.push_back(parsed.status().message());
}

// False for what is no object.
bool CheckKeys(const Json& value, const std::vector<std::string>& known, Problems& problems) {
  if (!value.is_object()) {
    problems.push_back(WrongType(value, "an object").message());
    return false;
  }
  for (const auto& [key, ignored] : value.items()) {
    if (std::ranges::find(known, key) == known.end())
      problems.push_back(StrCat("key '", key, "' is unknown", DidYouMean(key, known)));
  }
  return true;
}

Result<TensorType> ParseType(const Json& value, const char* key) {
  PREON_ASSIGN_OR_RETURN(const std::string name, TextOf(value, key));
  Result<TensorType> type = ParseTensorType(name);
  if (!type.ok()) return std::move(type).status().WithContext(key);
  return type;
}

// What preon's settings and Quark's have in common.
void ParseCommon(const Json& value, const char* type_key, TensorOverride& parsed, Problems& problems) {
  if (value.contains(type_key)) Keep(ParseType(value, type_key), parsed.type, problems);
  if (value.contains("symmetric")) Keep(Flag(value, "symmetric"), parsed.symmetric, problems);
  if (value.contains("reduce_range")) Keep(Flag(value, "reduce_range"), parsed.reduce_range, problems);
  if (value.contains("axis")) Keep(Integer(value, "axis", -kMaxRank, kMaxRank - 1), parsed.axis, problems);
  Keep(ParseRange(value), parsed.range, problems);
  Keep(ParseParams(value, parsed.type), parsed.params, problems);
}

TensorOverride ParseOverride(const Json& value, Problems& problems) {
  TensorOverride parsed;
  if (!CheckKeys(value,
                 {"type", "symmetric", "scale_type", "method", "rmin", "rmax", "scale", "zero_point", "axis",
                  "block_size", "reduce_range"},
                 problems))
    return parsed;
  ParseCommon(value, "type", parsed, problems);
  if (parsed.axis == -1) {  // one scale in preon, the last axis in Quark
    parsed.axis.reset();
    parsed.per_channel = false;
  }
  if (value.contains("scale_type")) {
    const Result<std::string> name = TextOf(value, "scale_type");
    if (name.ok())
      Keep(ParseScaleType(*name), parsed.scale_type, problems);
    else
      problems.push_back(name.status().message());
  }
  if (value.contains("method")) Keep(TextOf(value, "method"), parsed.method, problems);
  if (value.contains("block_size")) Keep(Integer(value, "block_size", 1, INT32_MAX), parsed.block_size, problems);
  return parsed;
}

std::optional<ConvertOverride> ParseConvert(const Json& value, Problems& problems) {
  if (!CheckKeys(value, {"quant_type", "recv_nodes", "symmetric", "rmin", "rmax", "scale", "zero_point"}, problems))
    return std::nullopt;
  if (!value.contains("quant_type")) problems.emplace_back("quant_type is missing");
  TensorOverride parsed;
  ParseCommon(value, "quant_type", parsed, problems);
  if (!parsed.type) return std::nullopt;
  ConvertOverride convert{
      .type = *parsed.type, .symmetric = parsed.symmetric, .range = parsed.range, .params = parsed.params};
  if (convert.params && (convert.symmetric || convert.range)) problems.emplace_back(kTwoWays);
  const Json nodes = value.value("recv_nodes", Json());
  if (nodes.is_null()) return convert;
  if (!nodes.is_array() || nodes.empty() || !std::ranges::all_of(nodes, &Json::is_string)) {
    problems.push_back(StrCat("recv_nodes: got ", nodes.dump(), ", wanted a list of node names"));
    return std::nullopt;
  }
  for (const Json& node : nodes) convert.nodes.insert(node.get<std::string>());
  return convert;
}

// What one entry says; that of a channel may repeat what the first says, and not more.
TensorOverride ParseQuarkEntry(const Json& value, Problems& problems) {
  TensorOverride parsed;
  if (!CheckKeys(value,
                 {"quant_type", "axis", "symmetric", "reduce_range", "rmin", "rmax", "scale", "zero_point", "convert"},
                 problems))
    return parsed;
  ParseCommon(value, "quant_type", parsed, problems);
  if (parsed.params && (parsed.symmetric || parsed.reduce_range || parsed.range)) problems.emplace_back(kTwoWays);
  if (!value.contains("convert")) return parsed;
  Problems inside;
  if (const std::optional<ConvertOverride> convert = ParseConvert(value["convert"], inside))
    parsed.converts.push_back(*convert);
  for (const std::string& problem : inside) problems.push_back("convert: " + problem);
  return parsed;
}

TensorOverride ParseQuarkOverride(const Json& value, Problems& problems) {
  TensorOverride whole;
  if (!value.is_array()) {
    problems.push_back(WrongType(value, "a list of objects, one for the tensor or one for each channel").message());
    return whole;
  }
  bool differ = false, half = false;
  for (size_t channel = 0; channel < value.size(); ++channel) {
    Problems inside;
    const TensorOverride entry = ParseQuarkEntry(value[channel], inside);
    for (const std::string& problem : inside)
      problems.push_back(value.size() == 1 ? problem : StrCat("entry ", channel, ": ", problem));
    if (channel == 0) {
      whole = entry;
      if (!entry.axis && value.size() == 1) return whole;
      if (!entry.axis && inside.empty())
        problems.push_back(StrCat("got ", value.size(), " entries without axis, wanted one, or an axis in the first"));
    }
    differ = differ || (entry.type && entry.type != whole.type) || (entry.axis && entry.axis != whole.axis) ||
             (entry.symmetric && entry.symmetric != whole.symmetric) ||
             (entry.reduce_range && entry.reduce_range != whole.reduce_range);
    if (!entry.converts.empty())
      problems.push_back(StrCat("entry ", channel, ": convert: got it for a channel; only activations have it"));
    half = half || (entry.range && !entry.range.complete());
    if (entry.range.complete()) whole.channel_ranges.push_back(entry.range.Over({}));
    if (entry.params) whole.channel_params.push_back(*entry.params);
  }
  if (half) problems.emplace_back("got one of rmin and rmax for a channel, wanted both");
  if (differ)
    problems.emplace_back("quant_type, axis, symmetric and reduce_range are those of the first entry for all channels");
  for (const size_t given : {whole.channel_ranges.size(), whole.channel_params.size()}) {
    if (given != 0 && given != value.size() && !half)
      problems.push_back(
          StrCat("got a range or scale for ", given, " of ", value.size(), " channels, wanted all or none"));
  }
  whole.channels = static_cast<int64_t>(value.size());
  whole.range = {};
  whole.params.reset();
  return whole;
}

Status AddEach(TensorOverrides& overrides, const Json& tensors, TensorOverride (*parse)(const Json&, Problems&)) {
  if (!tensors.is_object())
    return WrongType(tensors, "an object with an entry for each tensor").WithContext("overrides");
  std::string all;
  for (const auto& [tensor, setting] : tensors.items()) {
    Problems problems;
    const TensorOverride parsed = parse(setting, problems);
    if (problems.empty()) overrides[tensor] = Merged(parsed, overrides[tensor]);
    for (const std::string& problem : problems) all += StrCat(all.empty() ? "" : "; ", tensor, ": ", problem);
  }
  return all.empty() ? Status::Ok() : Error(ErrorId::kBadConfig, "overrides: ", all);
}

}  // namespace

Status AddOverrides(TensorOverrides& overrides, const Json& tensors) {
  return AddEach(overrides, tensors, ParseOverride);
}

Status AddQuarkOverrides(TensorOverrides& overrides, const std::string& text) {
  PREON_ASSIGN_OR_RETURN(const Json tensors, ParseJson(text));
  return AddEach(overrides, tensors, ParseQuarkOverride);
}

Status AddMixedPrecision(TensorOverrides& overrides, const std::string& text) {
  PREON_ASSIGN_OR_RETURN(const Json types, ParseJson(text));
  if (!types.is_object()) return WrongType(types, "an object with a list of tensors for each type");
  for (const auto& [name, tensors] : types.items()) {
    PREON_ASSIGN_OR_RETURN(const TensorType type, ParseTensorType(name));
    if (!tensors.is_array() || !std::ranges::all_of(tensors, &Json::is_string))
      return WrongType(tensors, "a list of tensors").WithContext(name);
    for (const Json& tensor : tensors) overrides[tensor.get<std::string>()].type = type;
  }
  return Status::Ok();
}

}  // namespace preon

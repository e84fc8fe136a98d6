#include "api/tensor_overrides.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <functional>

#include "api/json_values.h"
#include "base/spelling.h"
#include "quantize/check_plan.h"
#include "quantize/layers.h"
#include "quantize/overrides.h"

namespace preon {
namespace {

using Json = nlohmann::json;

Result<std::string> Text(const Json& object, const char* key) {
  if (!object.at(key).is_string()) return WrongType(object.at(key), "a text").WithContext(key);
  return object.at(key).get<std::string>();
}

Result<bool> Flag(const Json& object, const char* key) {
  if (!object.at(key).is_boolean()) return WrongType(object.at(key), "true or false").WithContext(key);
  return object.at(key).get<bool>();
}

Result<int64_t> Integer(const Json& object, const char* key, int64_t least) {
  const Json& value = object.at(key);
  if (value.is_number_integer() && value.get<int64_t>() >= least) return value.get<int64_t>();
  return Error(ErrorId::kBadConfig, key, ": got ", value.dump(), ", wanted an integer of at least ", least);
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

Result<std::optional<Range>> ParseRange(const Json& value) {
  PREON_ASSIGN_OR_RETURN(const bool has, HasPair(value, "rmin", "rmax"));
  if (!has) return std::optional<Range>();
  PREON_ASSIGN_OR_RETURN(const double min, Number(value, "rmin", -FLT_MAX, FLT_MAX));
  PREON_ASSIGN_OR_RETURN(const double max, Number(value, "rmax", -FLT_MAX, FLT_MAX));
  if (min <= max) return std::optional(Range{static_cast<float>(min), static_cast<float>(max)});
  return Error(ErrorId::kBadConfig, "rmin: got ", min, " with rmax ", max, ", wanted rmin <= rmax");
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

Status CheckKeys(const Json& value, const std::vector<std::string>& known) {
  if (!value.is_object()) return WrongType(value, "an object");
  for (const auto& [key, ignored] : value.items()) {
    if (std::ranges::find(known, key) == known.end())
      return Error(ErrorId::kBadConfig, "key '", key, "' is unknown", DidYouMean(key, known));
  }
  return Status::Ok();
}

// What ours and the reference's have in common.
Status ParseCommon(const Json& value, const char* type_key, TensorOverride& parsed) {
  if (value.contains(type_key)) {
    PREON_ASSIGN_OR_RETURN(const std::string type, Text(value, type_key));
    PREON_ASSIGN_OR_RETURN(parsed.type, ParseTensorType(type));
  }
  if (value.contains("symmetric")) {
    PREON_ASSIGN_OR_RETURN(parsed.symmetric, Flag(value, "symmetric"));
  }
  if (value.contains("reduce_range")) {
    PREON_ASSIGN_OR_RETURN(parsed.reduce_range, Flag(value, "reduce_range"));
  }
  if (value.contains("axis")) {
    PREON_ASSIGN_OR_RETURN(const int64_t axis, Integer(value, "axis", -16));
    parsed.axis = static_cast<int>(axis);
  }
  PREON_ASSIGN_OR_RETURN(parsed.range, ParseRange(value));
  PREON_ASSIGN_OR_RETURN(parsed.params, ParseParams(value, parsed.type));
  return Status::Ok();
}

Result<TensorOverride> ParseOverride(const Json& value) {
  PREON_RETURN_IF_ERROR(CheckKeys(value, {"type", "symmetric", "scale_type", "method", "rmin", "rmax", "scale", "zero_point", "axis",
                                          "block_size", "reduce_range"}));
  TensorOverride parsed;
  PREON_RETURN_IF_ERROR(ParseCommon(value, "type", parsed));
  if (value.contains("scale_type")) {
    PREON_ASSIGN_OR_RETURN(const std::string type, Text(value, "scale_type"));
    PREON_ASSIGN_OR_RETURN(parsed.scale_type, ParseScaleType(type));
  }
  if (value.contains("method")) {
    PREON_ASSIGN_OR_RETURN(parsed.method, Text(value, "method"));
  }
  if (value.contains("block_size")) {
    PREON_ASSIGN_OR_RETURN(parsed.block_size, Integer(value, "block_size", 1));
  }
  return parsed;
}

Result<ConvertOverride> ParseConvert(const Json& value) {
  PREON_RETURN_IF_ERROR(CheckKeys(value, {"quant_type", "recv_nodes", "symmetric", "rmin", "rmax", "scale", "zero_point"}));
  if (!value.contains("quant_type")) return Error(ErrorId::kBadConfig, "no quant_type given, which it needs");
  TensorOverride parsed;
  PREON_RETURN_IF_ERROR(ParseCommon(value, "quant_type", parsed));
  ConvertOverride convert{.type = *parsed.type, .symmetric = parsed.symmetric, .range = parsed.range, .params = parsed.params};
  if (!value.contains("recv_nodes") || value["recv_nodes"].is_null()) return convert;
  if (!value["recv_nodes"].is_array() || !std::ranges::all_of(value["recv_nodes"], &Json::is_string))
    return WrongType(value["recv_nodes"], "a list of node names").WithContext("recv_nodes");
  for (const Json& node : value["recv_nodes"]) convert.nodes.insert(node.get<std::string>());
  return convert;
}

// What one entry says; that of a channel may repeat what the first says, and not more.
Result<TensorOverride> ParseReferenceEntry(const Json& value) {
  PREON_RETURN_IF_ERROR(CheckKeys(value, {"quant_type", "axis", "symmetric", "reduce_range", "rmin", "rmax", "scale", "zero_point", "convert"}));
  TensorOverride parsed;
  PREON_RETURN_IF_ERROR(ParseCommon(value, "quant_type", parsed));
  if (parsed.params && (parsed.symmetric || parsed.reduce_range || parsed.range))
    return Error(ErrorId::kBadConfig, "got scale and zero_point beside symmetric, reduce_range, rmin or rmax, wanted one or the other");
  if (value.contains("convert")) {
    Result<ConvertOverride> convert = ParseConvert(value["convert"]);
    if (!convert.ok()) return std::move(convert).status().WithContext("convert");
    if (parsed.type && *parsed.type == convert->type)
      return Error(ErrorId::kBadConfig, "convert: quant_type: got ", convert->type.name(), ", which is the tensor's own, wanted another");
    parsed.converts.push_back(*convert);
  }
  return parsed;
}

Result<TensorOverride> ParseReferenceOverride(const Json& value) {
  if (!value.is_array()) return WrongType(value, "a list of objects, one for the tensor or one for each channel");
  TensorOverride whole;
  for (size_t channel = 0; channel < value.size(); ++channel) {
    PREON_ASSIGN_OR_RETURN(const TensorOverride entry, ParseReferenceEntry(value[channel]));
    if (channel == 0) {
      whole = entry;
      if (!entry.axis && value.size() == 1) return whole;
      if (!entry.axis) return Error(ErrorId::kBadConfig, "got ", value.size(), " entries without axis, wanted one, or an axis in the first");
      if (!entry.converts.empty()) return Error(ErrorId::kBadConfig, "convert: got it for channels; only activations have it");
    } else if ((entry.type && entry.type != whole.type) || (entry.axis && entry.axis != whole.axis) ||
               (entry.symmetric && entry.symmetric != whole.symmetric) || (entry.reduce_range && entry.reduce_range != whole.reduce_range)) {
      return Error(ErrorId::kBadConfig, "entry ", channel, ": quant_type, axis, symmetric and reduce_range are those of the first entry for all channels");
    }
    if (entry.range) whole.channel_ranges.push_back(*entry.range);
    if (entry.params) whole.channel_params.push_back(*entry.params);
  }
  for (const size_t given : {whole.channel_ranges.size(), whole.channel_params.size()}) {
    if (given != 0 && given != value.size()) return Error(ErrorId::kBadConfig, "got a range or scale for ", given, " of ", value.size(), " channels, wanted all or none");
  }
  whole.range.reset();
  whole.params.reset();
  return whole;
}

// All that is wrong at once: one run tells of every mistake.
Status AddEach(TensorOverrides& overrides, const Json& tensors, const std::function<Result<TensorOverride>(const Json&)>& parse) {
  if (!tensors.is_object()) return WrongType(tensors, "an object with an entry for each tensor");
  std::vector<std::string> problems;
  for (const auto& [tensor, setting] : tensors.items()) {
    const Result<TensorOverride> parsed = parse(setting);
    if (parsed.ok()) {
      overrides[tensor] = Merged(*parsed, overrides[tensor]);
    } else {
      problems.push_back(StrCat(tensor, ": ", parsed.status().message()));
    }
  }
  if (problems.empty()) return Status::Ok();
  std::string all;
  for (const std::string& problem : problems) all += (all.empty() ? "" : "; ") + problem;
  return Error(ErrorId::kBadConfig, "overrides: ", all);
}

}  // namespace

Status AddOverrides(TensorOverrides& overrides, const Json& tensors) { return AddEach(overrides, tensors, ParseOverride); }

Status AddReferenceOverrides(TensorOverrides& overrides, const std::string& text) {
  return AddEach(overrides, Json::parse(text), ParseReferenceOverride);
}

Status AddMixedPrecision(TensorOverrides& overrides, const std::string& text) {
  const Json types = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!types.is_object()) return WrongType(types, "an object with a list of tensors for each type");
  for (const auto& [name, tensors] : types.items()) {
    PREON_ASSIGN_OR_RETURN(const TensorType type, ParseTensorType(name));
    if (!tensors.is_array() || !std::ranges::all_of(tensors, &Json::is_string)) return WrongType(tensors, "a list of tensors").WithContext(name);
    for (const Json& tensor : tensors) overrides[tensor.get<std::string>()].type = type;
  }
  return Status::Ok();
}

}  // namespace preon

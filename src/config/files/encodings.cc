#include "config/files/encodings.h"

#include <cfloat>
#include <cmath>
#include <utility>

#include "base/file.h"
#include "config/json_text.h"
#include "config/json_values.h"
#include "quantize/plan/check_plan.h"

namespace preon {
namespace {

using Json = nlohmann::json;
using Encodings = std::map<std::string, TensorOverride>;

Result<Json> Field(const Json& entry, const char* key) {
  if (entry.contains(key)) return entry.at(key);
  return Error(ErrorId::kBadConfig, "has no ", key);
}

Result<int64_t> WholeNumber(const Json& value, int64_t least, int64_t most) {
  const std::optional<int64_t> whole = IntegerOf(value);
  if (whole && *whole >= least && *whole <= most) return *whole;
  return Error(ErrorId::kBadConfig, "got ", value.dump(), ", wanted an integer from ", least, " to ", most);
}

// Numbers of a scalar or of lists in lists, in order.
Status Flatten(const Json& value, std::vector<double>* numbers) {
  if (!value.is_array()) {
    if (!value.is_number()) return WrongType(value, "a number or a list of them");
    numbers->push_back(value.get<double>());
    return Status::Ok();
  }
  for (const Json& each : value) PREON_RETURN_IF_ERROR(Flatten(each, numbers));
  return Status::Ok();
}

Result<std::vector<double>> Numbers(const Json& entry, const char* key) {
  PREON_ASSIGN_OR_RETURN(const Json value, Field(entry, key));
  std::vector<double> numbers;
  PREON_RETURN_IF_ERROR(Flatten(value, &numbers).WithContext(key));
  if (numbers.empty()) return Error(ErrorId::kBadConfig, key, ": got an empty list");
  return numbers;
}

Result<std::vector<QuantParams>> ParamsOf(const std::vector<double>& scales, const std::vector<double>& zero_points,
                                          DataType type) {
  if (zero_points.size() != scales.size())
    return Error(ErrorId::kBadConfig, "got ", scales.size(), " scales and ", zero_points.size(), " zero points");
  std::vector<QuantParams> params;
  for (size_t i = 0; i < scales.size(); ++i) {
    if (!(scales[i] >= FLT_MIN && scales[i] <= FLT_MAX))
      return Error(ErrorId::kBadConfig, "scale: got ", scales[i], ", wanted a number above 0");
    if (zero_points[i] != std::nearbyint(zero_points[i]) || std::abs(zero_points[i]) > UINT32_MAX)
      return Error(ErrorId::kBadConfig, "zero point: got ", zero_points[i], ", wanted an integer");
    params.push_back({static_cast<float>(scales[i]), static_cast<int64_t>(zero_points[i])});
    PREON_RETURN_IF_ERROR(CheckZeroPoint(params.back(), type));
  }
  return params;
}

void SetParams(std::vector<QuantParams> params, bool per_tensor, TensorOverride* wanted) {
  if (per_tensor && params.size() == 1) {
    wanted->params = params[0];
  } else {
    wanted->channels = static_cast<int64_t>(params.size());
    wanted->channel_params = std::move(params);
  }
}

Result<TensorType> IntegerType(bool is_signed, int64_t bits) {
  Result<TensorType> type = ParseWeightType(StrCat(is_signed ? "int" : "uint", bits));
  if (type.ok()) return type;
  return Error(ErrorId::kNotYetSupported, "has ", bits, " bits, wanted one of the integer types of --weight");
}

bool IsFloat(const std::string& dtype) {
  const std::string name = ToLower(dtype);
  return name.starts_with("float") || name.starts_with("bfloat");
}

// Version 2.0.0: as QuantizeLinear has them. No value: a tensor of a floating type.
Result<std::optional<TensorOverride>> ParseSecond(const Json& entry) {
  for (const char* key : {"per_block_int_scale", "per_channel_float_scale"}) {
    if (entry.contains(key))
      return Error(ErrorId::kNotYetSupported, key, ": scales of two levels can't be used; wanted y_scale");
  }
  PREON_ASSIGN_OR_RETURN(const Json dtype, Field(entry, "output_dtype"));
  if (!dtype.is_string()) return WrongType(dtype, "a type such as \"int8\"").WithContext("output_dtype");
  if (IsFloat(dtype.get<std::string>())) return std::optional<TensorOverride>();
  PREON_ASSIGN_OR_RETURN(const TensorType type, ParseWeightType(dtype.get<std::string>()));
  if (!IsIntType(type.type()))
    return Error(ErrorId::kNotYetSupported, "output_dtype: got ", type.name(), ", wanted an integer type");
  PREON_ASSIGN_OR_RETURN(const std::vector<double> scales, Numbers(entry, "y_scale"));
  std::vector<double> zero_points(scales.size(), 0.0);
  if (entry.contains("y_zero_point") && !entry.at("y_zero_point").is_null()) {
    PREON_ASSIGN_OR_RETURN(zero_points, Numbers(entry, "y_zero_point"));
    if (zero_points.size() == 1) zero_points.assign(scales.size(), zero_points[0]);
  }
  TensorOverride wanted{.type = type};
  PREON_ASSIGN_OR_RETURN(std::vector<QuantParams> params, ParamsOf(scales, zero_points, type.type()));
  for (const auto& [key, least] : {std::pair("axis", -16), std::pair("block_size", 0)}) {
    if (!entry.contains(key) || entry.at(key).is_null()) continue;
    const Result<int64_t> value = WholeNumber(entry.at(key), least, 1 << 30);
    if (!value.ok()) return Status(value.status()).WithContext(key);
    if (std::string_view(key) == "axis")
      wanted.axis = static_cast<int>(*value);
    else
      wanted.block_size = *value;
  }
  SetParams(std::move(params), !wanted.axis, &wanted);
  return std::optional(std::move(wanted));
}

// Versions 0.6.1 and 1.0.0: codes from 0, real = scale * (code + offset). Weights have signed codes here, activations
// unsigned ones.
Result<TensorOverride> WithOffsets(const std::vector<double>& scales, const std::vector<double>& offsets, int64_t bits,
                                   bool is_parameter, bool per_tensor) {
  PREON_ASSIGN_OR_RETURN(const TensorType type, IntegerType(is_parameter, bits));
  const double first_code = is_parameter ? -std::ldexp(1.0, static_cast<int>(bits) - 1) : 0;
  std::vector<double> zero_points;
  for (const double offset : offsets) zero_points.push_back(first_code - offset);
  PREON_ASSIGN_OR_RETURN(std::vector<QuantParams> params, ParamsOf(scales, zero_points, type.type()));
  TensorOverride wanted{.type = type};
  SetParams(std::move(params), per_tensor, &wanted);
  return wanted;
}

// 1.0.0.
Result<std::optional<TensorOverride>> ParseFirst(const Json& entry, bool is_parameter) {
  PREON_ASSIGN_OR_RETURN(const Json dtype, Field(entry, "dtype"));
  if (dtype.is_string() && IsFloat(dtype.get<std::string>())) return std::optional<TensorOverride>();
  PREON_ASSIGN_OR_RETURN(const Json form, Field(entry, "enc_type"));
  if (form != "PER_TENSOR" && form != "PER_CHANNEL")
    return Error(ErrorId::kNotYetSupported, "enc_type: got ", form.dump(), ", wanted PER_TENSOR or PER_CHANNEL");
  PREON_ASSIGN_OR_RETURN(const Json width, Field(entry, "bw"));
  PREON_ASSIGN_OR_RETURN(const int64_t bits, WholeNumber(width, 1, 32));
  PREON_ASSIGN_OR_RETURN(const std::vector<double> scales, Numbers(entry, "scale"));
  PREON_ASSIGN_OR_RETURN(const std::vector<double> offsets, Numbers(entry, "offset"));
  PREON_ASSIGN_OR_RETURN(TensorOverride wanted, WithOffsets(scales, offsets, bits, is_parameter, form == "PER_TENSOR"));
  return std::optional(std::move(wanted));
}

// 0.6.1: a list with an entry per channel.
Result<std::optional<TensorOverride>> ParseOldest(const Json& entries, bool is_parameter) {
  if (!entries.is_array() || entries.empty()) return WrongType(entries, "a list of objects, one for each channel");
  std::vector<double> scales, offsets;
  int64_t bits = 0;
  for (const Json& entry : entries) {
    PREON_ASSIGN_OR_RETURN(const Json dtype, Field(entry, "dtype"));
    if (dtype.is_string() && IsFloat(dtype.get<std::string>())) return std::optional<TensorOverride>();
    PREON_ASSIGN_OR_RETURN(const Json width, Field(entry, "bitwidth"));
    PREON_ASSIGN_OR_RETURN(bits, WholeNumber(width, 1, 32));
    for (const auto& [key, values] : {std::pair("scale", &scales), std::pair("offset", &offsets)}) {
      PREON_ASSIGN_OR_RETURN(const std::vector<double> own, Numbers(entry, key));
      values->insert(values->end(), own.begin(), own.end());
    }
  }
  PREON_ASSIGN_OR_RETURN(TensorOverride wanted, WithOffsets(scales, offsets, bits, is_parameter, entries.size() == 1));
  return std::optional(std::move(wanted));
}

Status AddEntry(const std::string& tensor, const Result<std::optional<TensorOverride>>& parsed, Encodings* encodings) {
  if (!parsed.ok()) return Status(parsed.status()).WithContext(tensor);
  if (parsed->has_value() && !encodings->emplace(tensor, **parsed).second)
    return Error(ErrorId::kBadConfig, tensor, ": got two entries");
  return Status::Ok();
}

template <typename Parse>
Status AddList(const Json& list, const Parse& parse, Encodings* encodings) {
  if (!list.is_array()) return WrongType(list, "a list of objects");
  for (const Json& entry : list) {
    if (!entry.is_object()) return WrongType(entry, "an object with the encoding of a tensor");
    PREON_ASSIGN_OR_RETURN(const Json name, Field(entry, "name"));
    if (!name.is_string()) return WrongType(name, "a text").WithContext("name");
    PREON_RETURN_IF_ERROR(AddEntry(name.get<std::string>(), parse(entry), encodings));
  }
  return Status::Ok();
}

Result<Encodings> Parse(const Json& file) {
  if (!file.is_object()) return WrongType(file, "an object");
  const std::string version = file.contains("version") && file.at("version").is_string()
                                  ? file.at("version").get<std::string>()
                                  : std::string();
  Encodings encodings;
  if (version == "2.0.0") {
    PREON_ASSIGN_OR_RETURN(const Json list, Field(file, "encodings"));
    PREON_RETURN_IF_ERROR(AddList(list, ParseSecond, &encodings));
    return encodings;
  }
  if (version != "1.0.0" && version != "0.6.1")
    return Error(ErrorId::kBadConfig, "version: got '", version, "', wanted 2.0.0, 1.0.0 or 0.6.1");
  for (const auto& [key, is_parameter] :
       {std::pair("activation_encodings", false), std::pair("param_encodings", true)}) {
    PREON_ASSIGN_OR_RETURN(const Json tensors, Field(file, key));
    if (version == "1.0.0") {
      const auto parse = [parameter = is_parameter](const Json& entry) { return ParseFirst(entry, parameter); };
      PREON_RETURN_IF_ERROR(AddList(tensors, parse, &encodings).WithContext(key));
      continue;
    }
    if (!tensors.is_object()) return WrongType(tensors, "an object with an entry for each tensor").WithContext(key);
    for (const auto& [tensor, entries] : tensors.items())
      PREON_RETURN_IF_ERROR(AddEntry(tensor, ParseOldest(entries, is_parameter), &encodings).WithContext(key));
  }
  return encodings;
}

}  // namespace

Result<Encodings> LoadEncodings(const std::string& path) {
  Result<std::string> text = ReadFile(path);
  if (!text.ok()) return std::move(text).status().WithContext("--encodings");
  const Result<Json> json = ParseJson(*text);
  if (!json.ok()) return Status(json.status()).WithContext(path);
  Result<Encodings> encodings = Parse(*json);
  if (!encodings.ok()) return std::move(encodings).status().WithContext(path);
  if (encodings->empty()) return Error(ErrorId::kBadConfig, path, ": has no encodings of integer types");
  return encodings;
}

}  // namespace preon

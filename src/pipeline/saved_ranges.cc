#include "pipeline/saved_ranges.h"

#include <cfloat>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/file.h"
#include "base/output/atomic_file.h"
#include "base/version.h"

namespace preon {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr int kFormat = 1;
constexpr FloatReason kReasons[] = {FloatReason::kNotReached, FloatReason::kNotFused, FloatReason::kAccuracy,
                                    FloatReason::kInputHead, FloatReason::kLimits};

template <typename... Args>
Status Malformed(const Args&... parts) {
  return Error(ErrorId::kSavedRangesMalformed, parts...);
}

Status NoRange(const OrderedJson& value) {
  return Malformed("got ", value.dump(), ", wanted [min, max] with finite float32 min <= max");
}

// A finite float32.
std::optional<float> Bound(const OrderedJson& value) {
  const OrderedJson& number = value.is_array() && value.size() == 1 ? value[0] : value;
  if (!number.is_number() || !(std::fabs(number.get<double>()) <= FLT_MAX)) return std::nullopt;
  return static_cast<float>(number.get<double>());
}

Result<Range> ReadRange(const OrderedJson& value) {
  if (!value.is_array() || value.size() != 2) return NoRange(value);
  const std::optional<float> min = Bound(value[0]), max = Bound(value[1]);
  if (!min || !max || *min > *max) return NoRange(value);
  return Range{*min, *max};
}

// Calls `read` with each entry of the object. Errors get the name in front.
template <typename Read>
Status ReadEntries(const OrderedJson& object, const Read& read) {
  if (!object.is_object()) return Malformed("got ", object.type_name(), ", wanted an object");
  for (const auto& [name, value] : object.items())
    PREON_RETURN_IF_ERROR(Status(read(name, value)).WithContext("'", name, "'"));
  return Status::Ok();
}

// The same for the object under `key`, which may be missing.
template <typename Read>
Status ReadEntries(const OrderedJson& json, const char* key, const Read& read) {
  return json.contains(key) ? Status(ReadEntries(json[key], read)).WithContext(key) : Status::Ok();
}

// Statistics of algorithms are bytes, two hexadecimal digits each.
std::string ToHex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const char byte : bytes) {
    hex += kDigits[static_cast<uint8_t>(byte) >> 4];
    hex += kDigits[static_cast<uint8_t>(byte) & 15];
  }
  return hex;
}

Result<std::string> FromHex(const OrderedJson& value) {
  const std::string hex = value.is_string() ? value.get<std::string>() : "?";
  std::string bytes(hex.size() / 2, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) {
    uint8_t byte = 0;
    const char* const digits = hex.data() + 2 * i;
    if (std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2)
      return Malformed("got '", hex.substr(2 * i, 2), "', wanted two hexadecimal digits");
    bytes[i] = static_cast<char>(byte);
  }
  if (hex.size() % 2 != 0)
    return Malformed("got ", value.dump().substr(0, 20), ", wanted an even number of hexadecimal digits");
  return bytes;
}

template <typename T>
Result<std::vector<T>> ReadNumbers(const OrderedJson& value, T instead_of_null) {
  std::vector<T> numbers;
  for (const OrderedJson& number : value) {
    if (!number.is_number() && !number.is_null()) return Malformed("got ", value.dump(), ", wanted a list of numbers");
    numbers.push_back(number.is_null() ? instead_of_null : number.get<T>());
  }
  return numbers;
}

Status ReadExtremes(const OrderedJson& value, ChannelExtremes& extremes) {
  if (!value.is_object() || !value.contains("min") || !value.contains("max"))
    return Malformed("got ", value.dump(), ", wanted lists min and max");
  constexpr float kNone = std::numeric_limits<float>::infinity();
  PREON_ASSIGN_OR_RETURN(extremes.min, ReadNumbers<float>(value["min"], kNone));
  PREON_ASSIGN_OR_RETURN(extremes.max, ReadNumbers<float>(value["max"], -kNone));
  if (extremes.min.size() == extremes.max.size()) return Status::Ok();
  return Malformed("got ", extremes.min.size(), " minima and ", extremes.max.size(), " maxima");
}

Status ReadReason(const OrderedJson& value, FloatReason& reason) {
  for (const FloatReason known : kReasons) {
    if (!value.is_string() || value.get<std::string>() != FloatReasonName(known)) continue;
    reason = known;
    return Status::Ok();
  }
  return Malformed("got ", value.dump(), ", wanted one of \"", FloatReasonName(kReasons[0]), "\", \"",
                   FloatReasonName(kReasons[1]), "\", \"", FloatReasonName(kReasons[2]), "\"");
}

std::string TextAt(const OrderedJson& json, const char* key) {
  return json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : "";
}

Result<OrderedJson> ReadObject(const std::string& path) {
  PREON_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  OrderedJson json = OrderedJson::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return Malformed(path, ": not a JSON object, or a number that no float can hold");
  return json;
}

Result<SavedRanges> Parse(const OrderedJson& json) {
  if (json.contains("format") && json["format"] != kFormat)
    return Malformed("format: got ", json["format"].dump(), "; this version of preon reads ", kFormat);
  if (!json.contains("tensors_range")) return Malformed("no key tensors_range");
  SavedRanges saved{.model_fingerprint = TextAt(json, "model_sha256"), .config_hash = TextAt(json, "config_sha256")};
  saved.rewritten_by = TextAt(json, "rewritten_by");
  CollectedStatistics& statistics = saved.statistics;
  PREON_RETURN_IF_ERROR(
      ReadEntries(json, "tensors_range", [&](const std::string& name, const OrderedJson& value) -> Status {
        PREON_ASSIGN_OR_RETURN(saved.ranges[name], ReadRange(value));
        return Status::Ok();
      }));
  PREON_RETURN_IF_ERROR(
      ReadEntries(json, "channel_means", [&](const std::string& name, const OrderedJson& value) -> Status {
        PREON_ASSIGN_OR_RETURN(statistics.channel_means[name], ReadNumbers<double>(value, 0));
        return Status::Ok();
      }));
  PREON_RETURN_IF_ERROR(ReadEntries(json, "channel_extremes", [&](const std::string& name, const OrderedJson& value) {
    return ReadExtremes(value, statistics.channel_extremes[name]);
  }));
  PREON_RETURN_IF_ERROR(
      ReadEntries(json, "statistics", [&](const std::string& kind, const OrderedJson& tensors) -> Status {
        return ReadEntries(tensors, [&](const std::string& name, const OrderedJson& value) -> Status {
          PREON_ASSIGN_OR_RETURN(statistics.others[kind][name], FromHex(value));
          return Status::Ok();
        });
      }));
  PREON_RETURN_IF_ERROR(ReadEntries(json, "left_float", [&](const std::string& name, const OrderedJson& value) {
    return ReadReason(value, saved.left_float[name]);
  }));
  if (json.contains("calibration") && json["calibration"].is_object()) {
    saved.method = TextAt(json["calibration"], "method");
    const OrderedJson& samples = json["calibration"].value("samples", OrderedJson());
    if (samples.is_number_integer()) saved.samples = samples.get<int64_t>();
  }
  return saved;
}

// JSON has no infinity; a channel without values has one.
OrderedJson FiniteOrNull(const std::vector<float>& values) {
  OrderedJson list = OrderedJson::array();
  for (const float value : values) list.push_back(std::isfinite(value) ? OrderedJson(value) : OrderedJson());
  return list;
}

}  // namespace

Result<SavedRanges> LoadSavedRanges(const std::string& path) {
  PREON_ASSIGN_OR_RETURN(const OrderedJson json, ReadObject(path));
  Result<SavedRanges> saved = Parse(json);
  if (!saved.ok()) return std::move(saved).status().WithContext(path);
  return saved;
}

Result<AtomicFile> StageRanges(const SavedRanges& saved, const std::string& path) {
  OrderedJson json = OrderedJson::object();
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) {
    PREON_ASSIGN_OR_RETURN(json, ReadObject(path));
  }
  json["format"] = kFormat;
  json["toolkit_version"] = std::string(kVersion);
  json["model_sha256"] = saved.model_fingerprint;
  json["config_sha256"] = saved.config_hash;
  if (!saved.rewritten_by.empty()) json["rewritten_by"] = saved.rewritten_by;
  json["calibration"] = {{"method", saved.method}, {"samples", saved.samples}};
  OrderedJson& ranges = json["tensors_range"] = OrderedJson::object();
  for (const auto& [name, range] : saved.ranges) ranges[name] = {range.min, range.max};
  json["channel_means"] = saved.statistics.channel_means;
  OrderedJson& extremes = json["channel_extremes"] = OrderedJson::object();
  for (const auto& [name, channels] : saved.statistics.channel_extremes)
    extremes[name] = {{"min", FiniteOrNull(channels.min)}, {"max", FiniteOrNull(channels.max)}};
  for (const auto& [kind, tensors] : saved.statistics.others) {
    for (const auto& [name, bytes] : tensors) json["statistics"][kind][name] = ToHex(bytes);
  }
  OrderedJson& left_float = json["left_float"] = OrderedJson::object();
  for (const auto& [node, reason] : saved.left_float) left_float[node] = std::string(FloatReasonName(reason));
  return StageFile(path, json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n");
}

}  // namespace preon

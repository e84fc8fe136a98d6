#include "api/reference_keys.h"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "api/builtins.h"
#include "api/option_table.h"
#include "api/reference_catalog.h"
#include "base/spelling.h"
#include "base/system.h"
#include "base/text.h"

namespace preon {
namespace {

using Json = nlohmann::json;

// The reference's seed.
constexpr std::string_view kRandomSeed = "42";
constexpr std::string_view kHistogramFolder = "tensor_hist";

Status BadValue(const std::string& got, std::string_view wanted) {
  return Error(ErrorId::kBadOptionValue, "got '", got, "', wanted ", wanted);
}

bool IsNone(const std::string& value) {
  const std::string lower = ToLower(value);
  return lower.empty() || lower == "none" || lower == "null";
}

Result<bool> ParseBool(const std::string& value) {
  const std::string lower = ToLower(value);
  if (lower == "true" || lower == "1") return true;
  if (lower == "false" || lower == "0") return false;
  return BadValue(value, "true or false");
}

Result<int64_t> ParseInteger(const std::string& value, int64_t least) {
  const std::optional<int64_t> number = ParseNumber<int64_t>(value);
  if (!number || *number < least) return BadValue(value, StrCat("an integer of at least ", least));
  return *number;
}

Status SetDataSize(Options& options, const std::string& value) {
  if (IsNone(value)) return Status::Ok();
  PREON_ASSIGN_OR_RETURN(const int64_t samples, ParseInteger(value, 0));
  if (samples > 0) return SetOption(options, "calib-samples", std::to_string(samples));
  options.warnings.push_back("CalibDataSize 0: calibrates with all samples");
  return Status::Ok();
}

Status SetWorkerNum(Options& options, const std::string& value) {
  PREON_ASSIGN_OR_RETURN(int64_t workers, ParseInteger(value, 1));
  if (const int64_t cores = AvailableCores(); workers > cores) {
    options.warnings.push_back(StrCat("CalibWorkerNum ", workers, ": this process may use ", cores, " cores; ", cores,
                                      " workers are started"));
    workers = cores;
  }
  return SetOption(options, "workers", std::to_string(workers));
}

Status SetOptimizeMem(Options& options, const std::string& value) {
  PREON_ASSIGN_OR_RETURN(const bool low, ParseBool(value));
  return SetOption(options, "memory", low ? "low" : "fast");
}

Status SetOptimizeDisk(Options& options, const std::string& value) {
  PREON_RETURN_IF_ERROR(ParseBool(value).status());
  options.warnings.push_back(
      "CalibOptimizeDisk: has no effect: values are never kept on disk, statistics take their place");
  return Status::Ok();
}

// Without a range of its own an input is uniform in [0, 1), integers 0 or 1.
Status SetUseRandomData(Options& options, const std::string& value) {
  PREON_ASSIGN_OR_RETURN(const bool random, ParseBool(value));
  if (!random) {
    options.data.random_samples = 0;
    return Status::Ok();
  }
  options.data.random.common.emplace();
  options.data.random_samples = std::max<int64_t>(options.data.random_samples, 1);
  return options.data.seed != 0 ? Status::Ok() : SetOption(options, "seed", std::string(kRandomSeed));
}

Status SetRandomSamples(Options& options, const std::string& value) {
  PREON_ASSIGN_OR_RETURN(options.data.random_samples, ParseInteger(value, 1));
  return Status::Ok();
}

// Calls `set` with each entry of a JSON object as the option named would be given it: "NAME=VALUE".
Status SetTable(Options& options, const std::string& value, std::string_view option, char separator) {
  if (IsNone(value)) return Status::Ok();
  const Json table = Json::parse(value, nullptr, /*allow_exceptions=*/false);
  if (!table.is_object()) return BadValue(value, "a JSON object with a list of numbers for each input");
  for (const auto& [input, numbers] : table.items()) {
    if (!numbers.is_array() || numbers.empty() || !std::ranges::all_of(numbers, &Json::is_number))
      return BadValue(numbers.dump(), "a list of numbers").WithContext(input);
    std::string text;
    for (const Json& number : numbers) text += (text.empty() ? "" : std::string(1, separator)) + number.dump();
    PREON_RETURN_IF_ERROR(SetOption(options, option, input + "=" + text));
  }
  return Status::Ok();
}

Status SetPassthrough(Options& options, const std::string& value) {
  if (IsNone(value) || value == "[]") return Status::Ok();
  std::vector<std::string> types;
  if (value.starts_with('[')) {
    const Json list = Json::parse(value, nullptr, /*allow_exceptions=*/false);
    if (!list.is_array() || !std::ranges::all_of(list, &Json::is_string)) return BadValue(value, "a list of operators");
    types = list.get<std::vector<std::string>>();
  } else {
    types = Split(value, ',');
  }
  for (const std::string& type : types) PREON_RETURN_IF_ERROR(SetOption(options, "passthrough", type));
  return Status::Ok();
}

Status SetHistograms(Options& options, const std::string& value) {
  PREON_ASSIGN_OR_RETURN(const bool save, ParseBool(value));
  return save ? SetOption(options, "save-histograms", std::string(kHistogramFolder)) : Status::Ok();
}

Status SetSaveAndRestore(Options& options, const std::string& value) {
  return IsNone(value) ? Status::Ok() : SetOption(options, "save-and-restore", value);
}

Status SetTmpDir(Options& options, const std::string& value) {
  return IsNone(value) ? Status::Ok() : SetOption(options, "tmp-dir", value);
}

Status SetUseMatMulNBits(Options& options, const std::string& value) {
  constexpr std::string_view kGroupSize = "128";  // the reference's default
  PREON_ASSIGN_OR_RETURN(const bool use, ParseBool(value));
  if (!use) return Status::Ok();
  PREON_RETURN_IF_ERROR(SetOption(options, "target", "matmul-nbits"));
  return options.plan.block_size ? Status::Ok() : SetOption(options, "block-size", std::string(kGroupSize));
}

Status SetMatMulNBitsParams(Options& options, const std::string& value) {
  if (IsNone(value)) return Status::Ok();
  const Json params = Json::parse(value, nullptr, /*allow_exceptions=*/false);
  if (!params.is_object()) return BadValue(value, "a JSON object with Algorithm, GroupSize, Symmetric, Bits, AccuracyLevel");
  int64_t bits = 4;
  bool symmetric = true;
  for (const auto& [name, setting] : params.items()) {
    if (setting.is_null()) continue;
    const std::string text = setting.is_string() ? setting.get<std::string>() : setting.dump();
    Status status;
    if (name == "Algorithm") {
      if (text != "DEFAULT") status = Error(ErrorId::kNotYetSupported, "got '", text, "', this version has DEFAULT");
    } else if (name == "GroupSize") {
      status = SetOption(options, "block-size", text);
    } else if (name == "AccuracyLevel") {
      status = SetOption(options, "accuracy-level", text);
    } else if (name == "Symmetric" && setting.is_boolean()) {
      symmetric = setting.get<bool>();
    } else if (name == "Bits" && setting.is_number_integer()) {
      bits = setting.get<int64_t>();
    } else {
      status = BadValue(StrCat(name, ": ", text), "Algorithm, GroupSize, AccuracyLevel, Symmetric true or false, Bits 2, 4 or 8");
    }
    if (!status.ok()) return std::move(status).WithContext(name);
  }
  return SetOption(options, "weight", StrCat(symmetric ? "int" : "uint", bits));
}

// A flag that is on, as an option of ours.
Status SetIfTrue(Options& options, const std::string& value, std::string_view name, const std::string& to = "true") {
  PREON_ASSIGN_OR_RETURN(const bool on, ParseBool(value));
  return on ? SetOption(options, name, to) : Status::Ok();
}

Status SetPairOnWeight(Options& options, const std::string& value) {
  PREON_ASSIGN_OR_RETURN(const bool pair, ParseBool(value));
  return SetOption(options, "weight-form", pair ? "operators" : "packed");
}

Status SetRefineBlockAxis(Options& options, const std::string& value) {
  PREON_ASSIGN_OR_RETURN(const bool refine, ParseBool(value));
  return refine ? Status::Ok() : SetOption(options, "keep-block-axis", "true");
}

// A JSON object of attributes, each an option of ours.
Status SetBlockAttributes(Options& options, const std::string& value, std::string_view option) {
  if (IsNone(value)) return Status::Ok();
  const Json attributes = Json::parse(value, nullptr, /*allow_exceptions=*/false);
  if (!attributes.is_object()) return BadValue(value, "a JSON object of attributes");
  for (const auto& [name, setting] : attributes.items()) {
    const std::string text = setting.is_string() ? setting.get<std::string>() : setting.dump();
    PREON_RETURN_IF_ERROR(SetOption(options, option, StrCat(name, "=", text)));
  }
  return Status::Ok();
}

// ConvertFP16ToFP32 comes first in the reference, and leaves nothing to this one.
Status SetQuantizeFp16(Options& options, const std::string& value) {
  PREON_ASSIGN_OR_RETURN(const bool quantize, ParseBool(value));
  return options.float16 ? Status::Ok() : SetOption(options, "float16", quantize ? "keep-io" : "off");
}

Status SetUseFp32Scale(Options& options, const std::string& value) {
  PREON_ASSIGN_OR_RETURN(const bool use, ParseBool(value));
  options.float16_scales = !use;
  return Status::Ok();
}

constexpr ReferenceKey kKeys[] = {
    {"CalibDataSize", "N: --calib-samples; 0 = all", SetDataSize},
    {"CalibWorkerNum", "N: --workers, at most as many as there are cores", SetWorkerNum},
    {"CalibOptimizeMem", "true: --memory low, false: --memory fast", SetOptimizeMem},
    {"CalibOptimizeDisk", "true or false: no effect, no values are kept on disk", SetOptimizeDisk},
    {"TmpDir", "DIR: --tmp-dir", SetTmpDir},
    {"UseMatMulNBits", "true: --target matmul-nbits --block-size 128", SetUseMatMulNBits},
    {"MatMulNBitsParams", "{\"Algorithm\": \"DEFAULT\", \"GroupSize\": 32, ...}: --block-size, --weight, --accuracy-level",
     SetMatMulNBitsParams},
    {"ActivationScaled", "true: --activation-scaled",
     [](Options& o, const std::string& v) { return SetIfTrue(o, v, "activation-scaled"); }},
    {"WeightScaled", "true: --weight-scaled",
     [](Options& o, const std::string& v) { return SetIfTrue(o, v, "weight-scaled"); }},
    {"BF16QDQToCast", "true: --bfloat16 casts",
     [](Options& o, const std::string& v) { return SetIfTrue(o, v, "bfloat16", "casts"); }},
    {"BF16WithClip", "true: --bfloat16 clip",
     [](Options& o, const std::string& v) { return SetIfTrue(o, v, "bfloat16", "clip"); }},
    {"EnableVaimlBF16", "true: --bfloat16 vaiml",
     [](Options& o, const std::string& v) { return SetIfTrue(o, v, "bfloat16", "vaiml"); }},
    {"AddQDQPairToWeight", "true: --weight-form operators, false: packed", SetPairOnWeight},
    {"ActivationSymmetric", "true: --symmetric", [](Options& o, const std::string& v) { return SetIfTrue(o, v, "symmetric"); }},
    {"Int16Scale", "true: --scale-type int16",
     [](Options& o, const std::string& v) { return SetIfTrue(o, v, "scale-type", "int16"); }},
    {"WeightCalibrateMethod", "M: --weight-method",
     [](Options& o, const std::string& v) { return IsNone(v) ? Status::Ok() : SetOption(o, "weight-method", v); }},
    {"MinMSEModeFloatScale", "S: --weight-search",
     [](Options& o, const std::string& v) { return SetOption(o, "weight-search", v); }},
    {"BFPAttributes", "{\"block_size\": 16, ...}: --bfp-attribute",
     [](Options& o, const std::string& v) { return SetBlockAttributes(o, v, "bfp-attribute"); }},
    {"MXAttributes", "{\"block_size\": 16, ...}: --mx-attribute",
     [](Options& o, const std::string& v) { return SetBlockAttributes(o, v, "mx-attribute"); }},
    {"QuantizeFP16", "true: --float16 keep-io, false: --float16 off; default: by the model", SetQuantizeFp16},
    {"UseFP32Scale", "true: no effect, scales are float32; false: an error for float16 models", SetUseFp32Scale},
    {"ConvertFP16ToFP32", "true: --float16 convert",
     [](Options& o, const std::string& v) { return SetIfTrue(o, v, "float16", "convert"); }},
    {"RefineBlockAxis", "false: --keep-block-axis", SetRefineBlockAxis},
    {"CalibPassthroughOpTypes", "OP,...: --passthrough", SetPassthrough},
    {"SaveTensorHistFig", "true: --save-histograms tensor_hist", SetHistograms},
    {"SaveAndRestore", "FILE: --save-and-restore", SetSaveAndRestore},
    {"UseRandomData", "true: one random sample where no data are given; floats in [0, 1), integers 0 or 1",
     SetUseRandomData},
    {"RandomDataReaderNumSamples", "N: with UseRandomData, so many samples (default 1)", SetRandomSamples},
    {"RandomDataReaderSeed", "N: --seed (default with UseRandomData: 42)",
     [](Options& o, const std::string& v) { return SetOption(o, "seed", v); }},
    {"RandomDataReaderInputShape", "{\"INPUT\": [1,3,8,8], ...}: --random-shape",
     [](Options& o, const std::string& v) { return SetTable(o, v, "random-shape", 'x'); }},
    {"RandomDataReaderInputDataRange", "{\"INPUT\": [LOW,HIGH], ...}: --random-range",
     [](Options& o, const std::string& v) { return SetTable(o, v, "random-range", ':'); }},
};

// "Percentile" of "Percentile=99.999: share kept"; each once.
std::vector<std::string> MethodKeys() {
  const Builtins builtins = MakeBuiltins();
  std::vector<std::string> names;
  for (const auto& method : builtins.methods.entries()) {
    for (const std::string_view help : method->option_help()) {
      std::string name(help.substr(0, help.find('=')));
      if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    }
  }
  return names;
}

// A key whose feature this version has not: only switching it off is done.
Status SetAbsentKey(const CatalogKey& key, const std::string& value) {
  const bool off = IsNone(value) || ToLower(value) == "false" || value == "[]" || value == "{}";
  if (off && key.fallback != "true") return Status::Ok();
  return Error(ErrorId::kNotYetSupported, key.name, ": got '", value, "', but this version has not what it stands for (",
               kReferenceCategories[static_cast<size_t>(key.category)], ")")
      .WithHint("--option help lists the keys that it has");
}

Status SetKey(Options& options, const std::string& name, const std::string& value) {
  const auto is_named = [&](std::string_view key) { return ToLower(key) == ToLower(name); };
  if (const auto key = std::ranges::find_if(kKeys, is_named, &ReferenceKey::name); key != std::end(kKeys))
    return key->set(options, value).WithContext(key->name);
  std::vector<std::string> known = MethodKeys();
  if (const auto key = std::ranges::find_if(known, is_named); key != known.end())
    return SetOption(options, "method-option", *key + "=" + value);
  const auto catalog = ReferenceCatalog();
  if (const auto key = std::ranges::find_if(catalog, is_named, &CatalogKey::name); key != catalog.end())
    return SetAbsentKey(*key, value);
  for (const ReferenceKey& key : kKeys) known.emplace_back(key.name);
  return Error(ErrorId::kUnknownOption, "unknown key '", name, "'", DidYouMean(name, known))
      .WithHint("--option help lists the keys");
}

}  // namespace

std::span<const ReferenceKey> ReferenceKeys() { return kKeys; }

bool HasReferenceKey(std::string_view name) {
  if (std::ranges::find(kKeys, name, &ReferenceKey::name) != std::end(kKeys)) return true;
  const std::vector<std::string> keys = MethodKeys();
  return std::ranges::find(keys, name) != keys.end();
}

Status SetReferenceKey(Options& options, const std::string& name, const std::string& value) {
  const size_t set_before = options.settings.size();
  PREON_RETURN_IF_ERROR(SetKey(options, name, value));
  for (size_t index = set_before; index < options.settings.size(); ++index) options.settings[index].by_key = true;
  return Status::Ok();
}

}  // namespace preon

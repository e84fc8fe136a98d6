#include "config/files/presets.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/spelling.h"
#include "config/option_table.h"

namespace preon {
namespace {

// What Quark's other presets of the older family need that this version lacks, by a part of the name.
constexpr auto kLater = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"MIXED", "a configuration that asks for auto_mixprecision (--algorithm help)"},
    {"ADAQUANT", "the algorithm adaquant for types that are not integers"},
});

// Quark's newer family: its configurations in full.
struct QConfigPreset {
  std::string_view name, activation, weight;  ///< classes of specifications
  std::string_view extra_options;             ///< JSON
  std::string_view algorithm;
};

constexpr std::string_view kForced = R"({"ForceQuantizeNoInputCheck": true})";
constexpr std::string_view kA8W8 =
    R"({"ForceQuantizeNoInputCheck": true, "AlignSlice": false, "FoldRelu": true, "AlignConcat": true})";
constexpr std::string_view kA16W8 =
    R"({"ForceQuantizeNoInputCheck": true, "AlignSlice": false, "FoldRelu": true, "AlignConcat": true,
 "AlignEltwiseQuantType": true})";
constexpr std::string_view kVInt8 =
    R"({"OptimizeModel": false, "EnableNPUCnn": false, "UseRandomData": true, "ConvertBNToConv": true,
 "ConvertSigmoidToHardSigmoid": false,
 "ConvertClipToRelu": true, "ConvertSplitToSlice": true, "SplitLargeKernelPool": false,
 "ReplaceClip6Relu": true,
 "ConvertReduceMeanToGlobalAvgPool": false, "RemoveQDQConvClip": false, "RemoveQDQConvPRelu": false,
 "RemoveQDQConvRelu": false,
 "RemoveQDQConvLeakyRelu": false, "Int32Bias": false, "DedicatedQDQPair": true, "QuantizeAllOpTypes": true})";

constexpr auto kQConfigs = std::to_array<QConfigPreset>({
    {"XINT8_QCONFIG", "XInt8Spec", "XInt8Spec", kForced, ""},
    {"XINT8_ADAROUND_QCONFIG", "XInt8Spec", "XInt8Spec", kForced, "adaround"},
    {"XINT8_ADAQUANT_QCONFIG", "XInt8Spec", "XInt8Spec", kForced, "adaquant"},
    {"VINT8_QCONFIG", "XInt8Spec", "XInt8Spec", kVInt8, ""},
    {"VINT8", "XInt8Spec", "XInt8Spec", kVInt8, ""},
    {"A8W8_QCONFIG", "Int8Spec", "Int8Spec", kA8W8, ""},
    {"A8W8_ADAROUND_QCONFIG", "Int8Spec", "Int8Spec", kA8W8, "adaround"},
    {"A8W8_ADAQUANT_QCONFIG", "Int8Spec", "Int8Spec", kA8W8, "adaquant"},
    {"A16W8_QCONFIG", "Int16Spec", "Int8Spec", kA16W8, ""},
    {"A16W8_ADAROUND_QCONFIG", "Int16Spec", "Int8Spec", kA16W8, "adaround"},
    {"A16W8_ADAQUANT_QCONFIG", "Int16Spec", "Int8Spec", kA16W8, "adaquant"},
    {"BF16_QCONFIG", "BFloat16Spec", "BFloat16Spec", kForced, ""},
    {"BFP16_QCONFIG", "BFP16Spec", "BFP16Spec", "{}", ""},
});

// Integers are symmetric with Percentile, XInt8 has powers of two and MinMSE; other types have no ranges.
nlohmann::json SpecOf(std::string_view name) {
  const bool integer = name.starts_with("Int") || name.starts_with("XInt"), npu = name.starts_with('X');
  std::string type(name.substr(npu ? 1 : 0));
  type.resize(type.size() - std::string_view("Spec").size());
  return {{"symmetric", true},
          {"scale_type", npu ? "ScaleType.PowerOf2" : "ScaleType.Float32"},
          {"calibration_method", npu       ? "CalibMethod.MinMSE"
                                 : integer ? "CalibMethod.Percentile"
                                           : "CalibMethod.MinMax"},
          {"quant_granularity", "QuantGranularity.Tensor"},
          {"data_type", type}};
}

Status ApplyQConfigPreset(Options& options, const QConfigPreset& preset) {
  nlohmann::json config = {
      {"global_config", {{"input_tensors", SpecOf(preset.activation)}, {"weight", SpecOf(preset.weight)}}},
      {"extra_options", nlohmann::json::parse(preset.extra_options)}};
  if (!preset.algorithm.empty()) config["algo_config"] = {{{"name", preset.algorithm}}};
  return SetOption(options, "qconfig", config.dump()).WithContext("preset ", preset.name);
}

std::string Canonical(std::string_view name) {
  std::string canonical = ToUpper(name);
  if (canonical.ends_with("_CONFIG")) canonical.resize(canonical.size() - std::string_view("_CONFIG").size());
  return canonical;
}

std::vector<std::pair<std::string_view, std::string_view>> OfTransformers(std::string_view activation,
                                                                          std::string_view weight) {
  if (weight == "int8") {
    return {{"target", "npu-transformer"},
            {"method", "minmax"},
            {"activation", activation},
            {"weight", weight},
            {"option", "CalibMovingAverage=true"}};
  }
  return {{"target", "quark"},
          {"method", "minmax"},
          {"activation", activation},
          {"weight", weight},
          {"option", R"(OpTypesToQuantize=["Gemm","MatMul"])"},
          {"option", "MatMulConstBOnly=true"},
          {"option", "CalibMovingAverage=true"}};
}

// Those whose weights are integers come in two more forms, with 1000 samples at most.
void AddFinetuned(std::vector<ConfigPreset>& presets) {
  constexpr auto kFinetuned =
      std::to_array<std::string_view>({"XINT8", "S8S8_AAWS", "U8S8_AAWS", "S16S8_ASWS", "A8W8", "A16W8", "U16S8_AAWS"});
  constexpr std::pair<const char*, const char*> kForms[] = {{"_ADAROUND", "adaround:data-size=1000"},
                                                            {"_ADAQUANT", "adaquant:data-size=1000"}};
  const size_t plain = presets.size();
  for (size_t index = 0; index < plain; ++index) {
    if (std::ranges::find(kFinetuned, presets[index].name) == kFinetuned.end()) continue;
    for (const auto& [ending, algorithm] : kForms) {
      ConfigPreset more = presets[index];
      more.name += ending;
      more.summary += StrCat(", then ", std::string_view(algorithm).substr(0, 8));
      more.values.emplace_back("algorithm", algorithm);
      presets.push_back(std::move(more));
    }
  }
}

std::vector<std::pair<std::string_view, std::string_view>> Accurate(
    std::vector<std::pair<std::string_view, std::string_view>> values) {
  for (auto& [option, value] : values) {
    if (option == "method") value = "percentile";
  }
  std::erase(values, std::pair<std::string_view, std::string_view>("option", "CalibMovingAverage=true"));
  values.insert(values.end(), {{"method-option", "Percentile=99.9999"}, {"algorithm", "adaround:data-size=1000"}});
  return values;
}

}  // namespace

std::vector<ConfigPreset> ConfigPresets() {
  std::vector<ConfigPreset> presets = {
      {"INT8", "the default: u8 activations, s8 per-channel weights", {}},
      {"U8S8",
       "u8 activations, s8 per-channel weights, MinMax",
       {{"method", "minmax"}, {"activation", "uint8"}, {"weight", "int8"}}},
      {"U8S8_AAWS",
       "u8 asymmetric activations, s8 weights, Percentile",
       {{"method", "percentile"}, {"activation", "uint8"}, {"weight", "int8"}}},
      {"S8S8_AAWS",
       "s8 asymmetric activations, s8 weights, Percentile 99.9999",
       {{"method", "percentile"}, {"method-option", "Percentile=99.9999"}, {"activation", "int8"}, {"weight", "int8"}}},
      {"A8W8",
       "s8 symmetric activations, s8 weights, Percentile",
       {{"method", "percentile"}, {"activation", "int8"}, {"weight", "int8"}, {"symmetric", "true"}}},
      {"XINT8",
       "convolutional nets on AMD NPUs: u8 activations, s8 weights and biases, powers of two, MinMSE",
       {{"target", "npu-cnn"},
        {"method", "minmse"},
        {"activation", "uint8"},
        {"weight", "int8"},
        {"option", "ForceQuantizeNoInputCheck=true"}}},
      {"INT8_CNN_DEFAULT",
       "u8 activations, s8 weights, MinMax",
       {{"method", "minmax"}, {"activation", "uint8"}, {"weight", "int8"}}},
      {"INT16_CNN_DEFAULT",
       "u16 activations, s16 weights, MinMax",
       {{"method", "minmax"}, {"activation", "uint16"}, {"weight", "int16"}}},
      {"INT8_TRANSFORMER_DEFAULT",
       "MatMul and Gemm with constant matrices: u8 activations, s8 weights, MinMax of averages",
       OfTransformers("uint8", "int8")},
      {"INT16_TRANSFORMER_DEFAULT",
       "MatMul and Gemm with constant matrices: u16 activations, s16 weights, MinMax of averages",
       OfTransformers("uint16", "int16")},
      {"U8U8_AAWA",
       "u8 asymmetric activations, u8 weights, Percentile",
       {{"method", "percentile"}, {"activation", "uint8"}, {"weight", "uint8"}}},
      {"A16W8",
       "s16 symmetric activations, s8 weights, MinMax",
       {{"method", "minmax"}, {"activation", "int16"}, {"weight", "int8"}, {"symmetric", "true"}}},
      {"S16S8_ASWS",
       "s16 symmetric activations, s8 weights, Percentile",
       {{"method", "percentile"}, {"activation", "int16"}, {"weight", "int8"}, {"symmetric", "true"}}},
      {"U16S8_AAWS",
       "u16 asymmetric activations, s8 weights, Percentile",
       {{"method", "percentile"}, {"activation", "uint16"}, {"weight", "int8"}}},
      {"FP16", "float16", {{"activation", "float16"}}},
      {"BF16", "bfloat16", {{"activation", "bfloat16"}}},
      {"BFP16", "bfp16", {{"activation", "bfp16"}}},
      {"MX4", "mx4", {{"activation", "mx4"}}},
      {"MX6", "mx6", {{"activation", "mx6"}}},
      {"MX9", "mx9", {{"activation", "mx9"}}},
      {"MXINT8", "mxint8", {{"activation", "mxint8"}}},
      {"MXFP8E5M2", "mxfp8e5m2", {{"activation", "mxfp8e5m2"}}},
      {"MXFP8E4M3", "mxfp8e4m3", {{"activation", "mxfp8e4m3"}}},
      {"MXFP6E3M2", "mxfp6e3m2", {{"activation", "mxfp6e3m2"}}},
      {"MXFP6E2M3", "mxfp6e2m3", {{"activation", "mxfp6e2m3"}}},
      {"MXFP4E2M1", "mxfp4e2m1", {{"activation", "mxfp4e2m1"}}},
      {"BF16_BFP16", "bfloat16 activations, bfp16 weights", {{"activation", "bfloat16"}, {"weight", "bfp16"}}},
      {"BF16_MXINT8", "bfloat16 activations, mxint8 weights", {{"activation", "bfloat16"}, {"weight", "mxint8"}}},
      {"MX9_INT8", "mx9 activations, int8 weights", {{"activation", "mx9"}, {"weight", "int8"}}},
      {"UINT8_DYNAMIC_QUANT",
       "u8 weights, activations quantized in each run: no data needed",
       {{"target", "dynamic"}, {"weight", "uint8"}}},
      {"MATMUL_NBITS",
       "weights only: int4 in blocks of 128, computed in float32",
       {{"target", "matmul-nbits"}, {"weight", "int4"}, {"block-size", "128"}, {"accuracy-level", "1"}}},
      {"INT8_CNN_ACCURATE", "u8 activations, s8 weights, Percentile 99.9999, then adaround",
       Accurate({{"method", "minmax"}, {"activation", "uint8"}, {"weight", "int8"}})},
      {"INT16_CNN_ACCURATE", "u16 activations, s16 weights, Percentile 99.9999, then adaround",
       Accurate({{"method", "minmax"}, {"activation", "uint16"}, {"weight", "int16"}})},
      {"INT8_TRANSFORMER_ACCURATE",
       "MatMul and Gemm with constant matrices: u8 activations, s8 weights, Percentile 99.9999, then adaround",
       Accurate(OfTransformers("uint8", "int8"))},
      {"INT16_TRANSFORMER_ACCURATE",
       "MatMul and Gemm with constant matrices: u16 activations, s16 weights, Percentile 99.9999, then adaround",
       Accurate(OfTransformers("uint16", "int16"))},
  };
  AddFinetuned(presets);
  return presets;
}

std::vector<std::string> QConfigPresetNames() {
  std::vector<std::string> names;
  for (const QConfigPreset& preset : kQConfigs) names.emplace_back(preset.name);
  return names;
}

Status ApplyPreset(Options& options, std::string_view name) {
  const std::string wanted = Canonical(name);
  const auto qconfig = std::ranges::find(kQConfigs, wanted, &QConfigPreset::name);
  if (qconfig != kQConfigs.end()) return ApplyQConfigPreset(options, *qconfig);
  const std::vector<ConfigPreset> presets = ConfigPresets();
  const auto preset = std::ranges::find(presets, wanted, &ConfigPreset::name);
  if (preset == presets.end()) {
    std::vector<std::string> names;
    for (const ConfigPreset& known : presets) names.emplace_back(known.name);
    const std::string list = JoinNames(names);
    for (std::string& known : QConfigPresetNames()) names.push_back(std::move(known));
    for (const auto& [part, needs] : kLater) {
      if (wanted.find(part) != std::string::npos)
        return Error(ErrorId::kNotYetSupported, "--config: preset '", name, "' is not in this version: it needs ",
                     needs);
    }
    return Error(ErrorId::kUnknownOption, "--config: unknown preset '", name, "'", DidYouMean(wanted, names),
                 " (known: ", list, ")");
  }
  for (const auto& [option, value] : preset->values) {
    PREON_RETURN_IF_ERROR(SetOption(options, option, std::string(value)).WithContext("preset ", name));
  }
  return Status::Ok();
}

}  // namespace preon

#include "api/presets.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "api/option_table.h"

namespace preon {
namespace {

// What the reference's other presets start with: power-of-two scales, layers of other types, training of the weights.
constexpr auto kLater = std::to_array<std::string_view>(
    {"XINT8", "VINT8", "UINT8_DYNAMIC", "S16", "U16", "U8U8", "A16W8_ADA", "A8W8_ADA", "U8S8_AAWS_ADA",
     "S8S8_AAWS_ADA", "FP16_ADA", "BF16_", "BFP16_ADA", "MX", "INT16", "INT8_TRANSFORMER", "INT8_CNN_ACCURATE"});

std::string Canonical(std::string_view name) {
  std::string canonical;
  for (const char c : name) canonical += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  for (const std::string_view ending : {"_QCONFIG", "_CONFIG"}) {
    if (canonical.ends_with(ending)) canonical.resize(canonical.size() - ending.size());
  }
  return canonical;
}

}  // namespace

std::vector<ConfigPreset> ConfigPresets() {
  return {
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
      {"INT8_CNN_DEFAULT",
       "u8 activations, s8 weights, MinMax",
       {{"method", "minmax"}, {"activation", "uint8"}, {"weight", "int8"}}},
      {"INT16_CNN_DEFAULT",
       "u16 activations, s16 weights, MinMax",
       {{"method", "minmax"}, {"activation", "uint16"}, {"weight", "int16"}}},
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
      {"MATMUL_NBITS",
       "weights alone: int4 in blocks of 128, computed in float32",
       {{"target", "matmul-nbits"}, {"weight", "int4"}, {"block-size", "128"}, {"accuracy-level", "1"}}},
  };
}

Status ApplyPreset(Options& options, std::string_view name) {
  const std::string wanted = Canonical(name);
  const std::vector<ConfigPreset> presets = ConfigPresets();
  const auto preset = std::ranges::find(presets, wanted, &ConfigPreset::name);
  if (preset == presets.end()) {
    std::vector<std::string> names;
    std::string list;
    for (const ConfigPreset& known : presets) {
      names.emplace_back(known.name);
      list += (list.empty() ? "" : ", ") + names.back();
    }
    if (std::ranges::any_of(kLater, [&](std::string_view start) { return wanted.starts_with(start); })) {
      return Error(ErrorId::kNotYetSupported, "--config: preset '", name, "' is not in this version; it has: ", list);
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

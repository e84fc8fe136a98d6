#include "api/presets.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "api/option_table.h"

namespace preon {
namespace {

// What the reference's other presets start with: other types, power-of-two scales, training of the weights.
constexpr auto kLater = std::to_array<std::string_view>(
    {"XINT8", "VINT8", "UINT8_DYNAMIC", "S16", "U16", "U8U8", "A16W8", "A8W8_ADA", "U8S8_AAWS_ADA", "S8S8_AAWS_ADA",
     "FP16", "BF16", "BFP16", "MX", "INT16", "INT8_TRANSFORMER", "INT8_CNN_ACCURATE", "MATMUL_NBITS"});

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

#include "config/keys/key_conflicts.h"

#include <array>

#include "config/ignored_options.h"
#include "config/keys/key_spec.h"
#include "config/keys/keys.h"
#include "config/keys/pass_list.h"
#include "quantize/plan/target.h"

namespace preon {
namespace {

// "KEY=VALUE" as two halves; flags are true or false.
struct KeyText {
  std::string_view key, value;
};

struct Contradiction {
  KeyText one, other;
  std::string_view why;
};

// The first is ignored when the second is set.
struct IgnoredWith {
  KeyText ignored, because;
};

// What does nothing unless the second is set as well; an empty value stands for any.
struct Need {
  KeyText setting, needed;
};

constexpr auto kContradictions = std::to_array<Contradiction>({
    {{"Int16Bias", "true"}, {"QuantizeBias", "false"}, "there are no codes of biases to narrow"},
    {{"UseMatMulNBits", "true"},
     {"UseFP32Scale", "true"},
     "UseFP32Scale makes the scales of a float16 model float32, but MatMulNBits has scales of the model's type"},
    {{"SkipPreprocess", "true"}, {"ConvertFP16ToFP32", "true"}, "SkipPreprocess skips the conversion"},
});

constexpr auto kIgnoredWith = std::to_array<IgnoredWith>({
    {{"Int32Bias", "true"}, {"QuantizeBias", "false"}},
    {{"Int32Bias", "true"}, {"WeightsOnly", "true"}},
    {{"Int32Bias", "false"}, {"QuantizeBias", "false"}},
    {{"Int32Bias", "false"}, {"Int16Bias", "true"}},
    {{"Int16Bias", "true"}, {"WeightsOnly", "true"}},
    {{"AdjustWeightScaleForInt32Bias", "true"}, {"QuantizeBias", "false"}},
    {{"AdjustWeightScaleForInt32Bias", "true"}, {"Int32Bias", "false"}},
    {{"EnableNPUCnn", "true"}, {"UseMatMulNBits", "true"}},
    {{"SkipPreprocess", "true"}, {"ShapeShifterYaml", ""}},
    {{"SkipPreprocess", "true"}, {"PreprocessYAML", ""}},
});

constexpr auto kNeeds = std::to_array<Need>({
    {{"CalibMovingAverageConstant", ""}, {"CalibMovingAverage", "true"}},
    {{"MixedPrecisionTensor", ""}, {"SpecificTensorPrecision", "true"}},
    {{"SpecificTensorPrecision", "true"}, {"MixedPrecisionTensor", ""}},
    {{"RandomDataReaderNumSamples", ""}, {"UseRandomData", "true"}},
    {{"EncryptionAlgorithm", ""}, {"CryptoMode", "true"}},
});

using Keys = std::map<std::string, std::string>;

bool IsSet(const Keys& keys, const KeyText& setting) {
  const auto found = keys.find(std::string(setting.key));
  return found != keys.end() && (setting.value.empty() || found->second == setting.value);
}

std::string Text(const KeyText& setting) {
  return StrCat(setting.key, setting.value.empty() ? "" : "=", setting.value);
}

}  // namespace

Status CheckKeyConflicts(const Keys& keys, const Target* target, const SettingOrigins& origins,
                         std::vector<std::string>* warnings) {
  for (const auto& [key, value] : keys) {
    const KeySpec* spec = FindKey(key);
    if (spec == nullptr) continue;
    if (spec->HasNoEffect() && value != spec->fallback) warnings->push_back(StrCat(key, ": has ", spec->here));
    if (spec->type == KeyType::kTable && value == "{}")
      warnings->push_back(StrCat(key, ": has no effect: the table is empty"));
  }
  if (IsSet(keys, {"UseMatMulNBits", "true"}) && target != nullptr && target->QuantizesActivations())
    return Error(ErrorId::kConflictingOptions, "UseMatMulNBits=true and --target ", target->name(),
                 ": got both, wanted one");
  Keys acting = keys;
  if (IsPassListGiven(keys)) acting.erase("SkipPreprocess");
  for (const auto& [one, other, why] : kContradictions) {
    if (IsSet(acting, one) && IsSet(acting, other))
      return Error(ErrorId::kConflictingOptions, Text(one), " and ", Text(other), ": got both, wanted one: ", why);
  }
  for (const auto& [ignored, because] : kIgnoredWith) {
    if (IsSet(keys, ignored) && IsSet(keys, because))
      PREON_RETURN_IF_ERROR(ReportIgnored(origins, ignored.key, StrCat("with ", Text(because)), warnings));
  }
  for (const auto& [setting, needed] : kNeeds) {
    if (IsSet(keys, setting) && !IsSet(keys, needed))
      PREON_RETURN_IF_ERROR(ReportIgnored(origins, setting.key, StrCat("without ", Text(needed)), warnings));
  }
  return Status::Ok();
}

}  // namespace preon

#include <array>

#include "api/verbs.h"
#include "base/system.h"
#include "config/files/qconfig_fields.h"
#include "config/keys/keys.h"
#include "config/option_groups.h"
#include "config/option_table.h"
#include "formats/tensor_type.h"
#include "ir/model_io.h"
#include "kernels/kernel_target.h"
#include "runtime/session.h"

namespace preon {
namespace {

template <typename T>
NamedLines Lines(const Registry<T>& registry) {
  NamedLines lines;
  for (const auto& entry : registry.entries()) lines.emplace_back(entry->name(), entry->summary());
  return lines;
}

// Of float graphs, then of quantized ones.
NamedLines Passes(const Builtins& builtins) {
  NamedLines lines = Lines(builtins.passes);
  const NamedLines quantized = Lines(builtins.qdq_passes);
  lines.insert(lines.end(), quantized.begin(), quantized.end());
  return lines;
}

constexpr std::array kVerbNames = {std::pair(kVerbQuantize, "quantize"), std::pair(kVerbCalibrate, "calibrate"),
                                   std::pair(kVerbMerge, "merge"),       std::pair(kVerbRanges, "ranges"),
                                   std::pair(kVerbInspect, "inspect"),   std::pair(kVerbRun, "run"),
                                   std::pair(kVerbCompare, "compare"),   std::pair(kVerbDoctor, "doctor"),
                                   std::pair(kVerbAnalyze, "analyze"),   std::pair(kVerbInstrument, "instrument"),
                                   std::pair(kVerbPasses, "passes"),     std::pair(kVerbLint, "lint"),
                                   std::pair(kVerbValidate, "validate"), std::pair(kVerbSensitivity, "sensitivity"),
                                   std::pair(kVerbReport, "report"),     std::pair(kVerbDiff, "diff"),
                                   std::pair(kVerbRetarget, "retarget"), std::pair(kVerbExportQat, "export-qat"),
                                   std::pair(kVerbSearch, "search"),     std::pair(kVerbEncrypt, "encrypt"),
                                   std::pair(kVerbDecrypt, "decrypt")};

OptionDescriptions Descriptions() {
  OptionDescriptions descriptions;
  for (const OptionSpec& spec : OptionTable()) {
    if (spec.help.empty()) continue;
    OptionDescription& option = descriptions.options.emplace_back();
    option.name = spec.name;
    option.value = spec.value_name;
    option.kind = spec.kind == OptionKind::kFlag ? "flag" : spec.kind == OptionKind::kList ? "list" : "value";
    option.meaning = spec.help;
    option.group = GroupOf(spec.name);
    for (const auto& [verb, name] : kVerbNames) {
      if ((spec.verbs & verb) != 0) option.verbs.emplace_back(name);
    }
  }
  for (size_t index = 0; index < kKeyGroups.size(); ++index) {
    const auto group = static_cast<KeyGroup>(index);
    for (const KeySpec& key : KeysOf(group)) {
      descriptions.keys.push_back({.name = std::string(key.name),
                                   .group = std::string(kKeyGroups[index]),
                                   .stage = std::string(StageOf(group)),
                                   .type = std::string(KeyTypeName(key.type)),
                                   .fallback = std::string(key.fallback),
                                   .otherwise = std::string(key.otherwise),
                                   .range = std::string(key.range),
                                   .meaning = std::string(key.meaning),
                                   .default_here = std::string(key.default_here),
                                   .here = std::string(key.here),
                                   .ours = key.ours});
    }
  }
  for (const ConfigField& field : QConfigFields()) {
    descriptions.fields.push_back(
        {std::string(field.name), std::string(field.type), std::string(field.fallback), std::string(field.meaning)});
  }
  return descriptions;
}

}  // namespace

Result<DoctorResult> DoctorVerb(RunInputs& run) {
  DoctorResult result{.cpu = CpuModel(),
                      .cpu_features = CpuFeatures(),
                      .kernels = std::string(KernelTargetName()),
                      .threads = run.context.ThreadCount(),
                      .runtime_version = RuntimeVersion(),
                      .newest_opset = NewestOpset(),
                      .methods = Lines(run.builtins.methods),
                      .targets = Lines(run.builtins.targets),
                      .passes = Passes(run.builtins),
                      .types = TensorTypeNames()};
  for (size_t group = 0; group < kKeyGroups.size(); ++group) {
    int64_t has = 0, all = 0;
    for (const KeySpec& key : KeysOf(static_cast<KeyGroup>(group))) {
      if (key.ours) continue;
      ++all;
      if (!key.here.empty())
        ++has;
      else
        result.missing_keys.emplace_back(key.name);
    }
    result.quark_keys.emplace_back(kKeyGroups[group], has, all);
  }
  if (run.options.describe_options) result.descriptions = Descriptions();
  result.facts = RunFactsOf(run.context, "doctor");
  return result;
}

}  // namespace preon

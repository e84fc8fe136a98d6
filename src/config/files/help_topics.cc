#include "config/files/help_topics.h"

#include <iomanip>
#include <sstream>

#include "base/spelling.h"
#include "config/files/presets.h"
#include "config/keys/algorithm_settings.h"
#include "config/keys/keys.h"
#include "data/images/preprocess.h"
#include "formats/tensor_type.h"
#include "formats/weight_rule.h"

namespace preon {
namespace {

void AddLine(std::ostringstream& out, std::string_view name, std::string_view summary) {
  out << "  " << std::left << std::setw(32) << name << summary << '\n';
}

template <typename T>
std::string ListOf(std::string_view title, const Registry<T>& registry) {
  std::ostringstream out;
  out << title << '\n';
  for (const auto& entry : registry.entries()) {
    AddLine(out, entry->name(), entry->summary());
    if constexpr (requires { entry->option_help(); }) {
      for (const std::string_view option : entry->option_help()) AddLine(out, "", option);
    }
  }
  return out.str();
}

std::string MethodOptionsOfAll() { return StrCat("every method also has the option ", kGraphAwareHelp, "\n"); }

std::string Listed(std::string_view title, const std::vector<std::string>& names) {
  std::ostringstream out;
  out << title << '\n';
  for (const std::string& name : names) out << "  " << name << '\n';
  return out.str();
}

// In the order in which they run.
std::string PassTopic(const Builtins& builtins) {
  std::ostringstream out;
  const auto add = [&](std::string_view title, PassPhase phase) {
    out << title << '\n';
    for (const auto& pass : builtins.passes.entries()) {
      if (pass->phase() == phase) AddLine(out, pass->name(), pass->summary());
    }
  };
  add("passes of the float graph, first:", PassPhase::kSource);
  add("passes of the float graph, repeated until nothing changes:", PassPhase::kRounds);
  add("passes of the float graph, last:", PassPhase::kLast);
  return out.str() + ListOf("passes of the quantized graph:", builtins.qdq_passes);
}

// With what --algorithm NAME:OPTION=VALUE,... can set.
std::string AlgorithmTopic(const Builtins& builtins) {
  std::ostringstream out;
  out << "algorithms, in the order they act, with their options (NAME:OPTION=VALUE,...):\n";
  for (const auto& algorithm : builtins.algorithms.entries()) {
    AddLine(out, algorithm->name(), StrCat(algorithm->summary(), algorithm->on_by_default() ? " (on by default)" : ""));
    for (const AlgorithmOption& option : algorithm->options()) {
      const std::string range = option.range.empty() ? "" : StrCat("; ", option.range);
      AddLine(out, "",
              StrCat(option.name, "=", option.fallback, "  ", option.meaning, range,
                     option.ignored.empty() ? "" : " (ignored)"));
    }
  }
  AddLine(out, kMixedPrecision,
          "chooses layers that get other types, by their error; parameters of AutoMixprecisionConfig, such as "
          "target_layer_config=int16,metric_default=sqnr,metric_threshold=-30,metric_optimize_object=quality");
  return out.str();
}

std::string TypeList() {
  return Listed("types:", TensorTypeNames()) + "a target that does not support a type reports an error\n";
}

std::string PresetList() {
  std::ostringstream out;
  out << "presets:\n";
  for (const ConfigPreset& preset : ConfigPresets()) AddLine(out, preset.name, preset.summary);
  out << "AMD Quark's configurations, for target quark:\n  " << JoinNames(QConfigPresetNames()) << '\n';
  out << "or a JSON or YAML file with options by their long names; besides these, files may have:\n"
         "  extra_options  options by AMD Quark's names, {KEY: VALUE, ...} (--option help)\n"
         "  overrides  settings of single tensors, {TENSOR: {KEY: VALUE, ...}, ...}; the keys:\n"
         "             type, symmetric, scale_type, method, axis, block_size, reduce_range; rmin and rmax, or scale "
         "and zero_point\n"
         "or a file with a QConfig, as AMD Quark writes it: global_config, specific_layer_config, ... "
         "(docs/design/configuration.md)\n";
  return out.str();
}

std::string PreprocessList() {
  std::ostringstream out;
  out << "presets; key=value,... after a preset changes single settings:\n";
  for (const PreprocessPreset& preset : PreprocessPresets()) AddLine(out, preset.name, preset.summary);
  out << "keys for images:\n"
         "  resize=N|WxH|input  crop=N|WxH|input  letterbox=0...255  color=rgb|bgr|gray\n"
         "  scale=A|A/B  mean=a[:b:c]  std=a[:b:c]  layout=nchw|nhwc\n"
         "keys for sound:\n"
         "  window=N (frames in a sample)  rate=HZ (other files are refused)  scale=A|A/B (of values from -1 to 1)\n";
  return out.str();
}

std::string KeyList() {
  std::ostringstream out;
  for (size_t group = 0; group < kKeyGroups.size(); ++group) {
    out << kKeyGroups[group] << ":\n";
    for (const KeySpec& key : KeysOf(static_cast<KeyGroup>(group))) {
      if (key.IsSettable()) out << "  " << std::left << std::setw(36) << key.name << key.here << '\n';
    }
  }
  return out.str();
}

}  // namespace

std::string HelpTopic(std::string_view option, const Builtins& builtins) {
  if (option == "method" || option == "method-option")
    return ListOf("methods, with their options:", builtins.methods) + MethodOptionsOfAll();
  if (option == "algorithm") return AlgorithmTopic(builtins);
  if (option == "disable-algorithm") return ListOf("algorithms, in the order they act:", builtins.algorithms);
  if (option == "target") return ListOf("targets:", builtins.targets);
  if (option == "pass" || option == "disable-pass" || option == "enable-pass") return PassTopic(builtins);
  if (option == "activation" || option == "weight") return TypeList();
  if (option == "scale-type" || option == "weight-scale-type") return Listed("scale types:", ScaleTypeNames());
  if (option == "compat") return Listed("tools:", CompatNames());
  if (option == "weight-method") return Listed("methods of weights:", WeightMethodNames());
  if (option == "weight-search") return Listed("searches of --weight-method minmse:", WeightSearchNames());
  if (option == "option") return KeyList();
  if (option == "config") return PresetList();
  if (option == "preprocess") return PreprocessList();
  return "";
}

}  // namespace preon

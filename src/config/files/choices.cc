#include "config/files/choices.h"

#include <map>
#include <set>

#include "config/files/presets.h"
#include "config/keys/keys.h"
#include "data/images/preprocess.h"
#include "formats/tensor_type.h"
#include "formats/weight_rule.h"

namespace preon {
namespace {

using NameList = std::vector<std::string>;

template <typename Entries>
void AddNames(const Entries& entries, NameList& names) {
  for (const auto& entry : entries) names.emplace_back(entry->name());
}

NameList Passes(const Builtins& builtins) {
  NameList names;
  AddNames(builtins.passes.entries(), names);
  AddNames(builtins.qdq_passes.entries(), names);
  return names;
}

// Of all methods, each once: the first word of what help says of them.
NameList MethodOptionNames(const Builtins& builtins) {
  std::set<std::string> names;
  const auto add = [&](std::string_view help) { names.insert(StrCat(help.substr(0, help.find_first_of(" =")), "=")); };
  for (const auto& method : builtins.methods.entries()) {
    for (const std::string_view option : method->option_help()) add(option);
  }
  add(kGraphAwareHelp);
  return {names.begin(), names.end()};
}

NameList KeyNames() {
  NameList names;
  for (size_t group = 0; group < kKeyGroups.size(); ++group) {
    for (const KeySpec& key : KeysOf(static_cast<KeyGroup>(group))) {
      if (key.IsSettable()) names.push_back(StrCat(key.name, "="));
    }
  }
  return names;
}

NameList Presets() {
  NameList names;
  for (const ConfigPreset& preset : ConfigPresets()) names.emplace_back(preset.name);
  for (std::string& name : QConfigPresetNames()) names.push_back(std::move(name));
  return names;
}

NameList PreprocessNames() {
  NameList names;
  for (const PreprocessPreset& preset : PreprocessPresets()) names.emplace_back(preset.name);
  return names;
}

// Lists that stand nowhere but in the option's own parser; a test holds them against it.
const std::map<std::string_view, NameList>& Short() {
  static const std::map<std::string_view, NameList> choices = {
      {"accuracy-level", {"0", "1", "2", "3", "4"}},
      {"bfloat16", {"casts", "clip", "vaiml"}},
      {"effort", {"fast", "default", "high"}},
      {"float16", {"keep-io", "convert", "off"}},
      {"format", {"qdq", "qoperator", "extended"}},
      {"group-by", {"folder", "file", "label"}},
      {"float-weights", {"float32", "float16", "int8"}},
      {"memory", {"low", "balanced", "fast"}},
      {"weight-form", {"packed", "folded", "operators"}},
  };
  return choices;
}

}  // namespace

std::vector<std::string> ChoicesOf(std::string_view option, const Builtins& builtins) {
  NameList names;
  if (option == "method") AddNames(builtins.methods.entries(), names);
  if (option == "target") AddNames(builtins.targets.entries(), names);
  if (option == "algorithm" || option == "disable-algorithm") AddNames(builtins.algorithms.entries(), names);
  if (option == "pass" || option == "disable-pass" || option == "enable-pass") names = Passes(builtins);
  if (option == "method-option") names = MethodOptionNames(builtins);
  if (option == "option") names = KeyNames();
  if (option == "activation" || option == "weight") names = TensorTypeNames();
  if (option == "scale-type" || option == "weight-scale-type") names = ScaleTypeNames();
  if (option == "compat") names = CompatNames();
  if (option == "weight-method") names = WeightMethodNames();
  if (option == "weight-search") names = WeightSearchNames();
  if (option == "config") names = Presets();
  if (option == "preprocess") names = PreprocessNames();
  if (const auto found = Short().find(option); found != Short().end()) names = found->second;
  return names;
}

}  // namespace preon

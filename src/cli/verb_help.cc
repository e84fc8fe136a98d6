#include "cli/verb_help.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "config/files/choices.h"
#include "config/option_groups.h"

namespace preon::cli {
namespace {

Operand OperandOf(std::string_view value, bool has_choices) {
  if (value.empty()) return Operand::kNone;
  if (value.starts_with("FILE") || value.ends_with("SRC")) return Operand::kFile;
  if (value == "DIR" || value == "PLACE") return Operand::kFolder;
  return has_choices ? Operand::kChoice : Operand::kOther;
}

// What an option means to one verb, where that is not what the table says of it.
struct OtherMeaning {
  uint32_t verb;
  std::string_view option, help;
};
constexpr OtherMeaning kOtherMeanings[] = {
    {kVerbRetarget, "target",
     "ort-cpu: make the model as fast there as its codes allow (default: only what the other "
     "options ask for)"},
    {kVerbRetarget, "activation", "uint8 or int8: codes of activations, for the same values (default: as they are)"},
    {kVerbRetarget, "opset", "raise the model to this opset of ONNX (default: as it is)"},
    {kVerbRetarget, "format",
     "form of integer operators: qdq (float operators between DequantizeLinear and "
     "QuantizeLinear) or qoperator (QLinearConv and similar); default: as it is"},
    {kVerbExportQat, "output", "output folder; written completely or not at all"}};

// "" where it means the same.
std::string_view OtherMeaningOf(std::string_view option, uint32_t verb) {
  for (const OtherMeaning& other : kOtherMeanings) {
    if (other.verb == verb && other.option == option) return other.help;
  }
  return {};
}

OptionHelp HelpOf(const OptionSpec& spec, uint32_t verb, const Builtins& builtins) {
  const std::string_view other = OtherMeaningOf(spec.name, verb);
  OptionHelp help{.name = std::string(spec.name),
                  .letter = spec.name == "output" ? "o" : "",
                  .value = std::string(spec.value_name),
                  .help = std::string(other.empty() ? spec.help : other),
                  .repeats = spec.kind == OptionKind::kList,
                  .choices = ChoicesOf(spec.name, builtins)};
  help.operand = OperandOf(spec.value_name, !help.choices.empty());
  return help;
}

// nullopt: the verb has no such option, or it is not for users.
std::optional<OptionHelp> OptionOf(std::string_view name, uint32_t verb, const Builtins& builtins) {
  const auto own = std::ranges::find(OwnOptions(), name, &OwnOption::name);
  if (own != OwnOptions().end()) {
    if (own->verbs != ~0u && (own->verbs & verb) == 0) return std::nullopt;
    OptionHelp help{.name = std::string(name),
                    .letter = name == "help" ? "h" : "",
                    .value = std::string(own->value),
                    .help = std::string(own->help),
                    .choices = ChoicesOf(name, builtins)};
    help.operand = OperandOf(own->value, false);
    return help;
  }
  const auto spec = std::ranges::find(OptionTable(), name, &OptionSpec::name);
  if (spec == OptionTable().end() || (spec->verbs & verb) == 0 || spec->help.empty()) return std::nullopt;
  return HelpOf(*spec, verb, builtins);
}

VerbHelp Describe(const Command& command, const Builtins& builtins) {
  VerbHelp help{.name = std::string(command.name),
                .summary = std::string(command.summary),
                .examples = std::string(command.examples)};
  for (const std::string_view name : command.positionals) help.positionals.emplace_back(name);
  for (const OptionGroup& group : OptionGroups()) {
    OptionsHelp shown{.title = std::string(group.title)};
    for (const std::string_view name : group.names) {
      if (auto option = OptionOf(name, command.verb, builtins)) shown.options.push_back(*std::move(option));
    }
    if (!shown.options.empty()) help.groups.push_back(std::move(shown));
  }
  return help;
}

OptionsHelp Flags(std::vector<OptionHelp> flags) {
  flags.push_back({.name = "help", .letter = "h", .help = "show this help"});
  return {.title = "Options", .options = std::move(flags)};
}

}  // namespace

std::string VerbHelp::Usage() const {
  std::string usage = StrCat("preon ", name);
  for (const std::string& positional : positionals) usage += StrCat(" ", positional);
  return usage + (groups.empty() ? "" : " [OPTIONS]");
}

const std::vector<OwnOption>& OwnOptions() {
  static const std::vector<OwnOption> options = {
      {"config", "FILE|PRESET", "JSON or YAML file, or preset, with any of these options ('help' lists the presets)",
       kVerbsWithConfig},
      {"json", "", "one JSON object on stdout, progress as JSON lines on stderr", ~0u},
      {"quiet", "", "no progress, no warnings on stderr", ~0u},
      {"verbose", "",
       "what the run does, on stderr: rewrites, range methods with their SQNR, nodes with reasons, scales", ~0u},
      {"help", "", "show this help", ~0u}};
  return options;
}

std::vector<VerbHelp> ToolVerbs() {
  return {{.name = "help",
           .summary = "show the verbs, the options of a verb, or the values of an option",
           .positionals = {"[VERB|OPTION]"},
           .groups = {Flags({{.name = "man", .help = "as a manual page, for man"},
                             {.name = "json", .help = "the verbs as a JSON object"}})},
           .examples = R"(  preon help quantize
  preon help method                                 every calibration method, with one line each
  preon help --man quantize | man -l -
)"},
          {.name = "completion",
           .summary = "print what a shell needs to complete preon's verbs, options and values",
           .positionals = {"SHELL"},
           .groups = {Flags({})},
           .examples = R"(  source <(preon completion bash)
  preon completion zsh > ~/.zsh/functions/_preon    a folder of $fpath
  preon completion fish > ~/.config/fish/completions/preon.fish
)",
           .choices = {"bash", "zsh", "fish"}},
          {.name = "version",
           .summary = "show the version",
           .groups = {Flags({{.name = "json", .help = "as a JSON object"}})}}};
}

std::vector<VerbHelp> DescribeVerbs(const Builtins& builtins) {
  std::vector<VerbHelp> verbs;
  for (const Command& command : Commands()) verbs.push_back(Describe(command, builtins));
  const size_t of_work = verbs.size();
  for (VerbHelp& tool : ToolVerbs()) verbs.push_back(std::move(tool));
  for (size_t verb = of_work; verb < verbs.size(); ++verb) {
    if (verbs[verb].name != "help") continue;
    for (const VerbHelp& other : verbs) verbs[verb].choices.push_back(other.name);
  }
  return verbs;
}

}  // namespace preon::cli

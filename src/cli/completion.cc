#include "cli/completion.h"

#include <map>

#include "base/text.h"

namespace preon::cli {
namespace {

std::string InOneLine(const std::vector<std::string>& words) { return Join(words, " "); }

std::string Replaced(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

// Help in a menu: what stands in front of the first ';' or '(' is enough.
std::string Brief(std::string_view help) {
  std::string brief(help.substr(0, help.find(';')));
  if (const size_t detail = brief.find(" ("); detail != std::string::npos) brief.resize(detail);
  return brief;
}

/// Every option of any verb once, by its words ("-o|--output").
std::map<std::string, const OptionHelp*> AllOptions(const std::vector<VerbHelp>& verbs) {
  std::map<std::string, const OptionHelp*> options;
  for (const VerbHelp& verb : verbs) {
    for (const OptionsHelp& group : verb.groups) {
      for (const OptionHelp& option : group.options)
        options.emplace(StrCat(option.letter.empty() ? "" : StrCat("-", option.letter, "|"), "--", option.name),
                        &option);
    }
  }
  return options;
}

std::vector<std::string> WordsOf(const VerbHelp& verb) {
  std::vector<std::string> words;
  for (const OptionsHelp& group : verb.groups) {
    for (const OptionHelp& option : group.options) {
      if (!option.letter.empty()) words.push_back("-" + option.letter);
      words.push_back("--" + option.name);
    }
  }
  return words;
}

std::vector<std::string> Names(const std::vector<VerbHelp>& verbs) {
  std::vector<std::string> names;
  for (const VerbHelp& verb : verbs) names.push_back(verb.name);
  return names;
}

bool TakesFiles(const VerbHelp& verb) { return verb.choices.empty() && !verb.positionals.empty(); }

constexpr std::string_view kBashHead = R"sh(# Completion of preon for bash: source <(preon completion bash)
_preon_complete() {
  local current=${COMP_WORDS[COMP_CWORD]} before=() word verb= option= index values=
  COMPREPLY=()
  # "--method=m" comes as three words.
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do [[ $word == = ]] || before+=("$word"); done
  [[ $current == = ]] && current=
  for word in "${before[@]}"; do [[ $word == -* ]] || { verb=$word; break; }; done
  # The option whose value this word is: the last one, where it takes several words or this is its first.
  for ((index = ${#before[@]} - 1; index >= 0; index--)); do
    if [[ ${before[index]} == -* ]]; then option=${before[index]}; break; fi
  done
)sh";

constexpr std::string_view kBashTail = R"sh(

  case $values in
    "@files "*) values=${values#@files }
      mapfile -t COMPREPLY < <(compgen -f -- "$current"; compgen -W "$values" -- "$current") ;;
    @files) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    @folders) mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
    @none) return ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$values" -- "$current")
      [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
      return ;;
  esac
  compopt -o filenames 2>/dev/null
}
complete -F _preon_complete preon
)sh";

std::string BashValues(const OptionHelp& option) {
  if (option.operand == Operand::kFolder) return "@folders";
  if (option.operand == Operand::kFile)
    return option.choices.empty() ? "@files" : StrCat("@files ", InOneLine(option.choices));
  return option.choices.empty() ? "@none" : InOneLine(option.choices);
}

}  // namespace

std::string BashCompletion(const std::vector<VerbHelp>& verbs) {
  std::string script(kBashHead);
  std::vector<std::string> repeating;
  std::string values;
  for (const auto& [words, option] : AllOptions(verbs)) {
    if (option->operand == Operand::kNone) continue;
    if (option->repeats) repeating.push_back(words);
    values += StrCat("    ", words, ") values=", ShellQuoted(BashValues(*option)), " ;;\n");
  }
  script += StrCat("  case $option in\n    ", Join(repeating, "|"),
                   ") ;;\n    *) ((index == ${#before[@]} - 1)) || option= ;;\n  esac\n",
                   "  [[ $current == -* ]] && option=\n  case $option in\n", values, "  esac\n");
  script += StrCat("  if [[ -z $values && -z $verb ]]; then\n    values=",
                   ShellQuoted(InOneLine(Names(verbs)) + " -h --help -V --version"),
                   "\n  elif [[ -z $values ]]; then\n", "    case $verb in\n");
  for (const VerbHelp& verb : verbs) {
    const std::string others = verb.choices.empty() ? TakesFiles(verb) ? "@files" : "@none" : InOneLine(verb.choices);
    script +=
        StrCat("      ", verb.name, ") if [[ $current == -* ]]; then values=", ShellQuoted(InOneLine(WordsOf(verb))),
               "; else values=", ShellQuoted(others), "; fi ;;\n");
  }
  return StrCat(script, "      *) values=@none ;;\n    esac\n  fi", kBashTail);
}

namespace {

// Inside of a specification of _arguments.
std::string ZshText(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string ZshAction(const OptionHelp& option) {
  if (option.operand == Operand::kFolder) return "_files -/";
  if (option.operand == Operand::kFile)
    return option.choices.empty() ? "_files" : StrCat("{_files; compadd -- ", InOneLine(option.choices), "}");
  return option.choices.empty() ? "" : StrCat("(", InOneLine(option.choices), ")");
}

std::string ZshSpec(const OptionHelp& option) {
  const std::string meaning = StrCat("[", ZshText(Brief(option.help)), "]");
  std::string value;
  if (option.operand != Operand::kNone) value = StrCat(":", ZshText(option.value), ":", ZshAction(option));
  // "--name=": the value may also stand behind an equals sign.
  const std::string name = StrCat("--", option.name, value.empty() ? "" : "=");
  if (option.letter.empty()) return ShellQuoted(StrCat(option.repeats ? "*" : "", name, meaning, value));
  const std::string letter = "-" + option.letter;
  return StrCat("'(", letter, " --", option.name, ")'{", letter, ",", name, "}", ShellQuoted(meaning + value));
}

}  // namespace

std::string ZshCompletion(const std::vector<VerbHelp>& verbs) {
  std::string script = R"sh(#compdef preon
# Completion of preon for zsh: a file _preon in a folder of $fpath.
_preon() {
  local curcontext=$curcontext state line
  local -a verbs
  verbs=(
)sh";
  for (const VerbHelp& verb : verbs)
    script += StrCat("    ", ShellQuoted(StrCat(verb.name, ":", Replaced(Brief(verb.summary), ":", "\\:"))), "\n");
  script += R"sh(  )
  _arguments -C '(- *)'{-h,--help}'[show help]' '(- *)'{-V,--version}'[show the version]' \
    '1: :->verb' '*:: :->words'
  case $state in
    verb) _describe 'verb' verbs ;;
    words)
      case $words[1] in
)sh";
  for (const VerbHelp& verb : verbs) {
    script += StrCat("        ", verb.name, ") _arguments");
    for (const OptionsHelp& group : verb.groups) {
      for (const OptionHelp& option : group.options) script += StrCat(" \\\n          ", ZshSpec(option));
    }
    if (!verb.choices.empty()) script += StrCat(" \\\n          '1: :(", InOneLine(verb.choices), ")'");
    if (TakesFiles(verb)) script += " \\\n          '*:file:_files'";
    script += " ;;\n";
  }
  return script + R"sh(      esac ;;
  esac
}
if [[ $funcstack[1] == _preon ]]; then _preon "$@"; else compdef _preon preon; fi
)sh";
}

std::string FishCompletion(const std::vector<VerbHelp>& verbs) {
  std::string script =
      "# Completion of preon for fish: ~/.config/fish/completions/preon.fish\n"
      "complete -c preon -f\n"
      "complete -c preon -n __fish_use_subcommand -s h -l help -d 'show help'\n"
      "complete -c preon -n __fish_use_subcommand -s V -l version -d 'show the version'\n";
  const auto quoted = [](std::string_view text) {  // fish knows backslashes inside of quotes
    return StrCat("'", Replaced(Replaced(std::string(text), "\\", "\\\\"), "'", "\\'"), "'");
  };
  for (const VerbHelp& verb : verbs)
    script +=
        StrCat("complete -c preon -n __fish_use_subcommand -a ", verb.name, " -d ", quoted(Brief(verb.summary)), "\n");
  for (const VerbHelp& verb : verbs) {
    const std::string begin = StrCat("complete -c preon -n '__fish_seen_subcommand_from ", verb.name, "'");
    if (!verb.choices.empty()) script += StrCat(begin, " -a ", quoted(InOneLine(verb.choices)), "\n");
    if (TakesFiles(verb)) script += begin + " -F\n";
    for (const OptionsHelp& group : verb.groups) {
      for (const OptionHelp& option : group.options) {
        script += StrCat(begin, option.letter.empty() ? "" : StrCat(" -s ", option.letter), " -l ", option.name);
        if (option.operand != Operand::kNone) script += option.operand == Operand::kFile ? " -r -F" : " -x";
        if (option.operand == Operand::kFolder) script += " -a '(__fish_complete_directories)'";
        if (!option.choices.empty()) script += StrCat(" -a ", quoted(InOneLine(option.choices)));
        script += StrCat(" -d ", quoted(Brief(option.help)), "\n");
      }
    }
  }
  return script;
}

}  // namespace preon::cli

#include "cli/tool_verbs.h"

#include <algorithm>

#include "base/spelling.h"
#include "base/version.h"
#include "cli/completion.h"
#include "cli/help_page.h"
#include "cli/man_page.h"
#include "config/files/help_topics.h"
#include "report/json_object.h"

namespace preon::cli {
namespace {

/// The words behind a verb: flags that it knows, and at most one other.
struct Words {
  std::vector<std::string> flags;
  std::string operand;
  bool has(std::string_view flag) const { return std::ranges::find(flags, flag) != flags.end(); }
};

Result<Words> Sort(const VerbHelp& verb, std::span<const std::string> words) {
  std::vector<std::string> known = {"-h"};
  for (const OptionHelp& option : verb.groups.front().options) known.push_back("--" + option.name);
  Words sorted;
  for (const std::string& word : words) {
    if (word.starts_with('-')) {
      if (std::ranges::find(known, word) == known.end())
        return Error(ErrorId::kUnknownOption, verb.name, ": unknown option '", word, "'", DidYouMean(word, known));
      sorted.flags.push_back(word);
    } else if (verb.positionals.empty() || !sorted.operand.empty()) {
      return Error(ErrorId::kUnknownOption, verb.name, ": unexpected '", word, "'");
    } else {
      sorted.operand = word;
    }
  }
  return sorted;
}

std::string VersionText(bool json) {
  if (!json) return StrCat("preon ", kVersion, "\n");
  return JsonLine({{"schema", kJsonSchema}, {"verb", "version"}, {"version", kVersion}}) + "\n";
}

std::string VerbList(const std::vector<VerbHelp>& verbs) {
  JsonObject json = {{"schema", kJsonSchema}, {"verb", "help"}, {"version", kVersion}};
  for (const VerbHelp& verb : verbs) json["verbs"].push_back({{"name", verb.name}, {"summary", verb.summary}});
  return JsonLine(json) + "\n";
}

Result<std::string> Help(const Words& words, const Builtins& builtins) {
  const std::vector<VerbHelp> verbs = DescribeVerbs(builtins);
  const bool man = words.has("--man");
  if (words.operand.empty()) return words.has("--json") ? VerbList(verbs) : man ? ManPage(verbs) : HelpPage(verbs);
  const auto verb = std::ranges::find(verbs, words.operand, &VerbHelp::name);
  if (verb != verbs.end()) return man ? ManPage(*verb) : HelpPage(*verb);
  std::string option = words.operand;
  if (std::string topic = HelpTopic(option, builtins); !topic.empty() && !man) return topic;
  std::vector<std::string> names;
  for (const VerbHelp& known : verbs) names.push_back(known.name);
  return Error(ErrorId::kUnknownOption, "help: unknown verb '", words.operand, "'", DidYouMean(words.operand, names))
      .WithHint(
          "preon help lists the verbs; preon help method, target, pass, config, ... lists the values of an option");
}

Result<std::string> Completion(const std::string& shell, const Builtins& builtins) {
  if (shell.empty()) return Error(ErrorId::kMissingOption, "completion: no SHELL given; wanted bash, zsh or fish");
  const std::vector<VerbHelp> verbs = DescribeVerbs(builtins);
  if (shell == "bash") return BashCompletion(verbs);
  if (shell == "zsh") return ZshCompletion(verbs);
  if (shell == "fish") return FishCompletion(verbs);
  return Error(ErrorId::kUnknownOption, "completion: unknown shell '", shell, "'",
               DidYouMean(shell, std::vector<std::string>{"bash", "zsh", "fish"}), " (known: bash, zsh, fish)");
}

}  // namespace

Result<std::optional<std::string>> AnswerToolVerb(std::span<const std::string> words, const Builtins& builtins) {
  if (words.empty()) return std::optional(HelpPage(DescribeVerbs(builtins)));
  const std::vector<VerbHelp> tools = ToolVerbs();
  const auto verb = std::ranges::find(tools, words[0], &VerbHelp::name);
  if (verb == tools.end()) return std::optional<std::string>();
  PREON_ASSIGN_OR_RETURN(const Words given, Sort(*verb, words.subspan(1)));
  if (given.has("--help") || given.has("-h")) return std::optional(HelpPage(*verb));
  if (verb->name == "version") return std::optional(VersionText(given.has("--json")));
  PREON_ASSIGN_OR_RETURN(std::string text,
                         verb->name == "help" ? Help(given, builtins) : Completion(given.operand, builtins));
  return std::optional(std::move(text));
}

}  // namespace preon::cli

#include "cli/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <deque>
#include <iterator>
#include <optional>

#include "base/spelling.h"
#include "base/version.h"
#include "cli/help_page.h"
#include "cli/tool_verbs.h"
#include "cli/verb_help.h"
#include "config/files/config.h"
#include "config/files/help_topics.h"
#include "config/files/qconfig_target.h"
#include "config/ignored_options.h"
#include "config/keys/keys.h"

namespace preon::cli {
namespace {

// An option as CLI11 fills it.
struct Given {
  const OptionSpec* spec;
  std::vector<std::string> values;
  bool flag = false;
};

struct ParsedVerb {
  Command command;
  CLI::App* app = nullptr;
  std::deque<std::string> singles;  // one per positional but an open-ended last one
  std::vector<std::string> many;
  std::deque<Given> given;
  std::vector<std::string> configs;  // one at most
  bool json = false, quiet = false, verbose = false;
};

void AddOptions(ParsedVerb& parsed) {
  for (const OptionSpec& spec : OptionTable()) {
    if ((spec.verbs & parsed.command.verb) == 0) continue;
    Given& given = parsed.given.emplace_back(Given{&spec});
    const std::string name = std::string(spec.name == "output" ? "-o,--" : "--") + std::string(spec.name);
    const std::string group = spec.help.empty() ? "" : "for users";  // LongNames leaves out those without
    if (spec.kind == OptionKind::kFlag) {
      parsed.app->add_flag(name, given.flag)->group(group);
      continue;
    }
    CLI::Option* option = parsed.app->add_option(name, given.values);
    option->type_name(std::string(spec.value_name))->group(group);
    // One word after the name; what follows may be the model.
    if (spec.kind == OptionKind::kValue)
      option->expected(1)->allow_extra_args(false)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }
}

void AddVerb(CLI::App& app, ParsedVerb& parsed) {
  const Command& command = parsed.command;
  parsed.app = app.add_subcommand(std::string(command.name));
  parsed.app->allow_extras();
  parsed.app->set_help_flag("-h,--help");
  // Required, so that lists of values in front of them ("--data SRC MODEL") leave them alone.
  for (std::string_view name : command.positionals) {
    const bool open_ended = name.ends_with("...");
    if (open_ended) name.remove_suffix(3);
    CLI::Option* option = open_ended ? parsed.app->add_option(std::string(name), parsed.many)
                                     : parsed.app->add_option(std::string(name), parsed.singles.emplace_back());
    option->required()->type_name("");
  }
  AddOptions(parsed);
  const auto config = std::ranges::find(OwnOptions(), "config", &OwnOption::name);
  if ((command.verb & config->verbs) != 0)
    parsed.app->add_option("--config", parsed.configs)
        ->type_name(std::string(config->value))
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  parsed.app->add_flag("--json", parsed.json);
  parsed.app->add_flag("--quiet", parsed.quiet);
  parsed.app->add_flag("--verbose", parsed.verbose);
}

std::vector<std::string> LongNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> Positionals(const ParsedVerb& parsed) {
  std::vector<std::string> words;
  std::ranges::copy_if(parsed.singles, std::back_inserter(words),
                       [](const std::string& word) { return !word.empty(); });
  words.insert(words.end(), parsed.many.begin(), parsed.many.end());
  return words;
}

Status NoValue(const ParsedVerb& parsed, std::string_view option, std::string_view wanted) {
  return Error(ErrorId::kBadOptionValue, parsed.command.name, ": ", option, ": no value given, wanted ", wanted);
}

// "-o --data x": CLI11 takes the word behind -o, whatever it is.
Status CheckNoOptionIsAValue(const ParsedVerb& parsed) {
  const std::vector<std::string> names = LongNames(*parsed.app);
  const auto is_option = [&](const std::string& word) { return std::ranges::find(names, word) != names.end(); };
  for (const Given& given : parsed.given) {
    if (given.spec->kind == OptionKind::kValue && std::ranges::any_of(given.values, is_option))
      return NoValue(parsed, StrCat("--", given.spec->name), given.spec->value_name);
  }
  return Status::Ok();
}

Status CheckWords(const ParsedVerb& parsed) {
  PREON_RETURN_IF_ERROR(CheckNoOptionIsAValue(parsed));
  for (const std::string& word : parsed.app->remaining()) {
    if (word.size() < 2 || word[0] != '-') continue;
    const std::string name = word.substr(0, word.find('='));
    return Error(ErrorId::kUnknownOption, parsed.command.name, ": unknown option '", name, "'",
                 DidYouMean(name, LongNames(*parsed.app)));
  }
  const std::vector<std::string> given = Positionals(parsed);
  if (given.size() < parsed.command.positionals.size()) {
    const std::string_view missing = parsed.command.positionals[given.size()];
    Status status = Error(ErrorId::kMissingOption, parsed.command.name, ": no ", missing, " given");
    const auto took_more = std::ranges::find_if(parsed.given, [](const Given& list) { return list.values.size() > 1; });
    if (took_more == parsed.given.end()) return status;
    return std::move(status).WithHint(
        StrCat("--", took_more->spec->name, " takes all words up to the next option: put ", missing, " before it"));
  }
  if (!parsed.app->remaining().empty()) {
    return Error(ErrorId::kUnknownOption, parsed.command.name, ": unexpected '", parsed.app->remaining()[0], "'");
  }
  for (const Given& option : parsed.given) {
    if (option.spec->kind != OptionKind::kValue || option.values.size() < 2) continue;
    return Error(ErrorId::kConflictingOptions, "--", option.spec->name, ": got '", option.values[0], "' and '",
                 option.values[1], "', wanted one value");
  }
  if (parsed.configs.size() > 1)
    return Error(ErrorId::kConflictingOptions, "--config: got '", parsed.configs[0], "' and '", parsed.configs[1],
                 "', wanted one value");
  if (parsed.quiet && parsed.verbose) {
    return Error(ErrorId::kConflictingOptions, "--quiet and --verbose: got both, wanted one");
  }
  return Status::Ok();
}

// CLI11 says "--output: 1 required FILE missing" of an option that ends the line.
Status FromMissingValue(const ParsedVerb& parsed, const CLI::ArgumentMismatch& problem) {
  const std::string said = problem.what();
  const std::string name = said.substr(0, said.find(':'));
  for (const CLI::Option* option : parsed.app->get_options()) {
    if (option->get_name() == name) return NoValue(parsed, name, option->get_type_name());
  }
  return Error(ErrorId::kBadOptionValue, said);
}

// CLI11's words about a value that is missing or of a wrong number, as one line.
Status FromParseError(const CLI::ParseError& problem) {
  std::string message = problem.what();
  constexpr std::string_view kBadFlag = "Could not convert: ", kIs = " = ";  // "Could not convert: --verify = maybe"
  if (const size_t is = message.find(kIs); message.starts_with(kBadFlag) && is != std::string::npos)
    return Error(ErrorId::kBadOptionValue, message.substr(kBadFlag.size(), is - kBadFlag.size()), ": got '",
                 message.substr(is + kIs.size()), "', wanted true or false");
  std::ranges::replace(message, '\n', ' ');
  return Error(ErrorId::kBadOptionValue, message);
}

Status FillOptions(const ParsedVerb& parsed, Options& options) {
  if (!parsed.configs.empty()) PREON_RETURN_IF_ERROR(ApplyConfig(options, parsed.configs[0]));
  for (const Given& given : parsed.given) {
    const std::string name(given.spec->name);
    if (given.flag) PREON_RETURN_IF_ERROR(SetOption(options, name, "true"));
    for (const std::string& value : given.values) PREON_RETURN_IF_ERROR(SetOption(options, name, value));
  }
  PREON_RETURN_IF_ERROR(SettleBlockParameters(options));
  SettleTargetOfQConfig(options);
  // A key of --option may stand for an option that the verb has not.
  for (const Setting& setting : options.given.settings) {
    const auto spec = std::ranges::find(OptionTable(), setting.name, &OptionSpec::name);
    if (!setting.by_another || (spec->verbs & parsed.command.verb) != 0) continue;
    options.given.warnings.push_back(
        StrCat("--", setting.name, " ", setting.value, ": no effect on ", parsed.command.name));
  }
  const auto of_methods = std::ranges::find(OptionTable(), "method-option", &OptionSpec::name);
  if ((of_methods->verbs & parsed.command.verb) != 0) return Status::Ok();
  for (const auto& [key, value] : std::exchange(options.ranges.method_keys, {}))
    options.given.warnings.push_back(StrCat(key, "=", value, ": no effect on ", parsed.command.name));
  return Status::Ok();
}

// "--method help" and its like; "" when none is asked for.
std::string RequestedTopic(const ParsedVerb& parsed, const Builtins& builtins) {
  if (parsed.configs == std::vector<std::string>{"help"}) return HelpTopic("config", builtins);
  for (const Given& given : parsed.given) {
    if (std::ranges::find(given.values, "help") == given.values.end()) continue;
    std::string topic = HelpTopic(given.spec->name, builtins);
    if (!topic.empty()) return topic;
  }
  return "";
}

Status UnknownVerb(const CLI::App& app, const std::deque<ParsedVerb>& verbs) {
  std::vector<std::string> words = app.remaining();
  std::erase(words, "--json");  // how to say that there is none
  if (words.empty()) return Error(ErrorId::kMissingOption, "no verb given").WithHint("preon help lists the verbs");
  std::vector<std::string> names;
  for (const ParsedVerb& verb : verbs) names.emplace_back(verb.command.name);
  for (const VerbHelp& tool : ToolVerbs()) names.push_back(tool.name);
  return Error(ErrorId::kUnknownOption, words[0][0] == '-' ? "unknown option '" : "unknown verb '", words[0], "'",
               DidYouMean(words[0], names))
      .WithHint("preon help lists the verbs");
}

}  // namespace

bool WantsJson(int argc, const char* const* argv) {
  return std::any_of(argv + std::min(argc, 1), argv + argc, [](std::string_view word) { return word == "--json"; });
}

Result<Arguments> ParseArguments(int argc, const char* const* argv, const Builtins& builtins) {
  PREON_ASSIGN_OR_RETURN(std::optional<std::string> told,
                         AnswerToolVerb(std::vector<std::string>(argv + std::min(argc, 1), argv + argc), builtins));
  if (told) return Arguments{.help = *std::move(told)};
  CLI::App app;
  app.name("preon");
  app.set_help_flag("-h,--help");
  app.set_version_flag("-V,--version", "preon " + std::string(kVersion));
  app.allow_extras();
  std::deque<ParsedVerb> verbs;
  for (Command& command : Commands()) {
    ParsedVerb& parsed = verbs.emplace_back();
    parsed.command = std::move(command);
    AddVerb(app, parsed);
  }
  const auto chosen_verb = [&] {
    return std::ranges::find_if(verbs, [](const ParsedVerb& verb) { return verb.app->parsed(); });
  };
  Status problem;
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const std::vector<VerbHelp> pages = DescribeVerbs(builtins);
    for (const ParsedVerb& verb : verbs) {
      if (verb.app->parsed())
        return Arguments{.help = HelpPage(*std::ranges::find(pages, verb.command.name, &VerbHelp::name))};
    }
    return Arguments{.help = HelpPage(pages)};
  } catch (const CLI::CallForVersion&) {
    return Arguments{.help = "preon " + std::string(kVersion) + "\n"};
  } catch (const CLI::ArgumentMismatch& error) {
    if (chosen_verb() != verbs.end()) return FromMissingValue(*chosen_verb(), error);
    problem = FromParseError(error);
  } catch (const CLI::ParseError& error) {
    problem = FromParseError(error);
  }
  const auto chosen = chosen_verb();
  if (chosen == verbs.end()) return UnknownVerb(app, verbs);
  if (const std::vector<std::string> before = app.remaining(); !before.empty())
    return Error(ErrorId::kUnknownOption, "unexpected '", before[0],
                 "' in front of the verb; options come after the verb");
  const std::string topic = RequestedTopic(*chosen, builtins);
  if (!topic.empty()) return Arguments{.help = topic};
  PREON_RETURN_IF_ERROR(CheckWords(*chosen));
  PREON_RETURN_IF_ERROR(problem);

  Arguments arguments{.command = chosen->command, .positionals = Positionals(*chosen), .json = chosen->json};
  PREON_RETURN_IF_ERROR(FillOptions(*chosen, arguments.options));
  const Options& options = arguments.options;
  if (chosen->quiet && options.debug)
    PREON_RETURN_IF_ERROR(
        ReportIgnored(options.given.origins, "DebugMode", "with --quiet", &arguments.options.given.warnings));
  // What a worker process does, its parent tells.
  const bool is_verbose = chosen->verbose || (options.debug && !options.calibration.workers.task);
  arguments.verbosity = chosen->quiet ? Verbosity::kQuiet : is_verbose ? Verbosity::kVerbose : Verbosity::kNormal;
  return arguments;
}

}  // namespace preon::cli

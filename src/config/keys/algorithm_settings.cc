#include "config/keys/algorithm_settings.h"

#include <algorithm>
#include <array>

#include "algorithms/algorithms.h"
#include "base/spelling.h"
#include "base/text.h"
#include "config/compound_options.h"
#include "config/keys/keys.h"

namespace preon {
namespace {

constexpr std::array kQuarkAlgorithms = {"cle",  "smooth_quant",      "quarot",   "bias_correction",
                                         "gptq", "auto_mixprecision", "adaround", "adaquant"};

// "a=1,b=x,y" as {a: 1} and {b: "x,y"}: commas are also what lists have.
Result<std::vector<std::pair<std::string, std::string>>> SplitValues(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> values;
  for (const std::string& word : Split(text, ',')) {
    const size_t sign = word.find('=');
    if (sign == std::string::npos && values.empty())
      return Error(ErrorId::kBadOptionValue, "got '", word, "', wanted OPTION=VALUE");
    if (sign == std::string::npos)
      values.back().second += "," + word;
    else
      values.emplace_back(word.substr(0, sign), word.substr(sign + 1));
  }
  return values;
}

}  // namespace

std::vector<std::string> QuarkAlgorithms() { return {kQuarkAlgorithms.begin(), kQuarkAlgorithms.end()}; }

bool IsQuarkAlgorithm(std::string_view name) {
  return std::ranges::find(kQuarkAlgorithms, name) != kQuarkAlgorithms.end();
}

Result<const Algorithm*> FindAlgorithm(const AlgorithmRegistry& algorithms, std::string_view name) {
  const auto by_quark = std::ranges::find(algorithms.entries(), name, &Algorithm::quark_name);
  if (!name.empty() && by_quark != algorithms.entries().end()) return by_quark->get();
  if (IsQuarkAlgorithm(name))
    return Error(ErrorId::kNotYetSupported, "'", name, "' is not in this version")
        .WithHint("--algorithm help lists those that it has");
  return algorithms.Find(name);
}

Status CheckAlgorithmValue(std::string_view option, KeyType type, std::string_view range, const std::string& text) {
  return ParseKeyValue({.name = option, .type = type, .range = range}, text).status().WithContext(option);
}

Status AskForAlgorithm(AlgorithmOptions& options, const std::string& text) {
  const AlgorithmRegistry algorithms = MakeAlgorithms();
  const size_t colon = text.find(':');
  PREON_ASSIGN_OR_RETURN(const Algorithm* algorithm, FindAlgorithm(algorithms, text.substr(0, colon)));
  AskedAlgorithm& asked = options.asked[std::string(algorithm->name())];
  if (colon == std::string::npos) return Status::Ok();
  PREON_ASSIGN_OR_RETURN(const auto values, SplitValues(std::string_view(text).substr(colon + 1)));
  for (const auto& [name, value] : values) {
    const auto option = std::ranges::find(algorithm->options(), name, &AlgorithmOption::name);
    if (option == algorithm->options().end()) {
      std::vector<std::string> known;
      for (const AlgorithmOption& each : algorithm->options()) known.emplace_back(each.name);
      return Error(ErrorId::kUnknownOption, algorithm->name(), ": unknown option '", name, "'", DidYouMean(name, known),
                   known.empty() ? " (it has none)" : "");
    }
    PREON_RETURN_IF_ERROR(CheckAlgorithmValue(name, option->type, option->range, value).WithContext(algorithm->name()));
    asked.values[name] = value;
  }
  return Status::Ok();
}

}  // namespace preon

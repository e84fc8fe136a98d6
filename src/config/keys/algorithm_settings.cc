#include "config/keys/algorithm_settings.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

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

// As a JSON object: what is no JSON is a text.
Result<std::string> PrecisionParameters(const std::string& text) {
  nlohmann::json parameters = nlohmann::json::object();
  if (!text.empty()) {
    PREON_ASSIGN_OR_RETURN(const auto values, SplitValues(text));
    for (const auto& [name, value] : values) {
      nlohmann::json parsed = nlohmann::json::parse(value, nullptr, /*allow_exceptions=*/false);
      parameters[name] = parsed.is_discarded() ? nlohmann::json(value) : std::move(parsed);
    }
  }
  return parameters.dump();
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
  const size_t colon = text.find(':');
  if (text.substr(0, colon) == kMixedPrecision) {
    PREON_ASSIGN_OR_RETURN(options.precision,
                           PrecisionParameters(colon == std::string::npos ? "" : text.substr(colon + 1)));
    return Status::Ok();
  }
  const AlgorithmRegistry algorithms = MakeAlgorithms();
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

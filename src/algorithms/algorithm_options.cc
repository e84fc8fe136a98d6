#include "algorithms/algorithm_options.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/spelling.h"
#include "base/status.h"
#include "base/text.h"

namespace preon {
namespace {

// JSON and plain spelling alike: ["a", "b"] and a,b.
std::vector<std::string> Elements(const std::string& text) {
  if (const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false); json.is_array())
    return json.get<std::vector<std::string>>();
  std::string plain;
  for (const char c : text) {
    if (std::string_view("[]\"' ").find(c) == std::string_view::npos) plain += c;
  }
  return plain.empty() ? std::vector<std::string>() : Split(plain, ',');
}

}  // namespace

std::string AlgorithmValues::Of(std::string_view option) const {
  const auto declared = std::ranges::find(options_, option, &AlgorithmOption::name);
  PREON_CHECK(declared != options_.end());
  const auto set = set_.find(option);
  return set != set_.end() ? set->second : std::string(declared->fallback);
}

bool AlgorithmValues::Flag(std::string_view option) const {
  const std::string text = ToLower(Of(option));
  return text == "true" || text == "1";
}

std::string AlgorithmValues::Text(std::string_view option) const {
  const std::string text = Of(option);
  return set_.contains(option) ? text : text == "null" ? "" : text.substr(1, text.size() - 2);
}

int64_t AlgorithmValues::Integer(std::string_view option) const { return *ParseNumber<int64_t>(Of(option)); }

double AlgorithmValues::Number(std::string_view option) const { return *ParseNumber<double>(Of(option)); }

std::vector<std::string> AlgorithmValues::TextList(std::string_view option) const { return Elements(Of(option)); }

}  // namespace preon

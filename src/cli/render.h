// Any verb's result as an Answer.
#pragma once

#include <variant>

#include "cli/command.h"
#include "report/json.h"
#include "report/text_report.h"

namespace preon::cli {

template <typename T>
Result<Answer> Render(const Result<T>& result) {
  if (!result.ok()) return result.status();
  return Answer{ToText(*result), ToJson(*result)};
}

template <typename... T>
Result<Answer> Render(const Result<std::variant<T...>>& result) {
  if (!result.ok()) return result.status();
  return std::visit([](const auto& one) { return Answer{ToText(one), ToJson(one)}; }, *result);
}

}  // namespace preon::cli

// Any verb's result as an Answer.
#pragma once

#include <utility>
#include <variant>

#include "api/named_by_key.h"
#include "cli/command.h"
#include "report/json.h"
#include "report/text_report.h"

namespace preon::cli {

template <typename T>
Answer ToAnswer(const T& result) {
  return {ToText(result), ToJson(result)};
}
template <typename... T>
Answer ToAnswer(const std::variant<T...>& result) {
  return std::visit([](const auto& one) { return ToAnswer(one); }, result);
}

template <typename T>
Result<Answer> Render(Result<T> result, const SettingOrigins& origins) {
  PREON_ASSIGN_OR_RETURN(const T named, WithKeyNames(std::move(result), origins));
  return ToAnswer(named);
}

}  // namespace preon::cli

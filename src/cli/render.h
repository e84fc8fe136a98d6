// Any verb's result as an Answer.
#pragma once

#include "cli/command.h"
#include "report/json.h"
#include "report/text_report.h"

namespace preon::cli {

template <typename T>
Result<Answer> Render(const Result<T>& result) {
  if (!result.ok()) return result.status();
  return Answer{ToText(*result), ToJson(*result)};
}

}  // namespace preon::cli

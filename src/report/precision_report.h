// Mixed precision in reports.
#pragma once

#include "report/json_object.h"
#include "report/results/precision_result.h"
#include "report/text_writer.h"

namespace preon {

void AddPrecision(TextWriter& out, const PrecisionResult& precision);
JsonObject PrecisionJson(const PrecisionResult& precision);

}  // namespace preon

// What an analysis says of single samples and of groups of them, in both forms; analyze_text.cc and analyze_json.cc put
// it in its place.
#pragma once

#include "analyze/analysis.h"
#include "report/json_object.h"
#include "report/text_writer.h"

namespace preon {

/// All of it, or how to get it.
void AddSamples(TextWriter& out, const Analysis& analysis);

/// Null where the file keeps nothing per sample.
JsonObject SamplesJson(const Analysis& analysis);
/// Of one tensor. @param index  of Analysis::tensors; `analysis.samples` is there
JsonObject TensorSamplesJson(const Analysis& analysis, size_t index);

}  // namespace preon

// Bfloat16 with a scale as Quark's BF16QDQToCast writes it.
#pragma once

#include "formats/int_format.h"
#include "ir/graph.h"
#include "quantize/write/stock_form.h"

namespace preon {

/// y = Cast(Cast(x · 1/s, bfloat16), float) · s, under Quark's names of tensors and constants.
void WriteScaledCasts(Graph& graph, const RoundTripNames& names, float scale);

}  // namespace preon

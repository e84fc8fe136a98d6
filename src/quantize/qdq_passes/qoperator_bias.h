// A bias as integer operators read it: int32 codes whose scale is the product of those of data and weight.
#pragma once

#include <optional>
#include <string>

#include "quantize/qdq_passes/code_groups.h"

namespace preon {

/// The constant with these codes: the one behind the bias' DequantizeLinear where its scale is that product, else a new
/// one. Nullopt where the bias is neither codes nor a constant, or does not fit.
std::optional<std::string> BiasCodes(Graph& graph, const std::string& bias, const CodedTensor& data,
                                     const CodedTensor& weight);

/// A Conv or Gemm reads its bias as such codes through a DequantizeLinear from now on. False, and nothing done, where
/// it does already or can't: data or weight without codes, several scales for the data, a beta, codes that don't fit.
bool GiveInt32Bias(Graph& graph, Node& node);

}  // namespace preon

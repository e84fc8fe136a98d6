// Bfloat16 in operators of the standard, under Quark's names of tensors and constants.
#pragma once

#include <optional>
#include <string>

#include "ir/graph.h"

namespace preon {

/// y = Cast(x · inv_scale, bfloat16). The product, a node `<node>_mul`, is left out where there is no factor.
///
/// @param node  whose name the Cast gets, with "_cast" behind it
void AddCastToBFloat16(Graph& graph, const std::string& x, const std::string& node,
                       const std::optional<Tensor>& inv_scale, const std::string& y);
/// y = Cast(x, float) · scale, likewise.
void AddCastFromBFloat16(Graph& graph, const std::string& x, const std::string& node,
                         const std::optional<Tensor>& scale, const std::string& y);
/// Clip(x) to the finite values of bfloat16: the name of what it writes. Names begin with `base`.
std::string AddClipToBFloat16(Graph& graph, const std::string& x, const std::string& base);

}  // namespace preon

// A float16 model of which parts compute in float32 (subgraphs_to_include of Quark's convert_fp16_to_fp32).
#pragma once

#include <string>
#include <vector>

#include "passes/pass.h"

namespace preon {

/// All nodes that lie between these, and they themselves. By name; an empty list is no bound.
struct Float16Part {
  std::vector<std::string> starts, ends;

  bool operator==(const Float16Part&) const = default;
};

/// The parts compute in float32, with a Cast wherever float16 comes in or is read outside. Unchanged, with a
/// warning, where nothing in them is float16. Types must be inferred. Errors, and the model is then unchanged:
/// kNameNotInModel with the nearest node; kModelTypeUnsupported for what can't be converted, nodes with sub-graphs
/// among it.
Result<Effect> ConvertFloat16Parts(Model& model, const std::vector<Float16Part>& parts,
                                   std::vector<std::string>& warnings);

}  // namespace preon

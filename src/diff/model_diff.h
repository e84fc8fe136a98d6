// What differs between two models, float or quantized, of any tools: graph, codes, constants.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diff/constant_diff.h"
#include "ir/graph.h"
#include "quantize/read/stored_codes.h"

namespace preon {

/// Something that both have, and that is not the same; "" where a model has none.
struct Change {
  std::string what;  ///< "attribute pads", "input 1", "opset of ai.onnx"
  std::string a, b;
};

struct DiffNode {
  std::string node, op;
};

struct ChangedNode {
  DiffNode a, b;
  std::vector<Change> changes;
};

/// A tensor whose codes or values differ. A name is "" in the model that lacks the tensor.
struct ChangedTensor {
  std::string a, b;
  bool constant = false;
  std::vector<StoredCodes> codes_a, codes_b;  ///< empty: float there
  std::vector<Change> changes;                ///< of a constant's type and shape
  std::optional<ChangedValues> values;        ///< of constants whose values are not the same
};

struct NodeDiff {
  int64_t same = 0;
  std::vector<DiffNode> only_in_a, only_in_b;
  std::vector<ChangedNode> changed;
};

struct TensorDiff {
  int64_t same = 0;                          ///< constants, and tensors with codes
  int64_t quantized_a = 0, quantized_b = 0;  ///< tensors with codes
  std::vector<ChangedTensor> changed;
};

struct ModelDiff {
  std::vector<Change> header;  ///< opsets, graph inputs and outputs
  NodeDiff nodes;
  TensorDiff tensors;

  bool same() const {
    return header.empty() && nodes.only_in_a.empty() && nodes.only_in_b.empty() && nodes.changed.empty() &&
           tensors.changed.empty();
  }
};

/// Quantizers and dequantizers count as the codes of tensors, not as nodes. Names of nodes and inner tensors may
/// differ.
ModelDiff DiffModels(const Model& a, const Model& b);

}  // namespace preon

// Writes Q/DQ nodes and their constants under the names of spec qdq §3.2.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "formats/int_format.h"
#include "ir/graph.h"

namespace preon {

/// Names of a tensor's scale and zero-point constants.
struct ParamNames {
  std::string scale, zero_point;
};

class QdqWriter {
 public:
  explicit QdqWriter(Graph& graph) : graph_(graph) {}

  /// `base`_scale and `base`_zero_point: scalars for one parameter, rank 1 for several.
  ParamNames AddParams(const std::string& base, const std::vector<QuantParams>& params, DataType code_type);

  /// tensor → Q → DQ. With `public_name` the tensor's name moves behind the DQ (graph outputs, sub-graph readers) and all
  /// readers follow; else only readers in `readers` do (all, when it is null). Returns the DQ's output.
  std::string AddPair(const std::string& tensor, const ParamNames& params, bool public_name, const std::set<const Node*>* readers);

  /// Replaces the constant by codes → DQ for the given nodes.
  void AddWeight(const std::string& weight, const EncodedTensor& encoded, const std::vector<std::string>& nodes);

  /// Replaces input 2 of the node by int32 codes → DQ that keeps the bias' name where it can.
  void AddBias(Node* node, const EncodedBias& encoded);

  /// A DQ of its own for a float Conv/Gemm, with one scale per channel, which the runtime does not take for its own
  /// quantization of float weights (spec qdq §13.3 A).
  void AddIslandDq(Node* node, int64_t channels, const QuantParams& params, DataType code_type);

 private:
  Graph& graph_;
};

}  // namespace preon

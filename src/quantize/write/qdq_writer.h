// Writes Q/DQ nodes and their constants under the names of docs/design/op-list-targets.md.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "formats/int_format.h"
#include "ir/graph.h"
#include "quantize/plan/quant_plan.h"
#include "quantize/write/stock_form.h"

namespace preon {

/// Names of a tensor's scale and zero-point constants.
struct ParamNames {
  std::string scale, zero_point;
};

class QdqWriter {
 public:
  /// @param domain  of pairs of integers of up to 16 bits, and of biases
  explicit QdqWriter(Graph& graph, PairDomain domain = PairDomain::kStandard) : graph_(graph), pair_domain_(domain) {}

  /// `base`_scale and `base`_zero_point: scalars for one parameter, rank 1 for several, or of that shape.
  /// @param suffix  behind both names
  ParamNames AddParams(const std::string& base, const std::vector<QuantParams>& params, DataType code_type,
                       const std::optional<Shape>& shape = std::nullopt, const std::string& suffix = "");
  /// Those that were added for `base` (and suffix) before, else new ones.
  const ParamNames& SharedParams(const std::string& base, const QuantParams& params, DataType code_type);

  /// Makes room behind a tensor for nodes that compute `y` from `x`; `base` is its name. With `public_name` the
  /// tensor's name moves to y (graph outputs, sub-graph readers) and all readers follow; else only readers in `readers`
  /// read y (all, when it is null).
  RoundTripNames OpenBehind(const std::string& tensor, bool public_name, const std::set<const Node*>* readers);
  /// The same behind a constant, for the given nodes.
  RoundTripNames OpenBehind(const std::string& constant, const std::vector<std::string>& nodes);

  /// x → Q → DQ → y, with the standard's operators or the library's. Axis -1: one scale.
  /// Returns y.
  std::string AddPair(const RoundTripNames& names, const ParamNames& params, int axis = -1, bool library = false);

  /// Codes → DQ → y. Codes without a DQ (16-bit floats) take a Cast, and a Mul where there are scales; or the
  /// library's operator.
  void AddCodes(const RoundTripNames& names, const EncodedTensor& encoded, bool library = false);

  /// Codes of zero point 0 → Cast → Mul, where there are scales, → y: what a runtime folds on load, unlike a DQ.
  /// @param scale_shape  broadcasts against the codes
  void AddCasts(const RoundTripNames& names, const EncodedTensor& encoded, const Shape& scale_shape);

  /// Replaces input 2 of the node by int32 codes → DQ that keeps the bias' name where it can.
  void AddBias(Node* node, const EncodedBias& encoded);

  /// Input 2 of the node becomes these floats, one per output.
  void ReplaceBias(Node* node, const std::vector<float>& values);

 private:
  const char* DomainOf(DataType code_type) const;

  Graph& graph_;
  const PairDomain pair_domain_;
  std::map<std::string, ParamNames> params_;  // by base and suffix
};

}  // namespace preon

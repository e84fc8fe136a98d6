// PositionProblem: the positions of a plan's scales as variables, and the nodes that read and write them.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "ir/graph.h"

namespace preon {

/// Index of a variable; nothing where a tensor has no codes with one scale that is a power of two.
using PositionIndex = std::optional<size_t>;

/// Variables of a node.
struct NodeVariables {
  std::vector<PositionIndex> inputs;  ///< of what it computes with, without weight and bias
  PositionIndex weight, bias, output;

  /// Have the inputs a position, or these and the output?
  bool HasInputs() const { return std::ranges::all_of(inputs, &PositionIndex::has_value); }
  bool HasAll() const { return HasInputs() && output; }
};

/// What limits depend on beside its operator.
struct NodeSurroundings {
  bool feeds_leaky_relu = false;
  bool hard_sigmoid = false;       ///< it is the DPU's, or a Sigmoid that becomes it
  bool swish = false;              ///< it is a product one of whose factors such a HardSigmoid reads, too
  std::optional<int> finest_bias;  ///< ScaleSource::FinestPositionOf
};

/// A node between codes.
struct PositionedNode {
  const Node* node = nullptr;
  NodeVariables at;
  NodeSurroundings is;
};

/// Tensors that share a scale are one variable.
struct PositionProblem {
  std::vector<std::string> owners;  ///< by variable: tensor or constant whose scale it is
  std::vector<int> positions;       ///< by variable
  std::vector<PositionedNode> nodes;
};

/// A scale, and the name under which it is kept.
struct KeptScale {
  std::string owner;
  float scale = 1;
};

/// Where a graph's scales are: in a plan, or in the finished graph itself.
class ScaleSource {
 public:
  virtual ~ScaleSource() = default;
  /// Of what a node reads or writes; nothing where it has no integer codes with one scale.
  virtual std::optional<KeptScale> OfActivation(const std::string& tensor) = 0;
  /// Of an initializer as this node reads it. Asked once per name that it answers with.
  virtual Result<std::optional<KeptScale>> OfConstant(const std::string& constant, const Node& reader) = 0;
  /// The largest position at which the codes of a bias hold all of its values; none: its shift alone decides.
  virtual std::optional<int> FinestPositionOf(const std::string& /*bias*/) const { return std::nullopt; }
  /// Will a Sigmoid be the DPU's HardSigmoid?
  virtual bool BecomesHardSigmoid(const Node& sigmoid) const = 0;
};

/// Of nodes that some PositionRule knows. A tensor without a pair counts as what reads it (an activation function
/// behind a kernel, a product behind a pool) or writes it (padding in front of a pool).
/// Errors: those of the source.
Result<PositionProblem> MakePositionProblem(const Graph& graph, ScaleSource& scales);

/// -log2(scale), where it is a whole number.
std::optional<int> PositionOf(float scale);

}  // namespace preon

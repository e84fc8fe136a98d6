// Rotator: rotates what writes and reads the residual stream, in the graph.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/rotation.h"
#include "base/status.h"
#include "ir/graph.h"

namespace preon {

/// Each call changes constants of the nodes alone; together they leave what the model computes as it was. Nodes are
/// those of stream_layers.h. Errors: kNotYetSupported naming the node.
class Rotator {
 public:
  Rotator(Graph& graph, Rotation rotation) : graph_(graph), rotation_(std::move(rotation)) {}

  Status RotateOutputs(Node& writer);
  void RotateInputs(Node& reader);
  /// Scale and shift of a normalization, or the constant of a Mul, go into what reads it: they do not commute with a
  /// rotation.
  Status FoldNorm(Node& norm, std::span<Node* const> readers);

 private:
  std::vector<float> ValuesOf(const std::string& tensor) const;
  Status AddShift(Node& reader, const std::vector<float>& shift);
  void AppendBias(Node& gemm, const std::vector<float>& bias);
  void InsertAdd(Node& matmul, const std::vector<float>& bias);

  Graph& graph_;
  const Rotation rotation_;
};

}  // namespace preon

// What AMD's DPU multiplies sums by, where mathematics divides; and how a model is made to compute the same.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "quantize/qdq_passes/qdq_pass.h"

namespace preon {

/// count · m / 2^n, with the m / 2^n that is nearest to 1 / count: m = rne(2^n / count), n from 0 to 6 + ceil(log2
/// count), the smallest of equally near ones.
double DpuFactor(int64_t count);
/// The factor of an average over k × k: that of k², but for kernels that the hardware has constants of its own for.
double DpuPoolFactor(int64_t kernel);

/// Nodes that the plan has not left in float. Without a plan these are all.
class QuantizedNodes {
 public:
  explicit QuantizedNodes(const QuantPlan& plan);
  bool Contains(const Node& node) const { return !in_float_.contains(node.name); }

 private:
  std::set<std::string> in_float_;
};

/// Shapes of a quantized graph. Those of what pairs give are inferred when first asked for, on a copy: whether the
/// model states shapes of inner tensors is decided elsewhere.
class InferredShapes {
 public:
  explicit InferredShapes(const Model& model) : model_(model) {}
  std::optional<Shape> Of(const std::string& tensor);

 private:
  const Model& model_;
  std::optional<Model> inferred_;
};

/// The node's output 0 is multiplied by the factor under its name: `Y_Mul` · `Y_Scale` = `Y`, as Quark has it, also by
/// a factor of 1. False where it is already.
bool ScaleOutput(Graph& graph, Node& node, double factor);

}  // namespace preon

// Where 1/sigma of SmoothQuant goes: into what computes the tensor, or into a Mul behind it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace preon {

/// Divides the last axis of `tensor` by `sigma` (all positive) by changing constants of the nodes that compute it: a
/// LayerNormalization's scale and bias, the constant of a Mul, weight and bias of a MatMul, Gemm or the Add behind
/// one; a Relu between changes nothing. Nobody but `readers` may read the tensor. False, and nothing done, where it is
/// computed otherwise.
bool FoldIntoProducer(Graph& graph, const std::string& tensor, std::span<Node* const> readers,
                      std::span<const double> sigma);

/// A Mul of `tensor` by `factors` along its last axis, which the readers read instead (their input 0).
void InsertMul(Graph& graph, const std::string& tensor, std::span<Node* const> readers, std::span<const float> factors,
               const std::string& prefix);

}  // namespace preon

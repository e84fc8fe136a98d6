// The activation function that all readers of a tensor see it through.
#pragma once

#include <string>

#include "ir/graph.h"

namespace preon {

/// Functions of each element alone that flatten out on the left; Sigmoid and Tanh on the right, too.
enum class ReadActivation : uint8_t { kNone, kSigmoid, kTanh, kHardSwish, kGelu, kSilu };
inline constexpr int kReadActivations = 6;

/// Not of kNone.
double (*FunctionOf(ReadActivation activation))(double);
bool FlatOnTheRight(ReadActivation activation);

/// The function that every reader of the tensor applies first; SiLU is x·Sigmoid(x) written as two nodes. kNone for
/// graph outputs, tensors that a sub-graph reads, and other readers.
ReadActivation FindReadActivation(const Graph& graph, const std::string& tensor);

}  // namespace preon

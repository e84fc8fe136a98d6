// Edits that several passes make. All keep the names of graph inputs and outputs and what sub-graphs read.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace preon {

/// True when every reader of `from` can read `to` instead: no sub-graph reads `from`, and if it is a graph output,
/// `to` can take over its name (a node writes it, and it is neither a graph output nor read in a sub-graph).
bool CanReplaceTensor(const Graph& graph, std::string_view from, std::string_view to);
/// Does it. `from` is then read by nobody; where it was a graph output, the producer of `to` writes it from now on and
/// the producer of `from` must be removed.
void ReplaceTensor(Graph& graph, std::string from, std::string to);
/// Takes out a node whose output 0 equals its input `index`. False, and nothing done, where names forbid it.
bool Bypass(Graph& graph, Node& node, size_t index = 0);

/// `keep` stands for `gone` too from now on: exclusions by name of either find it.
void Absorb(Node& keep, const Node& gone);
/// Takes out a node that its producer now stands for: the producer of input `index`, which nobody else may read, writes
/// the node's output 0 under its name (a graph output's or captured one too) and absorbs the node.
void MergeIntoProducer(Graph& graph, Node& node, size_t index = 0);
/// The node computes another operator from now on; name and outputs stay.
void Become(Graph& graph, Node& node, std::string op_type, std::vector<std::string> inputs,
            std::map<std::string, AttributeValue> attributes, std::string domain = "");
/// `last`, which computes (Become) what all of `nodes` did (`last` among them, closed), absorbs the others; they go.
void AbsorbAll(Graph& graph, std::span<Node* const> nodes, Node& last);

/// A new constant, a vector of int64: its name, which is `wanted` or one like it.
std::string AddIntsConstant(Graph& graph, std::string_view wanted, const std::vector<int64_t>& values);
/// Input `index` of the node reads this constant: under its old name where nobody else reads that, else under a fresh
/// one like `wanted`.
void SetConstantInput(Graph& graph, Node& node, size_t index, Tensor value, std::string_view wanted);
/// The node's outputs become initializers of the same names, and the node goes. None of them may be a graph output.
void ReplaceByConstants(Graph& graph, Node& node, std::vector<Tensor> values);

}  // namespace preon

// State that a model hands on from run to run: an output that the next run takes as an input (streaming models).
#pragma once

#include <string>
#include <vector>

#include "eval/compare_runs.h"
#include "ir/graph.h"

namespace preon {

struct StateLink {
  std::string input, output;
};

/// The outputs behind the first one that are like an input (float32, same rank, same extents where both are known),
/// each with the first such input that no other takes, in order. Empty for models with one input or one output. A guess
/// from shapes: nothing in ONNX says which output is a state.
std::vector<StateLink> FindStateLinks(const Graph& graph);

/// Runs `model` in closed loop: from the second batch on, the inputs of `links` are what the batch before gave, where
/// its shape is that of the feed. One batch after the other: not for several at once.
ModelOutputs InClosedLoop(std::vector<StateLink> links, ModelOutputs model);

}  // namespace preon

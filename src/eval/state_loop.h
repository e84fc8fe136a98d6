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

/// The outputs behind the first one that are like an input behind the first one (floating-point, same rank, no extents
/// or names of extents that differ), each with the first such input that no other takes, in order. A guess from shapes:
/// nothing in ONNX says which output is a state. The first input and output are taken for the data proper: an
/// autoencoder's reconstruction is no state.
std::vector<StateLink> FindStateLinks(const Graph& graph);

/// Runs `model` in closed loop: from the second batch on, the inputs of `links` are what the batch before gave, where
/// its shape is that of the feed. One batch after the other: not for several at once.
ModelOutputs InClosedLoop(std::vector<StateLink> links, ModelOutputs model);

}  // namespace preon

// Graphs between preon and ONNX, also those of sub-graphs.
#pragma once

#include <onnx/onnx_pb.h>

#include <map>
#include <set>
#include <string>

#include "base/status.h"
#include "ir/external_data.h"
#include "ir/graph.h"

namespace preon {

/// Builds the graph and empties `proto`: weights are moved. Nodes are sorted, unnamed ones get names.
/// @param outer  for a sub-graph the names it reads from outside; they become `opaque_constants`.
/// Errors: kModelInvalid (double definitions, undefined inputs, cycles), those of TakeTensor.
Result<Graph> TakeGraph(onnx::GraphProto* proto, ExternalData& external, const std::set<std::string>& outer = {});

/// What becomes of the initializers.
enum class InitializerMode {
  kWhole,      ///< all written
  kLeftOut,    ///< none written: a writer streams them behind the rest
  kStructure,  ///< those of more than 1 KiB become graph inputs: for checks and inference, without copying weights
};
void WriteGraph(const Graph& graph, InitializerMode mode, onnx::GraphProto* proto);
/// The model around a graph written as above.
onnx::ModelProto ToProto(const Model& model, InitializerMode mode);

/// What the file said about initializers beyond their value (doc strings, metadata), by name.
std::map<std::string, onnx::TensorProto> InitializerResidues(const Graph& graph);

}  // namespace preon

// Graphs between preon and ONNX, also those of sub-graphs.
#pragma once

#include <onnx/onnx_pb.h>

#include <map>
#include <string>

#include "base/status.h"
#include "ir/external_data.h"
#include "ir/graph.h"

namespace preon {

/// Builds the graph and empties `proto`: weights are moved. Branches are flattened (ir/flatten_if.h), nodes are sorted,
/// unnamed ones get names.
/// Errors: kModelInvalid (double definitions, undefined inputs, cycles), those of TakeTensor.
Result<Graph> TakeGraph(onnx::GraphProto* proto, ExternalData& external);

/// From this IR version on an initializer need not be a graph input too, and is constant where it is none.
inline constexpr int64_t kFreeInitializersIrVersion = 4;

/// What becomes of the initializers.
enum class InitializerMode {
  kWhole,      ///< all written
  kLeftOut,    ///< none written: a writer streams them behind the rest
  kStructure,  ///< those of more than 1 KiB become graph inputs: for checks and inference, without copying weights
};
/// Where the nodes of flat Ifs go.
enum class BranchMode {
  kNested,   ///< into the branches, as everyone else expects them
  kOutside,  ///< they stay; each branch only passes on what they compute. For shape inference, which sees few of the
             ///< constants outside of a branch from inside
};
void WriteGraph(const Graph& graph, InitializerMode mode, onnx::GraphProto* proto,
                BranchMode branches = BranchMode::kNested);
/// The model around a graph written as above. Below IR 4 the version is raised where an initializer is no graph input;
/// those that are inputs then aren't listed as such any more: IR 3 had to, IR 4 would take them for variable.
onnx::ModelProto ToProto(const Model& model, InitializerMode mode, BranchMode branches = BranchMode::kNested);

/// What the file said about initializers beyond their value (doc strings, metadata), by name.
std::map<std::string, onnx::TensorProto> InitializerResidues(const Graph& graph);

}  // namespace preon

// QuaRot: the residual stream of a transformer is rotated, and what one channel has much of spreads over all. What
// writes the stream gives it rotated, what reads it undoes that; the model computes the same, and nothing is added to
// it.
#include <algorithm>
#include <optional>

#include "algorithms/algorithms.h"
#include "algorithms/rotation_config.h"
#include "algorithms/rotator.h"
#include "algorithms/scaled_layer.h"
#include "algorithms/stream_layers.h"

namespace preon {
namespace {

constexpr AlgorithmOption kQuarotOptions[] = {
    {.name = "r-matrix-dim",
     .parameter = "r_matrix_dim",
     .key = "RMatrixDim",
     .type = KeyType::kInteger,
     .fallback = "null",
     .meaning = "channels of the residual stream; default: what its weights have",
     .range = "1..",
     .key_fallback = "4096"},
    {.name = "use-random-had",
     .parameter = "use_random_had",
     .key = "UseRandomHad",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "columns of the Hadamard matrix have random signs"},
    {.name = "r-config-path",
     .parameter = "r_config_path",
     .key = "RConfigPath",
     .type = KeyType::kText,
     .fallback = "null",
     .meaning = "JSON file that names the nodes that write and read the residual stream"},
};

/// The nodes of one RotationPair.
struct StreamPlace {
  std::vector<Node*> writers, readers;
  Node* norm = nullptr;
};

// By its name in the user's file: passes may have put others into it, or renamed it.
Result<Node*> NodeNamed(const Graph& graph, const std::string& name) {
  if (Node* node = graph.FindNode(name)) return node;
  for (const auto& node : graph.nodes()) {
    if (std::ranges::find(node->origins, name) != node->origins.end()) return node.get();
  }
  return Error(ErrorId::kNameNotInModel, "quarot: R1_pairs: no node '", name, "' in the model");
}

bool IsNorm(const Graph& graph, const Node& node) {
  const bool scaled = node.op_type == "LayerNormalization" || node.op_type == "SimplifiedLayerNormalization" ||
                      node.op_type == "RMSNormalization";
  if (node.Is("Mul"))
    return FloatConstant(graph, node.input(0)) != nullptr || FloatConstant(graph, node.input(1)) != nullptr;
  return scaled && FloatConstant(graph, node.input(1)) != nullptr &&
         (node.input(2).empty() || FloatConstant(graph, node.input(2)) != nullptr);
}

Result<StreamPlace> PlaceOf(const Graph& graph, const RotationPair& pair) {
  StreamPlace place;
  for (const std::string& name : pair.writers) {
    PREON_ASSIGN_OR_RETURN(Node * node, NodeNamed(graph, name));
    if (!IsLayer(graph, *node) && !TableInput(graph, *node))
      return Error(ErrorId::kNotYetSupported, "quarot: prev_nodes: '", name, "' (", node->op_type,
                   ") is neither MatMul, Gemm nor Gather, Slice or Add with a constant");
    place.writers.push_back(node);
  }
  for (const std::string& name : pair.readers) {
    PREON_ASSIGN_OR_RETURN(Node * node, NodeNamed(graph, name));
    if (!IsLayer(graph, *node))
      return Error(ErrorId::kNotYetSupported, "quarot: next_nodes: '", name, "' (", node->op_type,
                   ") is not a MatMul or Gemm with a constant matrix");
    place.readers.push_back(node);
  }
  if (pair.norm.empty()) return place;
  PREON_ASSIGN_OR_RETURN(place.norm, NodeNamed(graph, pair.norm));
  if (!IsNorm(graph, *place.norm))
    return Error(ErrorId::kNotYetSupported, "quarot: norm_node: '", pair.norm, "' (", place.norm->op_type,
                 ") is not a normalization with constant scales");
  // Whoever reads the normalization beside the named nodes would get it without its scales.
  size_t named = 0;
  for (const Use& use : graph.Uses(place.norm->output())) {
    const bool known =
        !use.captured && (std::ranges::find(place.readers, use.node) != place.readers.end() || use.node->Is("Shape"));
    if (!known)
      return Error(ErrorId::kConflictingOptions, "quarot: '", use.node->name, "' reads '", pair.norm,
                   "', too; wanted it among its next_nodes");
    named += 1;
  }
  if (named == 0 || graph.IsOutput(place.norm->output()))
    return Error(ErrorId::kConflictingOptions, "quarot: the output of '", pair.norm, "' is the model's");
  return place;
}

class Quarot final : public Algorithm {
 public:
  Quarot() = default;
  Quarot(std::optional<int64_t> size, bool random, std::vector<RotationPair> pairs)
      : size_(size), random_(random), pairs_(std::move(pairs)) {}

  std::string_view name() const override { return "quarot"; }
  std::string_view summary() const override {
    return "rotates the residual stream of a transformer, so that no channel is much larger than the others";
  }
  AlgorithmPhase phase() const override { return AlgorithmPhase::kFloatModel; }
  bool on_by_default() const override { return false; }
  std::string_view quark_name() const override { return "quarot"; }
  std::span<const AlgorithmOption> options() const override { return kQuarotOptions; }
  Result<std::unique_ptr<Algorithm>> Configured(const AlgorithmValues& values) const override {
    const std::string path = values.Text("r-config-path");
    if (path.empty())
      return Error(ErrorId::kMissingOption, "--algorithm quarot: needs r-config-path=FILE, which names the nodes");
    PREON_ASSIGN_OR_RETURN(std::vector<RotationPair> pairs, ReadRotationConfig(path));
    std::optional<int64_t> size;
    if (values.set().contains("r-matrix-dim")) size = values.Integer("r-matrix-dim");
    return std::unique_ptr<Algorithm>(std::make_unique<Quarot>(size, values.Flag("use-random-had"), std::move(pairs)));
  }

  Result<bool> RewriteFloat(Model& model, const NodeFilter&, const CollectedStatistics&,
                            const PlanOptions&) const override {
    Graph& graph = model.graph;
    std::vector<StreamPlace> places;
    bool has_means = false;
    std::optional<int64_t> size = size_;
    for (const RotationPair& pair : pairs_) {
      PREON_ASSIGN_OR_RETURN(StreamPlace place, PlaceOf(graph, pair));
      has_means = has_means || (place.norm != nullptr && place.norm->op_type == "LayerNormalization");
      for (const Node* node : place.writers) PREON_RETURN_IF_ERROR(CheckSize(*node, StreamOutputs(graph, *node), size));
      for (const Node* node : place.readers) PREON_RETURN_IF_ERROR(CheckSize(*node, StreamInputs(graph, *node), size));
      places.push_back(std::move(place));
    }
    if (!size) return false;  // no nodes are named
    const RotationKind kind = has_means ? RotationKind::kKeepsMeans
                              : random_ ? RotationKind::kRandom
                                        : RotationKind::kHadamard;
    std::optional<Rotation> rotation = Rotation::Make(*size, kind);
    if (!rotation)
      return Error(ErrorId::kNotYetSupported, "quarot: no Hadamard matrix of ", *size, " rows is known here");
    Rotator rotator(graph, *std::move(rotation));
    for (const StreamPlace& place : places) {
      if (place.norm != nullptr) PREON_RETURN_IF_ERROR(rotator.FoldNorm(*place.norm, place.readers));
      for (Node* writer : place.writers) PREON_RETURN_IF_ERROR(rotator.RotateOutputs(*writer));
      for (Node* reader : place.readers) rotator.RotateInputs(*reader);
    }
    return true;
  }

 private:
  // All have as many channels as the first, or as was asked for.
  static Status CheckSize(const Node& node, int64_t channels, std::optional<int64_t>& size) {
    if (!size) size = channels;
    if (*size == channels) return Status::Ok();
    return Error(ErrorId::kConflictingOptions, "quarot: '", node.name, "' has ", channels,
                 " channels of the residual stream, wanted ", *size);
  }

  std::optional<int64_t> size_;
  bool random_ = false;
  std::vector<RotationPair> pairs_;
};

}  // namespace

std::unique_ptr<Algorithm> MakeQuarotAlgorithm() { return std::make_unique<Quarot>(); }

}  // namespace preon

#include "quantize/targets/op_list/quark_rewrites.h"

#include <array>

#include "base/text.h"

namespace preon {
namespace {

constexpr std::array<std::string_view, 6> kOursAlone = {"fold_space_to_depth",       "deduplicate",
                                                        "split_shared_initializers", "simplify_clip",
                                                        "merge_transposes",          "fold_gemm_scalars"};
// Of the runtime's optimizer, which Quark runs (OptimizeModel).
constexpr std::array<std::string_view, 2> kOptimizersAlone = {"move_transposes", "merge_reshapes"};
// The simplifier does these and the runtime's optimizer does: they are left out where both are.
constexpr std::array<std::string_view, 7> kOfBoth = {
    "fold_affine", "fold_pad",        "fold_constants",         "fold_shapes",
    "fold_if",     "remove_identity", "constant_to_initializer"};
// Its fusions write the operators of the standard alone, and do not raise the opset for them.
constexpr int64_t kFirstOpsetWithLayerNorm = 17, kFirstOpsetWithGelu = 20;

// It looks up shapes among those of the tensors between nodes.
constexpr std::array<std::string_view, 2> kNeedAnInnerTensor = {"convert_batch_norm", "split_large_pool"};

bool SplitsEqually(const Node& split) { return split.input(1).empty() && !split.attributes.contains("split"); }

// Behind which operators a BatchNormalization goes into weights depends on who does it: the runtime folds it into Conv,
// the simplifier also into ConvTranspose, Quark's own pass also into Gemm.
bool LeavesBatchNorm(const Graph& graph, const Node& node, const Preprocessing& stages) {
  if (stages.FoldsBatchNorm()) return false;
  const Node* producer = graph.Producer(node.input(0));
  const bool folds = producer != nullptr && ((producer->Is("Conv") && (stages.simplify || stages.Optimizes())) ||
                                             (producer->Is("ConvTranspose") && stages.simplify));
  return !folds;
}

}  // namespace

bool QuarkRewrites(std::string_view pass, bool ours, const Preprocessing& stages) {
  if (stages.skip) return false;
  if (pass == "wrap_linear_layers") return stages.simplify;
  if (pass == "wrap_layers_as_runtime") return stages.Optimizes() && !stages.simplify;
  if (Contains(kOptimizersAlone, pass)) return stages.Optimizes();
  if (!ours || Contains(kOursAlone, pass)) return false;
  if (Contains(kOfBoth, pass)) return stages.simplify || stages.Optimizes();
  if (pass == "fuse_layer_norm") return stages.fuse_layer_norm || stages.Optimizes();
  if (pass == "fuse_gelu") return stages.fuse_gelu || stages.Optimizes();
  return true;
}

bool QuarkLeaves(std::string_view pass, const Model& model, const Node& node, const Preprocessing& stages) {
  if (pass == "fuse_layer_norm") return model.opset() < kFirstOpsetWithLayerNorm;
  if (pass == "fuse_gelu") return model.opset() < kFirstOpsetWithGelu;
  if (pass == "fold_batch_norm") return LeavesBatchNorm(model.graph, node, stages);
  if (Contains(kNeedAnInnerTensor, pass)) return model.graph.IsInput(node.input(0));
  return pass == "convert_split" && SplitsEqually(node);
}

}  // namespace preon

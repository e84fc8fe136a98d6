#include "quantize/targets/op_list/quark_rewrites.h"

#include <array>

#include "base/text.h"

namespace preon {
namespace {

constexpr std::array<std::string_view, 6> kOursAlone = {"fold_space_to_depth",       "deduplicate",
                                                        "split_shared_initializers", "simplify_clip",
                                                        "merge_transposes",          "fold_gemm_scalars"};
constexpr std::array<std::string_view, 2> kQuarksAlone = {"move_transposes", "wrap_linear_layers"};
// Its fusions write the operators of the standard alone, and do not raise the opset for them.
constexpr int64_t kFirstOpsetWithLayerNorm = 17, kFirstOpsetWithGelu = 20;

// It looks up shapes among those of the tensors between nodes.
constexpr std::array<std::string_view, 2> kNeedAnInnerTensor = {"convert_batch_norm", "split_large_pool"};

bool SplitsEqually(const Node& split) { return split.input(1).empty() && !split.attributes.contains("split"); }

}  // namespace

bool QuarkRewrites(std::string_view pass, bool ours) {
  return Contains(kQuarksAlone, pass) || (ours && !Contains(kOursAlone, pass));
}

bool QuarkLeaves(std::string_view pass, const Model& model, const Node& node) {
  if (pass == "fuse_layer_norm") return model.opset() < kFirstOpsetWithLayerNorm;
  if (pass == "fuse_gelu") return model.opset() < kFirstOpsetWithGelu;
  if (Contains(kNeedAnInnerTensor, pass)) return model.graph.IsInput(node.input(0));
  return pass == "convert_split" && SplitsEqually(node);
}

}  // namespace preon

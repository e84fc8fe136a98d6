#include "quantize/targets/op_list/quark_rewrites.h"

#include <array>

#include "base/text.h"

namespace preon {
namespace {

constexpr std::array<std::string_view, 5> kOursAlone = {
    "fold_space_to_depth", "deduplicate", "split_shared_initializers", "simplify_clip", "merge_transposes"};
constexpr std::array<std::string_view, 2> kQuarksAlone = {"move_transposes", "wrap_linear_layers"};
// Its fusions write the operators of the standard alone, and do not raise the opset for them.
constexpr int64_t kFirstOpsetWithLayerNorm = 17, kFirstOpsetWithGelu = 20;

bool SplitsEqually(const Node& split) { return split.input(1).empty() && !split.attributes.contains("split"); }

}  // namespace

bool QuarkRewrites(std::string_view pass, bool ours) {
  return Contains(kQuarksAlone, pass) || (ours && !Contains(kOursAlone, pass));
}

bool QuarkLeaves(std::string_view pass, const Model& model, const Node& node) {
  if (pass == "fuse_layer_norm") return model.opset() < kFirstOpsetWithLayerNorm;
  if (pass == "fuse_gelu") return model.opset() < kFirstOpsetWithGelu;
  return pass == "convert_split" && SplitsEqually(node);
}

}  // namespace preon

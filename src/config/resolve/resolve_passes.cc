#include "config/resolve/resolve_passes.h"

#include <array>
#include <tuple>

#include "base/text.h"
#include "ir/model_io.h"

namespace preon {
namespace {

constexpr std::array<std::string_view, 6> kStages = {"SimplifyModel", "OptimizeModel", "FoldBatchNorm",
                                                     "FuseLayerNorm", "FuseGelu",      "SkipPreprocess"};

}  // namespace

bool IsStage(std::string_view key) { return Contains(kStages, key); }

std::set<std::string> PassesOfStagesOff(const Preprocessing& stages, const PassRegistry& passes) {
  std::set<std::string> off;
  if (!stages.Optimizes()) off.insert({"remove_identity", "fold_constants", "fold_shapes", "fold_affine"});
  if (!stages.simplify) off.insert({"deduplicate", "simplify_clip", "fold_if", "fold_pad", "fold_space_to_depth"});
  if (stages.fold_batch_norm == false) off.insert("fold_batch_norm");
  if (!stages.fuse_layer_norm) off.insert("fuse_layer_norm");
  if (!stages.fuse_gelu) off.insert("fuse_gelu");
  if (!stages.skip) return off;
  // Not what a target needs to run a graph at all, nor what has an option of its own.
  for (const auto& pass : passes.entries()) {
    if (pass->phase() == PassPhase::kRounds) off.emplace(pass->name());
  }
  return off;
}

Status CheckPreparation(int64_t opset, const std::vector<Float16Part>& float16_parts, std::optional<Float16> float16) {
  if (opset > NewestOpset())
    return Error(ErrorId::kBadOptionValue, "--opset: got ", opset, ", wanted at most ", NewestOpset());
  if (!float16_parts.empty() && float16 != Float16::kOff) {
    return Error(ErrorId::kConflictingOptions, "--float16: only 'off' goes with subgraphs_to_include of a list of ",
                 "passes: the rest of the model stays float16");
  }
  return Status::Ok();
}

Result<PassSelection> ResolvePasses(const PassSelection& given, PassSelection passes, const Builtins& builtins) {
  for (const auto& [names, found, option] : {std::tuple(&given.disabled, &passes.disabled, "--disable-pass"),
                                             std::tuple(&given.enabled, &passes.enabled, "--enable-pass")}) {
    for (const std::string& name : *names) {
      Result<std::string> pass = PassName(builtins, name);
      if (!pass.ok()) return std::move(pass).status().WithContext(option);
      found->insert(*std::move(pass));
    }
  }
  for (const std::string& name : passes.enabled) {
    if (passes.disabled.contains(name))
      return Error(ErrorId::kConflictingOptions, "--disable-pass ", name,
                   ": --enable-pass or another option needs this pass");
  }
  return passes;
}

}  // namespace preon

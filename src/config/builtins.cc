#include "config/builtins.h"

#include "algorithms/algorithms.h"
#include "base/spelling.h"
#include "ops/register_ops.h"
#include "passes/passes.h"
#include "quantize/qdq_passes/qdq_passes.h"
#include "quantize/targets/targets.h"
#include "ranges/range_methods.h"
#include "runtime/session.h"

namespace preon {

Builtins MakeBuiltins() {
  UseOperators(AddQuarkOps);
  Builtins builtins;

  builtins.methods.Add(MakeAutoMethod());
  builtins.methods.Add(MakeMinMaxMethod());
  builtins.methods.Add(MakePercentileMethod());
  builtins.methods.Add(MakeLayerwisePercentileMethod());
  builtins.methods.Add(MakeSampleExtremesMethod());
  builtins.methods.Add(MakeMinMseMethod());
  builtins.methods.Add(MakeNonOverflowMethod());
  builtins.methods.Add(MakeEntropyMethod());
  builtins.methods.Add(MakeDistributionMethod());

  builtins.passes.Add(MakeConvertFloat16Pass());
  builtins.passes.Add(MakeFixShapesPass());
  builtins.passes.Add(MakeClip6ToReluPass());
  builtins.passes.Add(MakeSetAttributesPass());
  builtins.passes.Add(MakeRemoveInitializerInputsPass());
  builtins.passes.Add(MakeConstantToInitializerPass());
  builtins.passes.Add(MakeRemoveIdentityPass());
  builtins.passes.Add(MakeFoldShapesPass());
  builtins.passes.Add(MakeFoldReshapePass());
  builtins.passes.Add(MakeFoldConstantsPass());
  builtins.passes.Add(MakeFoldIfPass());
  builtins.passes.Add(MakeDeduplicatePass());
  builtins.passes.Add(MakeSimplifyClipPass());
  builtins.passes.Add(MakeSimplifySoftmaxPass());
  builtins.passes.Add(MakeConvertEinsumPass());
  builtins.passes.Add(MakeFuseLayerNormPass());
  builtins.passes.Add(MakeFuseGeluPass());
  builtins.passes.Add(MakeFuseHardSigmoidPass());
  builtins.passes.Add(MakeFuseInstanceNormPass());
  builtins.passes.Add(MakeFuseL2NormPass());
  builtins.passes.Add(MakeFoldBatchNormPass());
  builtins.passes.Add(MakeFoldAffinePass());
  builtins.passes.Add(MakeFoldAffineForwardPass());
  builtins.passes.Add(MakeMergeTransposesPass());
  builtins.passes.Add(MakeFoldPadPass());
  builtins.passes.Add(MakeFoldSpaceToDepthPass());
  builtins.passes.Add(MakeFoldDivisionPass());
  builtins.passes.Add(MakeConvertReduceMeanPass());
  builtins.passes.Add(MakeSplitLargePoolPass());
  builtins.passes.Add(MakeConvertSplitPass());
  builtins.passes.Add(MakeConvertBatchNormPass());
  builtins.passes.Add(MakeSplitSharedInitializersPass());
  builtins.passes.Add(MakeRemoveDeadPass());
  builtins.passes.Add(MakeCopySharedInitializersPass());
  builtins.passes.Add(MakeMoveTransposesPass());
  builtins.passes.Add(MakeWrapLinearLayersPass());
  builtins.passes.Add(MakeWrapLayersAsRuntimePass());
  builtins.passes.Add(MakeMergeReshapesPass());
  builtins.passes.Add(MakeFoldGemmScalarsPass());
  builtins.passes.Add(MakeLowerBatchNormPass());
  builtins.passes.Add(MakeLowerLinearLayersPass());
  builtins.passes.Add(MakeSplitGemmPass());
  builtins.passes.Add(MakeSplitSharedInitializersLastPass());

  builtins.qdq_passes = MakeQdqPasses();

  builtins.targets.Add(MakeOrtCpuTarget());
  builtins.targets.Add(MakeSimulateTarget());
  builtins.targets.Add(MakeQuarkTarget());
  builtins.targets.Add(MakeOrtTarget());
  builtins.targets.Add(MakeNpuCnnTarget());
  builtins.targets.Add(MakeNpuTransformerTarget());
  builtins.targets.Add(MakeMatMulNBitsTarget());
  builtins.targets.Add(MakeDynamicTarget());
  builtins.targets.Add(MakeTensorrtTarget());

  builtins.algorithms = MakeAlgorithms();
  return builtins;
}

Result<std::string> PassName(const Builtins& builtins, std::string_view given) {
  if (const auto pass = builtins.passes.Find(given); pass.ok()) return std::string((*pass)->name());
  if (const auto pass = builtins.qdq_passes.Find(given); pass.ok()) return std::string((*pass)->name());
  std::vector<std::string> names;
  for (const auto& pass : builtins.passes.entries()) names.emplace_back(pass->name());
  for (const auto& pass : builtins.qdq_passes.entries()) names.emplace_back(pass->name());
  return Error(ErrorId::kUnknownOption, "unknown pass '", given, "'", DidYouMean(given, names),
               " (known: ", JoinNames(names), ")");
}

}  // namespace preon

// The graph passes that preon ships; config/builtins.cc registers them in the order that docs/design/passes.md argues
// for.
#pragma once

#include <memory>

#include "passes/pass.h"

namespace preon {

// The source, before all others:
std::unique_ptr<Pass> MakeConvertFloat16Pass();
std::unique_ptr<Pass> MakeFixShapesPass();
std::unique_ptr<Pass> MakeClip6ToReluPass();
std::unique_ptr<Pass> MakeSetAttributesPass();
// Rounds:
std::unique_ptr<Pass> MakeRemoveInitializerInputsPass();
std::unique_ptr<Pass> MakeConstantToInitializerPass();
std::unique_ptr<Pass> MakeRemoveIdentityPass();
std::unique_ptr<Pass> MakeFoldShapesPass();
std::unique_ptr<Pass> MakeFoldReshapePass();
std::unique_ptr<Pass> MakeFoldConstantsPass();
std::unique_ptr<Pass> MakeFoldIfPass();
std::unique_ptr<Pass> MakeDeduplicatePass();
std::unique_ptr<Pass> MakeSimplifyClipPass();
std::unique_ptr<Pass> MakeSimplifySoftmaxPass();
std::unique_ptr<Pass> MakeConvertEinsumPass();
std::unique_ptr<Pass> MakeFuseLayerNormPass();
std::unique_ptr<Pass> MakeFuseGeluPass();
std::unique_ptr<Pass> MakeFuseHardSigmoidPass();
std::unique_ptr<Pass> MakeFoldBatchNormPass();
std::unique_ptr<Pass> MakeFoldAffinePass();
std::unique_ptr<Pass> MakeFoldAffineForwardPass();
std::unique_ptr<Pass> MakeMergeTransposesPass();
std::unique_ptr<Pass> MakeFoldPadPass();
std::unique_ptr<Pass> MakeFoldSpaceToDepthPass();
std::unique_ptr<Pass> MakeFuseInstanceNormPass();
std::unique_ptr<Pass> MakeFuseL2NormPass();
// Off by default; lists of passes ask for it:
std::unique_ptr<Pass> MakeFoldDivisionPass();
// Off by default; targets for NPUs ask for them:
std::unique_ptr<Pass> MakeConvertReduceMeanPass();
std::unique_ptr<Pass> MakeSplitLargePoolPass();
std::unique_ptr<Pass> MakeConvertSplitPass();
std::unique_ptr<Pass> MakeConvertBatchNormPass();
// Behind all of the rounds:
std::unique_ptr<Pass> MakeSplitSharedInitializersPass();
std::unique_ptr<Pass> MakeRemoveDeadPass();
// Last, off by default; targets for the CPU runtime ask for them:
std::unique_ptr<Pass> MakeCopySharedInitializersPass();
std::unique_ptr<Pass> MakeFoldGemmScalarsPass();
std::unique_ptr<Pass> MakeLowerBatchNormPass();
std::unique_ptr<Pass> MakeLowerLinearLayersPass();
std::unique_ptr<Pass> MakeSplitGemmPass();
std::unique_ptr<Pass> MakeSplitSharedInitializersLastPass();
// With --compat quark alone:
std::unique_ptr<Pass> MakeMoveTransposesPass();
std::unique_ptr<Pass> MakeWrapLinearLayersPass();
std::unique_ptr<Pass> MakeWrapLayersAsRuntimePass();
std::unique_ptr<Pass> MakeMergeReshapesPass();

}  // namespace preon

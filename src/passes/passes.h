// The graph passes that preon ships; config/builtins.cc registers them in the order that docs/design/passes.md argues
// for.
#pragma once

#include <memory>

#include "passes/pass.h"

namespace preon {

std::unique_ptr<Pass> MakeRemoveInitializerInputsPass();
std::unique_ptr<Pass> MakeConstantToInitializerPass();
std::unique_ptr<Pass> MakeRemoveIdentityPass();
std::unique_ptr<Pass> MakeFoldShapesPass();
std::unique_ptr<Pass> MakeFoldConstantsPass();
std::unique_ptr<Pass> MakeFoldIfPass();
std::unique_ptr<Pass> MakeDeduplicatePass();
std::unique_ptr<Pass> MakeSimplifyClipPass();
std::unique_ptr<Pass> MakeFuseLayerNormPass();
std::unique_ptr<Pass> MakeFuseGeluPass();
std::unique_ptr<Pass> MakeFoldBatchNormPass();
std::unique_ptr<Pass> MakeFoldAffinePass();
std::unique_ptr<Pass> MakeFoldPadPass();
std::unique_ptr<Pass> MakeFoldSpaceToDepthPass();
std::unique_ptr<Pass> MakeFuseInstanceNormPass();
std::unique_ptr<Pass> MakeFuseL2NormPass();
// Off by default; layouts of NPUs ask for them, target ort-cpu for the last in its own way:
std::unique_ptr<Pass> MakeConvertReduceMeanPass();
std::unique_ptr<Pass> MakeSplitLargePoolPass();
std::unique_ptr<Pass> MakeConvertSplitPass();
std::unique_ptr<Pass> MakeConvertBatchNormPass();
std::unique_ptr<Pass>
MakeConvertFloat16Pass();  ///< not in the default list: comes before what rewrites are compared with
std::unique_ptr<Pass> MakeSplitSharedInitializersPass();
std::unique_ptr<Pass> MakeRemoveDeadPass();

}  // namespace preon

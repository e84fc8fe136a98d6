// The rewrites of Q/DQ graphs that preon ships, in the order in which they run.
#pragma once

#include <memory>

#include "quantize/qdq_passes/qdq_pass.h"

namespace preon {

std::unique_ptr<QdqPass> MakeDpuLeakyReluPass();
std::unique_ptr<QdqPass> MakeDpuSigmoidPass();
std::unique_ptr<QdqPass> MakeDpuHardSigmoidPass();
std::unique_ptr<QdqPass> MakeDpuAveragePoolPass();
std::unique_ptr<QdqPass> MakeDpuReduceMeanPass();
std::unique_ptr<QdqPass> MakeDpuSoftmaxPass();
std::unique_ptr<QdqPass> MakeDpuInstanceNormalizationPass();
std::unique_ptr<QdqPass> MakeDpuClipPass();
std::unique_ptr<QdqPass> MakeDpuPositionsPass();
std::unique_ptr<QdqPass> MakeRemovePairsPass();
std::unique_ptr<QdqPass> MakeAlignScalesPass();
std::unique_ptr<QdqPass> MakeLimitChannelScalesPass();
std::unique_ptr<QdqPass> MakeInt32BiasesPass();
std::unique_ptr<QdqPass> MakeInt16BiasesPass();
std::unique_ptr<QdqPass> MakeClipsToReluPass();
std::unique_ptr<QdqPass> MakeClampsToMinMaxPass();
std::unique_ptr<QdqPass> MakePoolsWithIndicesPass();
std::unique_ptr<QdqPass> MakePairsBehindMovesPass();
std::unique_ptr<QdqPass> MakeClampCodesPass();
std::unique_ptr<QdqPass> MakePadCodesPass();
std::unique_ptr<QdqPass> MakeGuardFloatRegionsPass();
std::unique_ptr<QdqPass> MakeDedicateDequantizePass();
std::unique_ptr<QdqPass> MakeFillImageChannelsPass();
std::unique_ptr<QdqPass> MakeNameCastOutputsPass();
std::unique_ptr<QdqPass> MakeClampsInBranchesPass();
std::unique_ptr<QdqPass> MakePairsInBranchesPass();
std::unique_ptr<QdqPass> MakeQOperatorPass();
std::unique_ptr<QdqPass> MakeUnsignedActivationsPass();
std::unique_ptr<QdqPass> MakeSignedActivationsPass();
std::unique_ptr<QdqPass> MakeQdqPass();
std::unique_ptr<QdqPass> MakeStandardQuantizersPass();
std::unique_ptr<QdqPass> MakeToNhwcPass();
std::unique_ptr<QdqPass> MakeBFloat16ClipsPass();
std::unique_ptr<QdqPass> MakeBFloat16CastsPass();
std::unique_ptr<QdqPass> MakeRemoveBFloat16CastsPass();

QdqPassRegistry MakeQdqPasses();

}  // namespace preon

#include "quantize/qdq_passes/qdq_passes.h"

namespace preon {

QdqPassRegistry MakeQdqPasses() {
  QdqPassRegistry passes("pass");
  passes.Add(MakeQdqPass());  // what the others read
  passes.Add(MakeStandardQuantizersPass());
  passes.Add(MakeDpuLeakyReluPass());
  passes.Add(MakeDpuSigmoidPass());
  passes.Add(MakeDpuHardSigmoidPass());  // behind what makes some of Sigmoid
  passes.Add(MakeDpuAveragePoolPass());
  passes.Add(MakeDpuReduceMeanPass());
  passes.Add(MakeDpuSoftmaxPass());
  passes.Add(MakeDpuInstanceNormalizationPass());
  passes.Add(MakeDpuClipPass());
  passes.Add(MakeDpuPositionsPass());  // behind what makes a HardSigmoid, which has limits, of Sigmoid
  passes.Add(MakeRemovePairsPass());
  passes.Add(MakeAlignScalesPass());
  passes.Add(MakeLimitChannelScalesPass());
  passes.Add(MakeUnsignedActivationsPass());
  passes.Add(MakeSignedActivationsPass());
  passes.Add(MakeInt32BiasesPass());
  passes.Add(MakeInt16BiasesPass());
  passes.Add(MakeClipsToReluPass());
  passes.Add(MakeClampsToMinMaxPass());  // behind what may make a Clip a Relu
  passes.Add(MakePoolsWithIndicesPass());
  passes.Add(MakePairsBehindMovesPass());
  passes.Add(MakeClampCodesPass());
  passes.Add(MakePadCodesPass());
  passes.Add(MakeGuardFloatRegionsPass());
  passes.Add(MakeBFloat16ClipsPass());
  passes.Add(MakeBFloat16CastsPass());        // behind what looks for the quantizers that go here
  passes.Add(MakeRemoveBFloat16CastsPass());  // reads what the one in front writes
  passes.Add(MakeDedicateDequantizePass());
  passes.Add(MakeFillImageChannelsPass());
  passes.Add(MakeClampsInBranchesPass());
  passes.Add(MakePairsInBranchesPass());  // behind all that add pairs
  passes.Add(MakeNameCastOutputsPass());  // behind all that look tensors of the plan up
  passes.Add(MakeQOperatorPass());        // reads the form that the others leave
  passes.Add(MakeToNhwcPass());
  return passes;
}

}  // namespace preon

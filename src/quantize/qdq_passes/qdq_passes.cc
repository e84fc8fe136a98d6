#include "quantize/qdq_passes/qdq_passes.h"

namespace preon {

QdqPassRegistry MakeQdqPasses() {
  QdqPassRegistry passes("pass");
  passes.Add(MakeInt16BiasesPass());
  passes.Add(MakeClipsToReluPass());
  passes.Add(MakeClampsToMinMaxPass());  // behind what may make a Clip a Relu
  passes.Add(MakeGuardFloatRegionsPass());
  passes.Add(MakeDedicateDequantizePass());
  passes.Add(MakeFillImageChannelsPass());
  passes.Add(MakePairsInBranchesPass());  // behind all that add pairs
  passes.Add(MakeQOperatorPass());        // reads the form that the others leave
  passes.Add(MakeToNhwcPass());
  return passes;
}

}  // namespace preon

#include "api/builtins.h"

#include "formats/number_formats.h"
#include "passes/passes.h"
#include "ranges/range_methods.h"

namespace preon {

Builtins MakeBuiltins() {
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

  builtins.formats.Add(MakeInt4Format());
  builtins.formats.Add(MakeUInt4Format());
  builtins.formats.Add(MakeInt8Format());
  builtins.formats.Add(MakeUInt8Format());
  builtins.formats.Add(MakeInt16Format());
  builtins.formats.Add(MakeUInt16Format());
  builtins.formats.Add(MakeInt32Format());
  builtins.formats.Add(MakeUInt32Format());
  builtins.formats.Add(MakeFloat16Format());
  builtins.formats.Add(MakeBFloat16Format());
  builtins.formats.Add(MakeFloat8E4M3FNFormat());
  builtins.formats.Add(MakeFloat8E5M2Format());
  builtins.formats.Add(MakeBfp16Format());
  builtins.formats.Add(MakeMx4Format());
  builtins.formats.Add(MakeMx6Format());
  builtins.formats.Add(MakeMx9Format());
  builtins.formats.Add(MakeMxInt8Format());
  builtins.formats.Add(MakeMxFp4E2M1Format());
  builtins.formats.Add(MakeMxFp6E3M2Format());
  builtins.formats.Add(MakeMxFp6E2M3Format());
  builtins.formats.Add(MakeMxFp8E5M2Format());
  builtins.formats.Add(MakeMxFp8E4M3Format());

  builtins.passes.Add(MakeRemoveInitializerInputsPass());
  builtins.passes.Add(MakeConstantToInitializerPass());
  builtins.passes.Add(MakeRemoveIdentityPass());
  builtins.passes.Add(MakeFoldShapesPass());
  builtins.passes.Add(MakeFoldConstantsPass());
  builtins.passes.Add(MakeFoldIfPass());
  builtins.passes.Add(MakeDeduplicatePass());
  builtins.passes.Add(MakeSimplifyClipPass());
  builtins.passes.Add(MakeFuseLayerNormPass());
  builtins.passes.Add(MakeFuseGeluPass());
  builtins.passes.Add(MakeFoldBatchNormPass());
  builtins.passes.Add(MakeFoldAffinePass());
  builtins.passes.Add(MakeFoldPadPass());
  builtins.passes.Add(MakeFoldSpaceToDepthPass());
  builtins.passes.Add(MakeSplitSharedInitializersPass());
  builtins.passes.Add(MakeRemoveDeadPass());

  builtins.targets.Add(MakeOrtCpuTarget());
  builtins.targets.Add(MakeQuarkTarget());
  builtins.targets.Add(MakeMatMulNBitsTarget());
  return builtins;
}

}  // namespace preon

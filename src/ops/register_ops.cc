#include "ops/register_ops.h"

#include "formats/quark_operators.h"
#include "ops/block_ops.h"
#include "ops/instance_norm_op.h"
#include "ops/linear_ops.h"
#include "ops/lstm_op.h"

namespace preon {
namespace {

struct OpNames {
  const char *bfp, *mx, *quantize, *dequantize, *norm, *lstm;
};

struct Domain {
  Domain(const char* name, const OpNames& ops)
      : bfp(ops.bfp),
        mx(ops.mx),
        quantize(ops.quantize),
        dequantize(ops.dequantize),
        norm(ops.norm),
        lstm(ops.lstm),
        domain(name) {
    for (const OrtCustomOp* op :
         std::initializer_list<const OrtCustomOp*>{&bfp, &mx, &quantize, &dequantize, &norm, &lstm})
      domain.Add(op);
  }
  QuarkOp<BfpKernel> bfp;
  QuarkOp<MxKernel> mx;
  QuarkOp<QuantizeKernel> quantize;
  QuarkOp<DequantizeKernel> dequantize;
  QuarkOp<InstanceNormKernel> norm;
  QuarkOp<LstmKernel> lstm;
  Ort::CustomOpDomain domain;
};

}  // namespace

void AddQuarkOps(OrtSessionOptions* options) {
  // Without state, so once for all sessions; never taken apart, as sessions may outlive everything else.
  static Domain* const ours =
      new Domain(kQuarkDomain, {kBfpQuantizeDequantize, kMxQuantizeDequantize, kExtendedQuantizeLinear,
                                kExtendedDequantizeLinear, kExtendedInstanceNormalization, "ExtendedLSTM"});
  static Domain* const older =
      new Domain(kOlderQuarkDomain, {"BFPFixNeuron", "MXFixNeuron", kVitisQuantizeLinear, kVitisDequantizeLinear,
                                     "VitisInstanceNormalization", "VitisLSTM"});
  for (Domain* each : {ours, older}) Ort::UnownedSessionOptions(options).Add(each->domain);
}

OrtStatus* RegisterQuarkOps(OrtSessionOptions* options, const OrtApiBase* runtime) {
  if (OrtStatus* failure = TakeOverRuntime(runtime, "operator")) return failure;
  return AsOrtStatus([&] { AddQuarkOps(options); });
}

}  // namespace preon

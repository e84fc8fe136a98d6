// What a result must be to be written: outputs as those of the model that it was made of, shifts that an NPU can do.
// In what form users get it, and what programs need to load it.
#pragma once

#include <string>
#include <vector>

#include "base/context.h"
#include "base/status.h"
#include "base/tensor.h"
#include "data/data_source.h"
#include "eval/compare_models.h"
#include "ir/graph.h"
#include "quantize/params/position_table.h"
#include "quantize/plan/quant_plan.h"

namespace preon {

/// False for what NonZero or NonMaxSuppression lead to: an axis has no size, nor a name that an axis of an input has.
bool ShapeFollowsFromInputs(const Graph& graph, const std::string& output);

/// Whether no output of the result, which is to become the file `output`, has another shape than the float model's, and
/// NaN or infinity where that has none. Errors: kVerifyOutput naming the output.
Status CheckOutputs(const std::string& output, const Comparison& compared, const Graph& graph);

/// Whether a model with images as NHWC (`compared` with its NCHW form) gives the same. The same integers come out, but
/// for what the runtime fuses otherwise around a Transpose, which may move a value over a threshold: an output whose
/// shape depends on the data gets a warning where the shape differs. Errors: kVerifyOutput naming the output.
Status CheckNhwcForm(const Comparison& compared, const Graph& graph, std::vector<std::string>& warnings);

/// Whether all shifts of a model for an NPU, which is to become the file `output`, are inside their limits.
/// Errors: kVerifyRun naming the first that is not.
Status CheckShifts(const std::string& output, const QuantPlan& plan, const PositionTable& positions);

/// Of HardSigmoids whose inputs the NPU can't take at the scale that they need.
std::vector<std::string> WarningsOfPositions(const PositionTable& positions);

/// The form in which a result that was verified and measured gets to its users.
struct FinalForm {
  std::vector<NamedTensor> outputs;  ///< of the form so far
  bool value_info = false;           ///< the result says type and shape of every tensor
  std::vector<std::string>& warnings;
};

/// The result takes and gives images as NHWC.
/// @param of  these alone; empty: all
/// Errors: kVerifyLoad, kVerifyRun, kVerifyOutput.
Status GiveNhwc(Model& quantized, const std::set<std::string>& of, const Batch& batch, FinalForm& form,
                const RunContext& context);

/// The result of a float16 model computes in float16, with scales in float16 (qdq_passes/float16_scales.h); its outputs
/// may move by what float16 rounds, which a warning says where that is much.
/// Errors: as GiveNhwc, kNotYetSupported.
Status GiveFloat16(Model& quantized, const Batch& batch, FinalForm& form, const RunContext& context);

/// Names of the libraries of operators that a program has to register to load the model: those of
/// `context.custom_ops` without which the runtime can't load it, which takes one attempt each, and libpreon_ops.so.
/// Errors: kCancelled.
Result<std::vector<std::string>> NeededLibraries(const Model& model, const RunContext& context);

}  // namespace preon

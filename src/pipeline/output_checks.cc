#include "pipeline/output_checks.h"

#include <algorithm>
#include <filesystem>

#include "formats/quark_operators.h"
#include "ir/model_io.h"
#include "passes/stated_shapes.h"
#include "quantize/qdq_passes/float16_scales.h"
#include "quantize/qdq_passes/to_nhwc.h"
#include "quantize/read/stored_codes.h"
#include "runtime/custom_op_libraries.h"
#include "runtime/session.h"

namespace preon {
namespace {

constexpr double kSameAsNhwcDb = 40;
constexpr double kNearInFloat16Db = 20;

// What the new form gives; `what` it is, for messages.
Result<std::vector<NamedTensor>> Run(const Model& quantized, const std::vector<NamedTensor>& feeds,
                                     std::string_view what, const RunContext& context) {
  Result<Session> session = Session::OpenModel(quantized, {.threads = context.ThreadCount()}, context);
  if (!session.ok()) return Error(ErrorId::kVerifyLoad, what, ": ", session.status().message());
  Result<std::vector<NamedTensor>> got = session->Run(feeds, context);
  if (!got.ok()) return Error(ErrorId::kVerifyRun, what, ": ", got.status().message());
  return got;
}

bool HasStandardQuantizers(const Graph& graph) {
  return std::ranges::any_of(graph.nodes(), [](const auto& node) {
    return node->domain.empty() && (QuantizesTensor(*node) || DequantizesTensor(*node));
  });
}

}  // namespace

bool ShapeFollowsFromInputs(const Graph& graph, const std::string& output) {
  const ValueInfo* info = graph.Info(output);
  if (info == nullptr || !info->shape) return false;
  for (size_t axis = 0; axis < info->shape->size(); ++axis) {
    if ((*info->shape)[axis] != kDynamicDim) continue;
    const std::string name = axis < info->dim_names.size() ? info->dim_names[axis] : "";
    const bool of_input = std::ranges::any_of(graph.inputs(), [&](const std::string& input) {
      return std::ranges::find(graph.Info(input)->dim_names, name) != graph.Info(input)->dim_names.end();
    });
    if (name.empty() || !of_input) return false;
  }
  return true;
}

Status CheckOutputs(const std::string& output, const Comparison& compared, const Graph& graph) {
  for (const auto& [name, values] : compared.outputs) {
    if (values.shape_differs > 0 && ShapeFollowsFromInputs(graph, name)) {
      return Error(ErrorId::kVerifyOutput, output, ": not written: the shape of output '", name,
                   "' differs from the float model's in ", values.shape_differs, " runs");
    }
    if (values.not_finite == 0) continue;
    return Error(ErrorId::kVerifyOutput, output, ": not written: output '", name,
                 "' holds NaN or infinity where the float model has none");
  }
  return Status::Ok();
}

Status CheckNhwcForm(const Comparison& compared, const Graph& graph, std::vector<std::string>& warnings) {
  for (const auto& [name, output] : compared.outputs) {
    if (output.shape_differs > 0 && !ShapeFollowsFromInputs(graph, name)) {
      warnings.push_back(
          StrCat("--nhwc: the shape of output '", name,
                 "' depends on the data and differs from that of the NCHW form; its values are not checked"));
      continue;
    }
    if (output.shape_differs == 0 && output.not_finite == 0 && (output.sqnr_db >= kSameAsNhwcDb || output.max_abs == 0))
      continue;
    return Error(ErrorId::kVerifyOutput, "output '", name,
                 "' differs: ", output.shape_differs > 0 ? "another shape" : StrCat("SQNR ", output.sqnr_db, " dB"));
  }
  return Status::Ok();
}

Status GiveNhwc(Model& quantized, const std::set<std::string>& of, const Batch& batch, FinalForm& form,
                const RunContext& context) {
  const NhwcBorder border = ToNhwc(quantized.graph, of);
  form.warnings.insert(form.warnings.end(), border.warnings.begin(), border.warnings.end());
  if (border.inputs.empty() && border.outputs.empty()) return Status::Ok();
  PREON_RETURN_IF_ERROR(quantized.graph.SortTopologically());
  SettleShapes(quantized, form.value_info);
  constexpr std::string_view kWhat = "the NHWC form of the result failed";
  PREON_ASSIGN_OR_RETURN(const std::vector<NamedTensor> got,
                         Run(quantized, TransposedToNhwc(batch.feeds, border.inputs), kWhat, context));
  Comparer comparer;
  PREON_RETURN_IF_ERROR(comparer.Add(TransposedToNhwc(form.outputs, border.outputs), got, batch.samples, {}));
  const Status same = CheckNhwcForm(comparer.Finish(), quantized.graph, form.warnings);
  return same.ok() ? same : Error(ErrorId::kVerifyOutput, kWhat, ": ", same.message());
}

Status GiveFloat16(Model& quantized, const Batch& batch, FinalForm& form, const RunContext& context) {
  constexpr std::string_view kWhat = "UseFP32Scale=false: the result in float16 failed";
  if (quantized.opset() < kOpsetOfFloat16Scales && HasStandardQuantizers(quantized.graph))
    return Error(ErrorId::kVerifyLoad, kWhat, ": scales in float16 need opset ", kOpsetOfFloat16Scales, ", got ",
                 quantized.opset())
        .WithHint("--opset 19, or the key ConvertOpsetVersion, raises it");
  Result<int64_t> wide_scales = ComputeInFloat16(quantized);
  if (!wide_scales.ok()) return std::move(wide_scales).status().WithContext(kWhat);
  if (*wide_scales > 0)
    form.warnings.push_back(StrCat("UseFP32Scale=false: ", *wide_scales,
                                   " scales are too small or too large for float16 and stay float32, between Casts"));
  InferShapes(quantized);  // types are others now
  SettleShapes(quantized, form.value_info);
  PREON_ASSIGN_OR_RETURN(std::vector<NamedTensor> got, Run(quantized, batch.feeds, kWhat, context));
  Comparer comparer;
  PREON_RETURN_IF_ERROR(comparer.Add(form.outputs, got, batch.samples, {}));
  for (const auto& [name, output] : comparer.Finish().outputs) {
    if (output.not_finite > 0)
      return Error(ErrorId::kVerifyOutput, kWhat, ": output '", name, "' holds NaN or infinity");
    if (output.sqnr_db < kNearInFloat16Db && output.max_abs > 0)
      form.warnings.push_back(StrCat("UseFP32Scale=false: output '", name,
                                     "' differs from the form in float32, at an SQNR of ",
                                     FigureText(output.sqnr_db, "%.1f"), " dB"));
  }
  form.outputs = std::move(got);
  return Status::Ok();
}

Status CheckShifts(const std::string& output, const QuantPlan& plan, const PositionTable& positions) {
  const bool kept = plan.positions && plan.positions->moves && plan.compat == Compat::kOff;
  if (!kept || positions.violations.empty()) return Status::Ok();
  return Error(ErrorId::kVerifyRun, output, ": not written: outside the limits of the NPU (",
               positions.violations.size(), " shifts): ", positions.violations.front())
      .WithHint("--exclude leaves a node in float; --always-write writes the model, which does not run on the NPU");
}

std::vector<std::string> WarningsOfPositions(const PositionTable& positions) {
  std::vector<std::string> warnings;
  std::string first;
  int64_t outside = 0;
  for (const PositionRow& row : positions.rows) {
    for (const NpuShift& shift : row.after.shifts) {
      if (shift.inside()) continue;
      if (++outside == 1) first = StrCat(row.op, " '", row.node, "': ", shift.name, " ", shift.value);
    }
  }
  if (outside > 0 && positions.violations.empty())  // those are told elsewhere
    warnings.push_back(StrCat("shifts outside the limits of the NPU: ", outside, " (first: ", first,
                              "); this model does not run there. The keys NPULimitationCheck and AdjustShift... keep "
                              "shifts inside"));
  for (const PositionRow& row : positions.rows) {
    const auto limited = std::ranges::find(row.after.shifts, kHardSigmoidInput, &NpuShift::name);
    if (limited == row.after.shifts.end() || !row.before.inputs[0] || row.before.inputs == row.after.inputs) continue;
    const std::string at_bound = StrCat(row.op, " '", row.node, "': the NPU takes no scale ");
    if (*row.before.inputs[0] < limited->lowest)
      warnings.push_back(StrCat(at_bound, "above 1 for its input: values beyond -128 to 127 saturate"));
    if (*row.before.inputs[0] > limited->highest)
      warnings.push_back(
          StrCat(at_bound, "below 2^-", limited->highest, " for its input: values that are smaller become 0"));
  }
  return warnings;
}

Result<std::vector<std::string>> NeededLibraries(const Model& model, const RunContext& context) {
  std::vector<std::string> needed;
  const size_t of_user = context.custom_ops == nullptr ? 0 : context.custom_ops->libraries().size();
  for (size_t index = 0; index < of_user; ++index) {
    RunContext without = context;
    without.custom_ops = context.custom_ops->Without(index);
    const Status opened = Session::OpenModel(model, {.optimization = Optimization::kOff}, without).status();
    if (!opened.ok() && opened.id() == ErrorId::kCancelled) return opened;
    if (!opened.ok()) needed.push_back(std::filesystem::path(context.custom_ops->libraries()[index].path).filename());
  }
  if (model.opsets.contains(kQuarkDomain)) needed.emplace_back("libpreon_ops.so");
  return needed;
}

}  // namespace preon

#include "pipeline/output_checks.h"

#include <algorithm>
#include <filesystem>

#include "formats/quark_operators.h"
#include "runtime/custom_op_libraries.h"
#include "runtime/session.h"

namespace preon {
namespace {

constexpr double kSameAsNhwcDb = 40;

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

Status CheckShifts(const std::string& output, const QuantPlan& plan, const PositionTable& positions) {
  const bool kept = plan.positions && plan.positions->moves && plan.compat == Compat::kOff;
  if (!kept || positions.violations.empty()) return Status::Ok();
  return Error(ErrorId::kVerifyRun, output, ": not written: outside the limits of the NPU (",
               positions.violations.size(), " shifts): ", positions.violations.front())
      .WithHint("--exclude leaves a node in float; --always-write writes the model, which does not run on the NPU");
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

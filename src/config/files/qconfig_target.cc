#include "config/files/qconfig_target.h"

#include <map>
#include <string>
#include <vector>

#include "base/text.h"
#include "config/builtins.h"

namespace preon {
namespace {

// Why settings of single layers or tensors need Quark's extended format; "" where the NPU computes them as well.
std::string WhyExtended(const AlgorithmOptions& algorithms, const PlanOptions& plan) {
  if (!algorithms.precision.empty() || !algorithms.precision_keys.empty()) return "mixed precision makes";
  if (!plan.settings.any()) return "";
  if (plan.compat == Compat::kQuark) return "settings of single layers or tensors make";
  const Builtins builtins = MakeBuiltins();
  const bool takes = (*builtins.targets.Find("npu-cnn"))->Takes(plan);
  return takes ? "" : "settings of single layers or tensors that NPUs do not compute make";
}

std::string TargetOf(const AlgorithmOptions& algorithms, const std::map<std::string, std::string>& keys,
                     PlanOptions& plan, std::vector<std::string>& warnings) {
  const auto flag = keys.find("EnableNPUCnn");
  const bool is_set = flag != keys.end();
  const bool asked = is_set && flag->second == "true";
  const auto without = [&](std::string_view why) {
    if (asked) warnings.push_back(StrCat("EnableNPUCnn: has no effect ", why));
    return "quark";
  };
  if (plan.op_list.format || !IsByte(plan.activation)) return without("in Quark's extended format");
  if (plan.scale_type == ScaleType::kFloat32)
    return without("with float32 scales; wanted scale_type PowerOf2, or a PowerOfTwoMethod");
  if (asked && plan.scale_type == ScaleType::kInt16) {
    warnings.emplace_back("scale_type Int16: has no effect with EnableNPUCnn: scales are powers of two");
    plan.scale_type = ScaleType::kPowerOfTwo;
    if (plan.weight_scale_type == ScaleType::kInt16) plan.weight_scale_type.reset();
  }
  const bool powers = plan.scale_type == ScaleType::kPowerOfTwo && plan.scale_type_of_weights() == plan.scale_type;
  if (is_set ? !asked : !powers) return "quark";
  const std::string why = WhyExtended(algorithms, plan);
  if (why.empty()) return "npu-cnn";
  warnings.push_back(StrCat(why,
                            " this Quark's extended format: the limits of an NPU's shifts are not kept, and operators "
                            "stay as they are; without these settings the target is npu-cnn"));
  return "quark";
}

}  // namespace

void SettleTargetOfQConfig(Options& options) {
  if (!options.types.by_qconfig || options.target) return;
  options.target = TargetOf(options.algorithms, options.given.keys, options.plan, options.given.warnings);
  if (options.target == "npu-cnn") options.given.origins.key_of.try_emplace("target", "scale_type PowerOf2");
}

}  // namespace preon

#include "api/options.h"

#include <filesystem>

#include "report/report_file.h"

namespace preon {

Result<Choices> Resolve(const Options& options, const Builtins& builtins) {
  Choices choices;
  const Result<const RangeMethod*> method = builtins.methods.Find(options.method);
  if (!method.ok()) return Status(method.status()).WithContext("--method");
  Result<std::unique_ptr<RangeMethod>> configured = (*method)->WithOptions(options.method_options);
  if (!configured.ok()) return std::move(configured).status().WithContext("--method-option");
  choices.method = std::move(configured).value();
  const Result<const Target*> target = builtins.targets.Find(options.target);
  if (!target.ok()) return Status(target.status()).WithContext("--target");
  choices.target = *target;
  for (const std::string& name : options.disabled_passes) {
    const Result<const Pass*> pass = builtins.passes.Find(name);
    if (!pass.ok()) return Status(pass.status()).WithContext("--disable-pass");
  }
  if (!options.report.empty()) {
    const Result<ReportFormat> format = ReportFormatOf(options.report);
    if (!format.ok()) return Status(format.status()).WithContext("--report");
  }
  if (!options.tmp_dir.empty() && !std::filesystem::is_directory(options.tmp_dir)) {
    return Error(ErrorId::kBadOptionValue, "--tmp-dir: got '", options.tmp_dir, "', wanted a folder that exists");
  }
  for (const auto& [tensor, setting] : options.plan.overrides) {
    if (setting.range && setting.params) {
      return Error(ErrorId::kConflictingOptions, "overrides: ", tensor,
                   ": got rmin, rmax and scale, wanted one of both");
    }
  }
  return choices;
}

}  // namespace preon

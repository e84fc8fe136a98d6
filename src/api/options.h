// Options: everything a run can be told, by command line, configuration file or library; filled through option_table.h.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "api/builtins.h"
#include "base/status.h"
#include "calib/data_source.h"
#include "quantize/plan.h"
#include "ranges/range_method.h"
#include "stats/tensor_sketch.h"

namespace preon {

/// Defaults are those of the command line; each field's meaning, unit and cost stands in the option table.
struct Options {
  std::string output;
  std::string config_file;  ///< where some of these came from; only so that it is never written to
  DataOptions data;
  std::string calib;
  std::string calib_out;
  int64_t every = 1000;
  int64_t one_in = 1;
  std::string method = "auto";
  MethodOptions method_options;
  std::string target = "ort-cpu";
  PlanOptions plan;
  SketchMode sketch_mode = SketchMode::kSampled;
  bool optimize_observed = true;
  bool bias_correction = true;
  bool channel_scales = true;
  std::set<std::string> disabled_passes;
  bool resume = false;
  std::optional<int64_t> checkpoint_seconds;
  std::string report;
  std::string production;
  std::string html;
  std::string save_folder;
  int64_t repeat = 1;
  int threads = 0;
  std::string tmp_dir;

  bool has_data() const { return !data.sources.empty() || !data.inputs.empty(); }
  /// Some of the samples are noise.
  bool has_random_data() const;
};

/// What names in the options stand for.
struct Choices {
  std::unique_ptr<RangeMethod> method;  ///< with its options applied
  const Target* target = nullptr;
};

/// Checks what can be checked before a file is opened, and looks names up.
/// Errors: kUnknownOption with the nearest name, kBadOptionValue, kConflictingOptions, kNotYetSupported.
Result<Choices> Resolve(const Options& options, const Builtins& builtins);

}  // namespace preon

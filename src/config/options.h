// Options: everything a run can be told, by command line, configuration file or library; filled through option_table.h.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analyze/sample_groups.h"
#include "base/status.h"
#include "config/builtins.h"
#include "data/data_options.h"
#include "data/data_source.h"
#include "data/run_plan.h"
#include "formats/block_attributes.h"
#include "quantize/plan/plan_options.h"
#include "quantize/plan/target.h"
#include "ranges/range_method.h"
#include "stats/tensor_sketch.h"

namespace preon {

/// What one process of a calibration by several does (pipeline/workers.h).
struct WorkerTask {
  int64_t part = 0, parts = 1;
  std::string seen;      ///< a .calib whose samples are left out; "" = none
  bool careful = false;  ///< rewrites change the outputs: prepare with care
};

/// How integer operators are written.
enum class QuantFormat : uint8_t { kQdq, kQOperator };

/// What becomes of a model's float16 tensors.
enum class Float16 {
  kKeepIo,   ///< they compute in float32; inputs and outputs of the model stay float16
  kConvert,  ///< inputs and outputs become float32 too
  kOff,      ///< they stay as they are, and float
};

/// An option as it was set, but for what a configuration file set.
struct Setting {
  std::string name, value;
  bool by_another = false;  ///< a setting in front of it stood for it
};

/// Types of tensors by the reference's older names.
struct MixedPrecision {
  bool enabled = false;
  std::string tensors;  ///< JSON: {"TYPE": ["TENSOR", ...], ...}
};

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
  bool all_methods = false;  ///< instead of `method`
  MethodOptions method_options;
  MethodOptions method_keys;  ///< the same by the reference's keys: without effect on other methods
  MixedPrecision mixed_precision;
  std::vector<std::string> op_list_settings;  ///< keys that changed plan.op_list
  std::map<std::string, std::string> keys;    ///< of the reference that were set; flags as true or false
  std::map<std::string, std::string> key_of;  ///< options that a key stood for
  std::set<std::string> hints;  ///< keys and options that a QConfig set: without effect they are warnings, else errors
  std::optional<QuantFormat> format;  ///< default: kQdq
  std::optional<std::string> target;  ///< default: the first that takes the types
  PlanOptions plan;
  BlockAttributes bfp_attributes, mx_attributes;  ///< over those of the types, by the reference's operator
  std::optional<TensorType> weight;               ///< default: the target's, or that of floating and block activations
  SketchMode sketch_mode = SketchMode::kSampled;
  bool optimize_observed = true;
  bool bias_correction = true;
  bool channel_scales = true;
  std::set<std::string> disabled_passes;
  std::set<std::string> enabled_passes;   ///< on top of those that the target wants
  std::vector<std::string> passes;        ///< of the verb passes
  std::string pass_list;                  ///< file with more of these
  std::vector<std::string> copied_types;  ///< PassEnv::copied_types
  std::optional<Float16> float16;         ///< default: kKeepIo where there are any
  bool float16_scales = false;            ///< UseFP32Scale=false
  int64_t calib_samples = -1;             ///< of these only the first so many are calibrated with; -1 = all
  int64_t workers = 1;
  std::optional<WorkerTask> worker;
  MemoryUse memory = MemoryUse::kBalanced;
  std::string program;  ///< the preon binary, for worker processes; "" = to be looked for
  std::string save_histograms;
  std::string save_and_restore;
  bool resume = false;
  std::optional<int64_t> checkpoint_seconds;
  std::string report;
  std::map<std::string, Shape> fixed_shapes;            ///< of the model's inputs and outputs
  std::optional<std::vector<std::string>> copy_shared;  ///< CopySharedInit: operator types; empty = all
  bool nhwc = false;                                    ///< the result takes and gives images as NHWC
  bool external_data = false;                           ///< weights of the result in a file beside it
  bool value_info = false;                              ///< the result says type and shape of every tensor
  int64_t opset = 0;                                    ///< the least that the result has; 0 = what it needs
  bool per_sample = false;
  std::string production;
  std::optional<GroupBy> group_by;
  std::optional<double> tolerance;  ///< share of a range
  std::string cover;
  std::string html;
  std::string save_folder;
  int64_t repeat = 1;
  int threads = 0;
  bool describe_options = false;
  std::string tmp_dir;
  std::vector<std::string> warnings;  ///< of settings without effect
  std::vector<Setting> settings;      ///< in order; for worker processes

  bool has_sources() const { return !data.sources.empty() || !data.inputs.empty(); }
  bool has_data() const { return has_sources() || data.random_samples > 0; }
  /// Some of the samples are noise.
  bool has_random_data() const;
};

/// What names in the options stand for.
struct Choices {
  std::unique_ptr<RangeMethod> method;                    ///< with its options applied
  std::vector<std::unique_ptr<RangeMethod>> all_methods;  ///< where they were asked for
  const Target* target = nullptr;
  PlanOptions plan;                                       ///< the options', and what --compat makes of defaults
  std::set<std::string> disabled_passes, enabled_passes;  ///< by their names in the registries
  std::vector<std::string> warnings;                      ///< of settings without effect
};

/// What ranges are for, where no plan says more. Errors: kConflictingOptions for block formats, which have none.
Result<IntFormat> RangeFormat(const PlanOptions& plan);

/// The method of a tensor that has one of its own, with the keys in the options that it has. Errors: kUnknownOption,
/// those of the keys.
Result<std::unique_ptr<RangeMethod>> MethodOfItsOwn(const Options& options, const std::string& name,
                                                    const Builtins& builtins);

/// Checks what can be checked before a file is opened, and looks names up.
/// Errors: kUnknownOption with the nearest name, kBadOptionValue, kConflictingOptions, kNotYetSupported.
Result<Choices> Resolve(const Options& options, const Builtins& builtins);

}  // namespace preon

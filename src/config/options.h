// Options: everything a run can be told, by command line, configuration file or library, in one part for each stage;
// filled through option_table.h. Defaults are those of the command line; meaning, unit and cost of each field stand in
// the option table.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analyze/sample_groups.h"
#include "base/context.h"
#include "base/shape.h"
#include "config/precision_options.h"
#include "data/data_options.h"
#include "data/run_plan.h"
#include "decide/requirement.h"
#include "formats/block_attributes.h"
#include "formats/tensor_type.h"
#include "passes/convert_float16_parts.h"
#include "passes/pass.h"
#include "quantize/plan/plan_options.h"
#include "ranges/range_method.h"
#include "stats/tensor_sketch.h"

namespace preon {

/// How integer operators are written.
enum class QuantFormat : uint8_t { kQdq, kQOperator };

/// What becomes of a model's float16 tensors.
enum class Float16 {
  kKeepIo,   ///< they compute in float32; inputs and outputs of the model stay float16
  kConvert,  ///< inputs and outputs become float32 too
  kOff,      ///< they stay as they are, and float
};

/// Rewrites by name.
struct PassSelection {
  std::set<std::string> disabled;
  std::set<std::string> enabled;  ///< on top of those that the target wants
};

/// Changes of the float model before anything is quantized.
struct PrepareOptions {
  PassSelection passes;
  std::optional<Float16> float16;                       ///< default: kKeepIo where there are any
  std::vector<Float16Part> float16_parts;               ///< compute in float32 where the rest stays as it is
  std::optional<bool> float32_scales;                   ///< UseFP32Scale
  std::map<std::string, Shape> fixed_shapes;            ///< of the model's inputs and outputs
  std::optional<std::vector<std::string>> copy_shared;  ///< CopySharedInit: operator types; empty = all
  std::vector<std::string> copy_bias;                   ///< CopyBiasInit: the same; only checked, for all have copies
  std::set<std::string> nhwc_of;                        ///< of WriteOptions::nhwc: these alone; empty: all
  std::vector<AttributeUpdate> attributes;              ///< of set_attributes
  int64_t opset = 0;                                    ///< the least that the result has; 0 = what it needs
};

/// What the pass over the data observes.
struct ObserveOptions {
  SketchMode mode = SketchMode::kSampled;
  bool optimize = true;
  bool per_sample = false;
};

/// What one process of a calibration by several does (pipeline/workers.h).
struct WorkerTask {
  int64_t part = 0, parts = 1;
  std::string seen;               ///< a .calib whose samples are left out; "" = none
  bool verify_each_pass = false;  ///< rewrites change the outputs: prepare as the parent did
};

struct WorkerOptions {
  int64_t count = 1;
  std::optional<WorkerTask> task;  ///< of a worker process
  std::string program;             ///< the preon binary, for worker processes; "" = to be looked for
};

struct CheckpointOptions {
  bool resume = false;
  std::optional<int64_t> seconds;
};

struct CalibrationOptions {
  int64_t samples = -1;  ///< of the data only the first so many are calibrated with; -1 = all
  ObserveOptions observe;
  WorkerOptions workers;
  CheckpointOptions checkpoint;
  bool all_tensors = false;  ///< of ranges: also those that the target does not quantize
};

/// How much is tried.
enum class Effort {
  kFast,     ///< one method
  kDefault,  ///< `auto` tries several; codes that make up for each other, where that costs less than calibration
  kHigh,     ///< such codes at any cost (Algorithm::in_effort)
};

/// How ranges follow from statistics.
struct RangeOptions {
  std::string method = "auto";
  Effort effort = Effort::kDefault;
  bool all_methods = false;  ///< instead of `method`
  MethodOptions method_options;
  MethodOptions method_keys;  ///< the same by Quark's keys: without effect on other methods
};

/// Types of tensors by Quark's older names.
struct MixedPrecision {
  bool enabled = false;
  std::string tensors;  ///< JSON: {"TYPE": ["TENSOR", ...], ...}
};

/// Types that Resolve puts into the plan, once the target is known.
struct TypeOptions {
  std::optional<TensorType> weight;               ///< default: the target's, or that of floating and block activations
  BlockAttributes bfp_attributes, mx_attributes;  ///< over those of the types, by Quark's operator
  bool by_qconfig = false;                        ///< the types are those of a QConfig
  MixedPrecision mixed_precision;
};

/// What the user has set himself goes over what saved statistics were planned for.
struct GivenTypes {
  bool activation = false, scale_type = false;
  bool channels = false;  ///< one scale per channel, by a QConfig
};

/// An algorithm that was asked for.
struct AskedAlgorithm {
  bool by_config = false;                                  ///< by a QConfig: without effect a warning, else an error
  bool by_default = false;                                 ///< by nobody: without effect nothing is said
  std::map<std::string, std::string, std::less<>> values;  ///< of its options, checked
};

struct AlgorithmOptions {
  std::set<std::string> disabled;               ///< registry names
  std::map<std::string, AskedAlgorithm> asked;  ///< by registry name
  std::map<std::string, std::string> keys;      ///< options by Quark's keys, over `asked`
  std::string precision, precision_keys;  ///< of auto_mixprecision: JSON objects, the second over the first; "" = none
};

/// How the result is written.
struct WriteOptions {
  std::optional<QuantFormat> format;  ///< default: kQdq
  bool nhwc = false;                  ///< the result takes and gives images as NHWC
  bool external_data = false;         ///< weights of the result in a file beside it
  bool value_info = false;            ///< the result says type and shape of every tensor
  bool always = false;                ///< also a result that is larger or slower than the float model
};

struct InstrumentOptions {
  std::string calib_out;
  int64_t every = 1000;
  int64_t one_in = 1;
};

struct AnalysisOptions {
  std::string production;
  std::optional<GroupBy> group_by;
  std::optional<double> tolerance;  ///< share of a range
};

/// Files and folders that a run writes.
struct OutputOptions {
  std::string file;  ///< the result
  std::string report, html;
  std::string cover;       ///< list of samples
  std::string histograms;  ///< folder of pictures
  std::string ranges;      ///< --save-and-restore; where it exists, it is read in place of a calibration
};

/// Of the verb passes.
struct PassesOptions {
  std::vector<std::string> names;
  std::string list;  ///< more of these: a file of names, or a list of AMD Quark's (listed_passes.h)
  std::vector<std::string> copied_types;  ///< PassEnv::copied_types
};

struct RunOptions {
  std::string save_folder;
  int64_t repeat = 1;
};

/// Of the verb search; names are looked up there.
struct SearchOptions {
  std::string space;  ///< a file, or its text as JSON
  std::string sampler, goal, study;
  std::optional<double> seconds;
  std::optional<int64_t> trials;
};

struct ResourceOptions {
  int threads = 0;
  Provider provider;                          ///< of calibration, run and compare
  bool prefers_provider = false;              ///< it is a wish: the CPU where it is not there, with a warning
  std::vector<std::string> absent_providers;  ///< wishes, of ONNX Runtime's names, that can't be met
  MemoryUse memory = MemoryUse::kBalanced;
  std::string tmp_dir;
  std::vector<std::string> custom_op_libraries;
};

/// An option as it was set, but for what a configuration file set.
struct Setting {
  std::string name, value;
  bool by_another = false;  ///< a setting in front of it stood for it
};

/// Who set what: how messages name a setting.
struct SettingOrigins {
  std::map<std::string, std::string> key_of;  ///< options that a key stood for
  /// Without effect these are warnings, others errors: keys and options that a QConfig set, and flags of Quark's that
  /// were switched off.
  std::set<std::string> hints;
};

/// How the options came to be what they are: for messages and for worker processes.
struct GivenSettings {
  std::string config_file;                  ///< only so that it is never written to
  std::vector<Setting> settings;            ///< in order
  std::map<std::string, std::string> keys;  ///< of Quark that were set; flags as true or false
  SettingOrigins origins;
  std::vector<std::string> op_list_settings;  ///< keys that changed plan.op_list
  std::vector<std::string> warnings;          ///< of settings without effect
  /// Files of what the calling program has in memory, each with what users know it as.
  std::vector<std::pair<std::string, std::string>> shown_as;
};

/// What stays secret (docs/design/encrypted-models.md).
struct CryptoOptions {
  bool mode = false;     ///< CryptoMode
  std::string key_file;  ///< of encrypted models; "": the environment has the key
};

/// How large the file may be.
struct SizeOptions {
  std::optional<Requirement> limit;
  bool mixes = false;  ///< weights of 8 bits alone took more: the run after that
};

struct Options {
  SizeOptions size;
  std::optional<double> budget;           ///< share of the latency that nodes in float for accuracy may cost, 0…1
  std::optional<double> latency_seconds;  ///< of one measurement; 0 = none, default: the verb's
  std::vector<Requirement> requirements;  ///< of the result; all hold, or it is not written
  std::optional<std::string> target;      ///< default: the first that takes the types
  DataOptions data;
  std::string calib;        ///< statistics of an earlier run in place of a calibration
  std::string encodings;    ///< file of scales and zero points in place of a calibration
  std::string float_model;  ///< of export-qat
  PrepareOptions prepare;
  CalibrationOptions calibration;
  RangeOptions ranges;
  TypeOptions types;
  GivenTypes given_types;
  std::string block_parameters;  ///< MatMulNBitsParams, until a target has such blocks (SettleBlockParameters)
  PlanOptions plan;
  AlgorithmOptions algorithms;
  OwnDistance precision_distance;  ///< of auto_mixprecision: the calling program's; empty: none
  WriteOptions write;
  CryptoOptions crypto;
  OutputOptions outputs;
  InstrumentOptions instrument;
  AnalysisOptions analysis;
  PassesOptions passes;
  RunOptions run;
  SearchOptions search;
  ResourceOptions resources;
  int64_t confirm = 3;                 ///< of sensitivity: so many layers are run in float
  std::vector<std::string> eval_data;  ///< samples to judge by
  std::string metric, reference;       ///< of these: name or script; what the first output should be
  bool fix = false;                    ///< of lint: also write the model fixed
  bool describe_options = false;
  bool debug = false;  ///< DebugMode: the log of this run gets LogLevel::kDebug, too
  GivenSettings given;
};

}  // namespace preon

// What each verb answers: plain data, filled by api/, rendered by json.h and text.h.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analyze/analysis.h"
#include "base/data_type.h"
#include "decide/alarm.h"
#include "decide/requirement.h"
#include "eval/compare_models.h"
#include "eval/latency.h"
#include "lint/lint.h"
#include "quantize/params/position_table.h"
#include "report/results/precision_result.h"
#include "report/results/size_fit.h"

namespace preon {

/// What every answer carries.
struct RunFacts {
  std::string verb;
  std::string version;
  std::vector<std::pair<std::string, double>> seconds;  ///< by stage, in order
  double total_seconds = 0;
  int64_t peak_rss_bytes = 0;  ///< of this process and its workers together
};

/// A node that computes in integers, or moves integers, in the runtime.
struct IntegerNode {
  std::string node, op, kernel;
  double macs_share = 0;  ///< share of the model's multiply-accumulates, 0…1
};

/// A node that computes in float in the runtime, and why.
struct FloatNode {
  std::string node, op;
  std::string reason;  ///< out of a closed list: FloatReasonName
  std::string detail;  ///< one clause for humans; may be empty
  double macs_share = 0;
  std::string weights = "", weights_why = "";  ///< how its constant weights are stored, FloatStorageName; "" = none
};

struct Placement {
  std::string runs_on = "";  ///< QuantPlan::runs_on: integer nodes are as planned
  std::vector<IntegerNode> integer;
  std::vector<FloatNode> float_nodes;
  /// Nodes with multiply-accumulates (Conv, ConvTranspose, MatMul, Gemm, LSTM, …).
  int64_t integer_anchors = 0, float_anchors = 0;
  int64_t recurrent = 0;  ///< of these LSTM, GRU and RNN
  double integer_macs_share = 0;
};

/// A target that gains nothing, in whose place another one made the result.
struct PassedOver {
  std::string target;
  std::string reason;  ///< one clause
};

/// One of several range methods, tried as a quantized model on some of the samples.
struct MethodCandidate {
  std::string method, options;  ///< "Statistic=mean"; may be empty
  double sqnr_db = 0;           ///< against float, over all outputs
  bool selected = false;
  bool ended_early = false;  ///< it was clearly worse on the first samples: sqnr_db is as far below the best as there
  std::optional<double> activations_db;  ///< with the weights in float, on a few samples; if looked at
};

/// What an algorithm has done to the codes of the written model.
struct ImprovedCodes {
  std::string algorithm;
  std::string why_not;              ///< "", or one clause: the codes are as they were
  int64_t runs = 0;                 ///< of samples: codes are fitted to most of them, the others judge
  int64_t runs_of_last_layers = 0;  ///< to which these were fitted once more; 0: they were not
  double last_layers_gain_db = 0;   ///< by that, on those of these runs that judge
  double seconds = 0;
  int64_t layers_changed = 0, layers_kept = 0;  ///< kept: new codes did not bring the model's outputs nearer
  double before_db = 0, after_db = 0;           ///< SQNR of the outputs on the samples that judge
};

/// An operator of the DPU, measured on one batch: SQNR against float over the worst output.
struct DpuCost {
  std::string pass;
  double with_db = 0, without_db = 0;  ///< with nearest codes; with this pass off, too
};

/// Nodes that were tried in float because that might bring the model nearer to float.
struct FallbackTrial {
  std::vector<std::string> nodes;  ///< Conv, MatMul and Gemm
  double sqnr_db = 0;              ///< with these and all kept before in float
  double cost = 0;                 ///< estimated share of the quantized model's time
  bool kept = false;
  bool slow = false;  ///< accurate enough, but measured: costs far more time than estimated
};

/// What fall-back for accuracy tried, in order, and what came of it.
struct AccuracyFallback {
  double before_db = 0, after_db = 0;  ///< on the samples of the trials
  std::string why_none;                ///< nothing was searched; "": it was, or there was no need
  double cost = 0;                     ///< estimated share of the quantized model's time, of all that is kept
  std::vector<FallbackTrial> trials;
};

/// Where the samples come from that the figures of a result were measured on.
enum class FigureOrigin {
  kEvalData,           ///< of --eval-data, which no source of the calibration holds
  kHeldOut,            ///< nothing was calibrated, chosen or fitted by them
  kRangesHaveSeen,     ///< nothing was chosen or fitted by them, but the ranges are those of all samples
  kRangesMayHaveSeen,  ///< the same, with statistics from a file
  kCrossValidation,    ///< by models whose ranges were made without them; choices have seen all
  kCalibration,        ///< the model was calibrated with them
  kMadeUp,
  kNothing,  ///< nothing was compared: large weights, and no samples
};

struct FigureSamples {
  FigureOrigin origin = FigureOrigin::kCalibration;
  bool too_few = false;  ///< to keep some of them from calibration
};

struct QuantizeResult {
  RunFacts facts;
  std::string model, output;
  int64_t float_size_bytes = 0, quantized_size_bytes = 0;
  int64_t samples = 0;
  int64_t observed_tensors = 0, shared_tensors = 0;
  std::map<std::string, std::string>
      inherited;              ///< tensor -> tensor whose range it takes for --passthrough; "" = a constant's
  std::string restored_from;  ///< file of --save-and-restore that was read; may be ""
  int64_t restored_tensors = 0;
  std::string histograms;  ///< folder of the pictures; may be ""
  std::string method, activation, weight, target;
  std::vector<PassedOver> passed_over;
  int64_t block_size = 0;          ///< weights that share a scale; 0 = all of a channel or tensor
  bool weights_alone = false;      ///< the target quantizes nothing else
  std::string rewritten_by;        ///< algorithms that have rewritten the float model, with ';' between them
  bool computes_in_float = false;  ///< between quantizers, as a target may mean it
  std::vector<std::string> needs;  ///< libraries of operators that a program has to register
  std::string scale_type, weight_scale_type, weight_method;
  std::string compat;                       ///< CompatName
  std::vector<std::string> without;         ///< algorithms that had no part in it
  std::vector<MethodCandidate> candidates;  ///< of method auto
  AccuracyFallback fallback;
  std::optional<PrecisionResult> precision;  ///< of auto_mixprecision
  std::optional<SizeFit> size_fit;           ///< of --size, where 8-bit weights alone take more
  bool random_data = false;
  std::optional<Placement> placement;   ///< absent when the runtime can't write the graph it optimized
  std::vector<ImprovedCodes> improved;  ///< in the order in which the algorithms acted
  PositionTable positions;              ///< of target npu-cnn
  std::vector<DpuCost> dpu_costs;       ///< of operators that compute as the DPU does
  FigureSamples figures;                ///< what `compare` was measured on
  Comparison compare;
  LatencyPair latency;
  std::vector<RequirementOutcome> requirements;
  std::vector<Alarm> alarms;
  StoredWeights stored;
  std::vector<std::string> warnings;
};

struct CalibrateResult {
  RunFacts facts;
  std::string output;
  int64_t samples = 0;
  int64_t observed_tensors = 0, shared_tensors = 0;
  double seconds_per_sample = 0;
  std::vector<std::string> warnings;
};

struct InstrumentResult {
  RunFacts facts;
  std::string output;
  int64_t float_size_bytes = 0, instrumented_size_bytes = 0;
  int64_t observed_tensors = 0, shared_tensors = 0;
  std::string calib_out;  ///< what PREON_CALIB_OUT should be where the model is served; "": a folder of the server's
  int64_t every = 0;      ///< runs
  std::vector<std::string> warnings;
};

struct MergeResult {
  RunFacts facts;
  std::string output;
  int64_t parts = 0, samples = 0, observed_tensors = 0;
  std::vector<std::string> warnings;
};

struct PassesResult {
  RunFacts facts;
  std::string output;
  std::vector<std::pair<std::string, bool>> passes;  ///< in the order in which they ran; true: it changed the model
  int64_t nodes_before = 0, nodes_after = 0;
  std::vector<std::string> warnings;
};

struct TensorRange {
  float min = 0, max = 0, scale = 1;
  int64_t zero_point = 0;
};

struct RangesResult {
  RunFacts facts;
  std::string activation, scale_type, compat;
  struct OfMethod {
    std::string method;
    std::map<std::string, TensorRange> tensors;
  };
  std::vector<OfMethod> methods;  ///< at least one
  bool all_methods = false;       ///< were asked for
  std::vector<std::string> warnings;
};

struct AnalyzeResult {
  RunFacts facts;
  std::string calib, production;  ///< paths; no production: ""
  std::string html;               ///< the page written; may be ""
  std::string cover;              ///< the list of samples written; may be ""
  int64_t samples = 0, production_samples = 0;
  std::string method, activation;  ///< of the ranges that clip
  Analysis analysis;
};

struct TensorSummary {
  std::string name;
  std::string type;  ///< "float[N, 3, 224, 224]"
};

struct ModelSummary {
  RunFacts facts;
  std::string path;
  std::string fingerprint;  ///< Model::fingerprint, by which statistics name their model
  int64_t size_bytes = 0, ir_version = 0;
  std::map<std::string, int64_t> opsets;
  std::string producer;
  std::vector<TensorSummary> inputs, outputs;
  std::map<std::string, int64_t> operators;  ///< nodes by operator
  int64_t weights = 0, weight_bytes = 0;
  double macs = 0;         ///< multiply-accumulates per sample where shapes are known
  bool quantized = false;  ///< holds QuantizeLinear or DequantizeLinear
  std::vector<std::pair<std::string, std::string>> metadata;
  /// Of a model made by `preon instrument`; the model itself is one node.
  struct Instrumented {
    std::string fingerprint, setup;
    int64_t every = 0, observed_tensors = 0;
  };
  std::optional<Instrumented> instrumented;
};

struct SketchSummary {
  uint64_t count = 0, zeros = 0;
  double min = 0, max = 0, mean = 0, deviation = 0;
};

struct CalibSummary {
  RunFacts facts;
  std::string path, fingerprint, setup;
  int64_t samples = 0;
  std::map<std::string, SketchSummary> tensors;
  std::map<std::string, std::string> shared;
};

struct RunResult {
  RunFacts facts;
  std::string model;
  int64_t samples = 0, runs = 0;
  Latency latency;
  int threads = 0;
  std::string saved_to;
  std::vector<std::string> warnings;
};

struct CompareResult {
  RunFacts facts;
  std::string reference, other;
  int64_t reference_size_bytes = 0, other_size_bytes = 0;
  Comparison compare;
  LatencyPair latency;
  std::vector<std::string> warnings;
};

/// A rewritten model against the one given.
struct RewriteFigures {
  Comparison compare;
  LatencyPair latency;
  bool random_data = false;
};

/// What was fixed.
struct LintFix {
  std::string output;
  std::vector<std::string> passes;  ///< that changed the model
  LintReport report;                ///< of the fixed model
  RewriteFigures figures;
};

struct LintResult {
  RunFacts facts;
  std::string model;
  LintReport report;
  std::optional<LintFix> fix;
  std::vector<std::string> warnings;
};

/// name, one line about it.
using NamedLines = std::vector<std::pair<std::string, std::string>>;

/// A row of the descriptions that every option comes from, as text.
struct OptionDescription {
  std::string name, value, kind, meaning, group;  ///< kind: flag, value or list; group: in which help shows it
  std::vector<std::string> verbs;
};
struct KeyDescription {
  std::string name, group, stage, type, fallback, otherwise, range, meaning;
  std::string default_here;  ///< "" = the same
  std::string here;          ///< "" = not in this version
  bool ours = false;
};
struct FieldDescription {
  std::string name, type, fallback, meaning;
};
struct OptionDescriptions {
  std::vector<OptionDescription> options;
  std::vector<KeyDescription> keys;
  std::vector<FieldDescription> fields;  ///< of a QConfig
};

struct DoctorResult {
  RunFacts facts;
  std::string cpu;
  std::vector<std::string> cpu_features;
  std::string kernels;  ///< instruction set that preon's own loops run with
  int threads = 0;
  std::string runtime_version;
  int64_t newest_opset = 0;
  NamedLines methods, targets, passes;
  std::vector<std::string> types;
  /// Of Quark's keys by their group: how many this version has, and all.
  std::vector<std::tuple<std::string, int64_t, int64_t>> quark_keys;
  std::vector<std::string> missing_keys;
  std::optional<OptionDescriptions> descriptions;  ///< with --options
};

}  // namespace preon

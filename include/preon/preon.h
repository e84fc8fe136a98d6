/// preon: turns a float ONNX model and samples into a quantized ONNX model that was loaded and run before it got its
/// name. The whole library is in this header; it needs nothing but C++17's standard library.
///
///   preon::QuantizeOptions options;
///   options.model = "model.onnx";
///   options.output = "model.int8.onnx";
///   options.data = {"calib.npz"};
///   auto report = preon::Quantize(options);
///   if (!report) return Complain(report.error());
///   std::cout << report->text;
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#define PREON_API __attribute__((visibility("default")))

namespace preon {

/// "0.1.0".
PREON_API std::string Version();

/// Why something failed: a documented number (docs/errors.md), one line, and where there is one a hint.
struct Failure {
  int number = 0;  ///< 2003 for [E2003]
  /// Of the command line in the same case: 1 failed, 2 wrong input, 3 not verified, 4 a requirement does not hold,
  /// 5 nothing to gain, 130 interrupted.
  int exit_status = 1;
  std::string message;  ///< what, where, got, wanted
  std::string hint;
};

/// A value, or the Failure that says why there is none. No function of this library throws.
template <typename T>
class Outcome {
 public:
  Outcome(T value) : state_(std::move(value)) {}            // NOLINT: implicit on purpose
  Outcome(Failure failure) : state_(std::move(failure)) {}  // NOLINT

  explicit operator bool() const { return std::holds_alternative<T>(state_); }
  const T& operator*() const { return std::get<T>(state_); }
  const T* operator->() const { return &std::get<T>(state_); }
  /// Only where there is no value.
  const Failure& error() const { return std::get<Failure>(state_); }

 private:
  std::variant<T, Failure> state_;
};

/// Element types of model inputs, with ONNX's numbers.
enum class ElementType : int32_t {
  kFloat = 1,
  kUInt8 = 2,
  kInt8 = 3,
  kUInt16 = 4,
  kInt16 = 5,
  kInt32 = 6,
  kInt64 = 7,
  kBool = 9,
  kFloat16 = 10,
  kDouble = 11,
  kUInt32 = 12,
  kUInt64 = 13,
};

/// One input of the model: row-major values, batch axis included. `data` must stay valid until the reader is called
/// again; preon copies it.
struct InputArray {
  std::string name;
  ElementType type = ElementType::kFloat;
  std::vector<int64_t> shape;
  const void* data = nullptr;
};

/// What a model input takes.
struct InputInfo {
  std::string name;
  ElementType type = ElementType::kFloat;
  std::vector<int64_t> shape;  ///< -1 where any size will do
};

/// Fills `inputs` (one array per model input) with feed number `index` and returns true, or returns false when there
/// is no such feed. Element types are converted as those of files; an integer array `label` or `labels` that is no
/// input holds classes. Called for 0, 1, 2, … and again from 0 for the comparison; from one thread at a time.
using SampleReader = std::function<bool(int64_t index, std::vector<InputArray>& inputs)>;

/// One output of a model in one run, row-major, as floats.
struct OutputArray {
  std::vector<int64_t> shape;
  const float* values = nullptr;  ///< only until the function that got it returns
};

/// How far a model's output is from the float model's: less is nearer. Gets the output in each run of the samples.
using OutputDistanceFunction = std::function<double(const std::vector<OutputArray>& float_outputs,
                                                    const std::vector<OutputArray>& quantized_outputs)>;

/// What to do. Empty strings mean: the default. What `reader`, `reader_inputs`, `progress`, `log` and
/// `precision_distance` throw ends the run with [E7007], which names it.
struct QuantizeOptions {
  std::string model;                 ///< float ONNX file
  std::string output;                ///< where the result goes; whole or absent
  std::vector<std::string> data;     ///< sources as for --data: .npz, .npy, folders, "random:32"
  SampleReader reader;               ///< instead of `data`
  std::string calibration;           ///< a .calib file instead of a pass over the data
  std::string method;                ///< calibration method, for example "minmax", "percentile"
  std::string activation;            ///< type of activations, for example "uint8"
  std::string weight;                ///< type of weights, for example "int8"
  std::string target;                ///< placement rules, for example "ort-cpu"
  std::vector<std::string> exclude;  ///< node names (globs) that stay float
  int threads = 0;                   ///< 0: all cores the process may use
  /// Any other option of the command line by its long name: {"samples", "100"}, {"per-tensor", "true"}. Those that take
  /// a list may repeat.
  std::vector<std::pair<std::string, std::string>> settings;
  /// Files of what the caller has in memory, each with what texts, messages and reports call it: {"/tmp/x.onnx",
  /// "model"}.
  std::vector<std::pair<std::string, std::string>> shown_as;
  /// Told the model's inputs before `reader` is called with 0, for readers that go by them.
  std::function<void(const std::vector<InputInfo>&)> reader_inputs;
  /// Called as stages advance, from one thread at a time, but not always the caller's; `total` is 0 while unknown. A
  /// stage can come again, for example where another placement is tried.
  std::function<void(const std::string& stage, int64_t done, int64_t total)> progress;
  /// Told what the run does, a line at a time, where the key DebugMode is on ({"option", "DebugMode=true"}), which
  /// needs it. Called as `progress` is.
  std::function<void(const std::string& line)> log;
  OutputDistanceFunction precision_distance;  ///< of the algorithm auto_mixprecision, instead of its metric_default
  const std::atomic<bool>* cancel = nullptr;  ///< set it to true to end early with [E7900]
};

/// How far a quantized output is from the float one, over all samples compared.
struct OutputError {
  double sqnr_db = 0;  ///< 10·log10(Σ float² / Σ (float - quantized)²)
  double cosine = 0;
  double l2 = 0;  ///< Euclidean norm of the difference
  double max_abs = 0;
};

/// Share of labelled samples whose class is right, 0…1.
struct ClassAccuracy {
  double top1 = 0, top5 = 0;
};

/// What was made and how good it is.
struct Report {
  std::string output;
  int64_t float_size_bytes = 0, quantized_size_bytes = 0;
  int64_t samples = 0;
  int64_t observed_tensors = 0;
  int64_t integer_nodes = 0, float_nodes = 0;                       ///< compute nodes by the kernel the runtime chose
  double integer_macs_share = 0;                                    ///< 0…1, multiply-accumulates done in integers
  std::map<std::string, OutputError> outputs;                       ///< by output name; empty when nothing was compared
  std::optional<double> argmax_agreement;                           ///< share of samples with the same top class, 0…1
  std::optional<ClassAccuracy> float_accuracy, quantized_accuracy;  ///< where the data have labels
  std::vector<std::string> warnings;
  double seconds = 0;
  int64_t peak_rss_bytes = 0;
  std::string text;  ///< the summary that the command line prints
  std::string json;  ///< the object that --json prints
};

/// Calibrates (or reads `calibration`), quantizes, verifies in the runtime, writes `output`.
PREON_API Outcome<Report> Quantize(const QuantizeOptions& options);

/// What a calibration run saw.
struct CalibrationReport {
  std::string output;
  int64_t samples = 0;
  int64_t observed_tensors = 0, shared_tensors = 0;
  double seconds = 0;
  std::string text;  ///< the summary that the command line prints
  std::string json;  ///< the object that --json prints
};

/// Only the pass over the data: writes every method's statistics to `output`, a .calib file.
PREON_API Outcome<CalibrationReport> Calibrate(const QuantizeOptions& options);

/// What the other verbs answer. They read the fields of QuantizeOptions that have an option of theirs; a setting that
/// is none is an error.
struct Answer {
  std::string text;  ///< the summary that the command line prints
  std::string json;  ///< the object that --json prints
};

/// The ranges that a method gives: of `options.model`, a .calib file, or a model together with samples. Writes them to
/// `output` too, where that is set.
PREON_API Outcome<Answer> Ranges(const QuantizeOptions& options);

/// Outliers, method advice and coverage, of `options.model`, a .calib file.
PREON_API Outcome<Answer> Analyze(const QuantizeOptions& options);

/// Merges `files`, .calib files of one model that hold different samples, into `options.output`: the bytes of one run
/// over all samples. Or one description of a run (docs/design/shards.md): all of its shards, which must be done.
PREON_API Outcome<Answer> Merge(const QuantizeOptions& options, const std::vector<std::string>& files);

/// What has become of the shards of a run, by its description `options.model`.
PREON_API Outcome<Answer> RunStatus(const QuantizeOptions& options);

/// Runs `options.model`, float or quantized, on the samples: latency and throughput; with {"save", "DIR"} every output
/// of each run as DIR/OUTPUT/NNNNNN.npy.
PREON_API Outcome<Answer> Run(const QuantizeOptions& options);

/// What is in `options.model`, a model or a .calib file.
PREON_API Outcome<Answer> Inspect(const QuantizeOptions& options);

/// Writes to `output` the model that collects, wherever it is served, what Calibrate would.
PREON_API Outcome<Answer> Instrument(const QuantizeOptions& options);

/// Rewrites `options.model`, float or quantized, by the passes that the settings name ({"pass", "fold_batch_norm"}),
/// and writes `output`.
PREON_API Outcome<Answer> Passes(const QuantizeOptions& options);

/// Why `options.model`, quantized by any tool, is slow; with {"fix", "true"} also writes `output`, the model fixed.
PREON_API Outcome<Answer> Lint(const QuantizeOptions& options);

/// Writes to `output` another form of `options.model`, quantized by any tool, with the same codes: {"activation",
/// "int8"},
/// {"format", "qoperator"}, {"opset", "21"}, {"target", "ort-cpu"}. Without samples both are compared on a random one.
PREON_API Outcome<Answer> Retarget(const QuantizeOptions& options);

/// Writes the folder `options.output`, with which training goes on from a quantized model of any tool: float graph,
/// scales, a loader for PyTorch. The setting "float-model" gives it the float weights.
PREON_API Outcome<Answer> ExportQat(const QuantizeOptions& options);

/// Writes to `options.output` the model, encrypted (AES-256-GCM). The key: setting "key-file", a file of 32 bytes or 64
/// hexadecimal digits, or such digits in the environment variable PREON_KEY.
PREON_API Outcome<Answer> Encrypt(const QuantizeOptions& options);

/// Writes to `options.output` the model that `options.model` has encrypted. Fails with [E2016] where the key is another
/// one or the file was changed.
PREON_API Outcome<Answer> Decrypt(const QuantizeOptions& options);

/// Whether Quantize() keeps the model secret: nothing readable gets to the disk, the output is encrypted or a file in
/// memory (memfd_create, as "/proc/self/fd/N"), and failures are numbers and titles. That is so where `options.model`
/// is encrypted or a key is set ("key-file", "option" with "CryptoMode=true"), and where Quantize() would fail
/// because of its options.
PREON_API bool IsCryptoRun(const QuantizeOptions& options);

/// Tries configurations of `options.model` and writes the best to `options.output`. Settings: "space", a file or JSON
/// (docs/search.md), and those of `preon search`.
PREON_API Outcome<Answer> Search(const QuantizeOptions& options);

/// What differs between `options.model` and `other`, of any tools: graph, scales, codes; with samples their outputs.
PREON_API Outcome<Answer> Diff(const QuantizeOptions& options, const std::string& other);

/// How far the outputs of `quantized` are from those of `options.model` over the samples; accuracy where they have
/// labels.
PREON_API Outcome<Answer> Compare(const QuantizeOptions& options, const std::string& quantized);

/// Which layers and tensors make the error of the quantized model, why, and what layers in float would gain.
PREON_API Outcome<Answer> Sensitivity(const QuantizeOptions& options);

/// Judges `quantized`, made by any tool, against `options.model`, and where the first is not good enough says which
/// step comes next. Empty: several quantized forms of the model are made and judged.
PREON_API Outcome<Answer> Validate(const QuantizeOptions& options, const std::vector<std::string>& quantized);
PREON_API Outcome<Answer> Validate(const QuantizeOptions& options, std::initializer_list<std::string> quantized);
PREON_API Outcome<Answer> Validate(const QuantizeOptions& options, const std::string& quantized = "");

/// What Validate and Sensitivity say and the statistics, as one: in the answer, and in `output` (.html, .json or .txt)
/// where that is given.
PREON_API Outcome<Answer> MakeReport(const QuantizeOptions& options, const std::vector<std::string>& quantized);
PREON_API Outcome<Answer> MakeReport(const QuantizeOptions& options, std::initializer_list<std::string> quantized);
PREON_API Outcome<Answer> MakeReport(const QuantizeOptions& options, const std::string& quantized = "");

}  // namespace preon

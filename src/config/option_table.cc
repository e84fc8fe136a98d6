#include "config/option_table.h"

#include <algorithm>

#include "base/text.h"
#include "config/keys/keys.h"
#include "config/option_values.h"
#include "config/qconfig.h"
#include "instrument/output_name.h"

namespace preon {
namespace {

constexpr uint32_t kNeedsData =
    kVerbQuantize | kVerbCalibrate | kVerbRanges | kVerbRun | kVerbCompare | kVerbInstrument;
constexpr uint32_t kPlans = kVerbQuantize | kVerbCalibrate | kVerbInstrument;
constexpr uint32_t kObserves = kPlans | kVerbRanges;
constexpr uint32_t kReadsRanges = kVerbRanges | kVerbAnalyze;
constexpr uint32_t kChoosesRanges = kVerbQuantize | kReadsRanges;

constexpr OptionSpec kOptions[] = {
    {"output", "FILE", "where the result goes; whole or absent", OptionKind::kValue,
     kPlans | kVerbMerge | kVerbRanges | kVerbPasses,
     [](Options& o, const std::string& v) { o.output = v; return Status::Ok(); }},
    {"data", "SRC", "samples: .npz, .npy, folder of these, of images or of ONNX test sets, random:N", OptionKind::kList,
     kNeedsData,
     [](Options& o, const std::string& v) { o.data.sources.push_back(v); return Status::Ok(); }},
    {"input", "NAME=SRC", "samples of one model input", OptionKind::kList, kNeedsData,
     [](Options& o, const std::string& v) {
       PREON_ASSIGN_OR_RETURN(o.data.inputs.emplace_back(), SplitPair(v, "NAME=SRC"));
       return Status::Ok();
     }},
    {"preprocess", "P", "images to tensors: a preset and/or key=value,… ('help' lists them)", OptionKind::kValue, kNeedsData,
     [](Options& o, const std::string& v) { o.data.preprocess = v; return Status::Ok(); }},
    {"labels", "FILE", "NAME<TAB>CLASS lines or JSON", OptionKind::kValue, kNeedsData,
     [](Options& o, const std::string& v) { o.data.labels = v; return Status::Ok(); }},
    {"only", "FILE", "only the samples that FILE lists, as analyze --cover writes it: PLACE or PLACE<TAB>NAME lines",
     OptionKind::kValue, kNeedsData,
     [](Options& o, const std::string& v) { o.data.only = v; return Status::Ok(); }},
    {"samples", "N", "only the first N samples (default: all)", OptionKind::kValue, kNeedsData,
     [](Options& o, const std::string& v) { return SetCount(o.data.limit, v, 1); }},
    {"batch", "N", "samples per run (default: the model's own, else 1)", OptionKind::kValue, kNeedsData,
     [](Options& o, const std::string& v) { return SetCount(o.data.batch, v, 1); }},
    {"seed", "N", "seed of random:N (default 0)", OptionKind::kValue, kNeedsData,
     [](Options& o, const std::string& v) {
       int64_t seed = 0;
       PREON_RETURN_IF_ERROR(SetCount(seed, v, 0));
       o.data.seed = static_cast<uint64_t>(seed);
       return Status::Ok();
     }},
    {"random-shape", "NAME=SIZES", "shape of an input's random samples, where the model leaves it open: NAME=1x3x64x64",
     OptionKind::kList, kNeedsData, SetRandomShape},
    {"random-range", "NAME=LOW:HIGH", "random samples of an input are uniform in this interval (default: normal)",
     OptionKind::kList, kNeedsData, SetRandomRange},
    {"calib-samples", "N", "calibrate with the first N samples only; what comes after sees all (default: all)",
     OptionKind::kValue, kPlans, [](Options& o, const std::string& v) { return SetCount(o.calib_samples, v, 1); }},
    {"shard", "I/N", "only every N-th sample, from the I-th on; merge the N results", OptionKind::kValue, kVerbCalibrate,
     [](Options& o, const std::string& v) { return SetPart(o.data.shard_index, o.data.shard_count, v); }},
    {"per-sample", "", "also keep what each sample reaches, and its name, for analyze: 12 bytes per tensor and sample",
     OptionKind::kFlag, kVerbCalibrate,
     [](Options& o, const std::string& v) { return SetFlag(o.per_sample, v); }},
    {"resume", "", "go on from OUTPUT.partial, which an interrupted run leaves", OptionKind::kFlag, kVerbQuantize | kVerbCalibrate,
     [](Options& o, const std::string& v) { return SetFlag(o.resume, v); }},
    {"checkpoint", "S", "seconds from one save of OUTPUT.partial to the next (default 10)", OptionKind::kValue,
     kVerbQuantize | kVerbCalibrate,
     [](Options& o, const std::string& v) { return SetCount(o.checkpoint_seconds.emplace(), v, 0); }},
    {"workers", "N", "processes that calibrate side by side; --threads is shared out among them (default 1)",
     OptionKind::kValue, kPlans,
     [](Options& o, const std::string& v) {
       PREON_RETURN_IF_ERROR(SetCount(o.workers, v, 1));
       return o.workers > 4096 ? BadValue(v, "at most 4096") : Status::Ok();
     }},
    {"memory", "USE", "low: one run at a time; balanced (default); fast: a run on every thread, whatever that takes",
     OptionKind::kValue, kPlans, [](Options& o, const std::string& v) { return SetMemory(o.memory, v); }},
    {"worker", "I/N", "", OptionKind::kValue, kVerbCalibrate,
     [](Options& o, const std::string& v) { return SetPart(Worker(o).part, Worker(o).parts, v); }},
    {"worker-seen", "FILE", "", OptionKind::kValue, kVerbCalibrate,
     [](Options& o, const std::string& v) { Worker(o).seen = v; return Status::Ok(); }},
    {"worker-careful", "", "", OptionKind::kFlag, kVerbCalibrate,
     [](Options& o, const std::string& v) { return SetFlag(Worker(o).careful, v); }},
    {"calib", "FILE", "statistics of an earlier calibrate or merge, instead of --data", OptionKind::kValue, kVerbQuantize,
     [](Options& o, const std::string& v) { o.calib = v; return Status::Ok(); }},
    {"calib-out", "FILE", "where a process that serves the model collects: %p is its number, %h its host; "
     "default: MODEL-%p.calib in the folder it runs in", OptionKind::kValue, kVerbInstrument,
     [](Options& o, const std::string& v) { o.calib_out = v; return CheckOutputPattern(v); }},
    {"every", "N", "save after so many runs, and at the end (default 1000)", OptionKind::kValue, kVerbInstrument,
     [](Options& o, const std::string& v) { return SetCount(o.every, v, 1); }},
    {"one-in", "N", "observe one run in so many; costs that much less (default 1: all)", OptionKind::kValue, kVerbInstrument,
     [](Options& o, const std::string& v) { return SetCount(o.one_in, v, 1); }},
    {"method", "M", "how a range follows from the statistics ('help' lists them); default: auto", OptionKind::kValue, kChoosesRanges,
     [](Options& o, const std::string& v) { o.method = v; return Status::Ok(); }},
    {"all-methods", "", "the ranges of every method, instead of one's", OptionKind::kFlag, kVerbRanges,
     [](Options& o, const std::string& v) { return SetFlag(o.all_methods, v); }},
    {"method-option", "KEY=VALUE", "option of the method, for example Percentile=99.99", OptionKind::kList, kChoosesRanges,
     [](Options& o, const std::string& v) {
       PREON_ASSIGN_OR_RETURN(const auto pair, SplitPair(v, "KEY=VALUE"));
       o.method_options[pair.first] = pair.second;
       return Status::Ok();
     }},
    {"option", "KEY=VALUE", "an option by AMD Quark's name, such as CalibDataSize=100 ('help' lists them)",
     OptionKind::kList, kPlans | kReadsRanges,
     [](Options& o, const std::string& v) {
       PREON_ASSIGN_OR_RETURN(const auto pair, SplitPair(v, "KEY=VALUE"));
       return SetKey(o, pair.first, pair.second);
     }},
    {"qconfig", "JSON", "", OptionKind::kValue, kPlans,
     [](Options& o, const std::string& v) { return ApplyQConfigText(o, v); }},
    {"activation", "TYPE", "type of activations (default uint8; 'help' lists them)", OptionKind::kValue,
     kPlans | kReadsRanges,
     [](Options& o, const std::string& v) { return SetType(o.plan.activation, v); }},
    {"weight", "TYPE", "type of weights (default int8; int4 of --target matmul-nbits; that of floating and block activations)", OptionKind::kValue, kPlans,
     [](Options& o, const std::string& v) { return SetWeightType(o.weight, v); }},
    {"block-size", "N", "weights that share a scale (default: all of a channel; of --target matmul-nbits 32, of 16 to 256)", OptionKind::kValue,
     kVerbQuantize, [](Options& o, const std::string& v) { return SetBlockSize(o.plan, v); }},
    {"weight-form", "F", "how weights are stored: packed (codes), folded (the floats they stand for), operators (as they were, behind quantizers); default: by type and target",
     OptionKind::kValue, kVerbQuantize,
     [](Options& o, const std::string& v) {
       PREON_ASSIGN_OR_RETURN(o.plan.weight_form, ParseWeightForm(v));
       return Status::Ok();
     }},
    {"activation-scaled", "", "float16 and bfloat16 activations are divided by a scale first, from calibration, so that they fill the type's densest part",
     OptionKind::kFlag, kPlans, [](Options& o, const std::string& v) { return SetFlag(o.plan.activation_scaled, v); }},
    {"weight-scaled", "", "the same for float16 and bfloat16 weights", OptionKind::kFlag, kVerbQuantize,
     [](Options& o, const std::string& v) { return SetFlag(o.plan.weight_scaled, v); }},
    {"bfloat16", "HOW", "of bfloat16 tensors: casts (instead of the library's operators), clip (in front), vaiml (casts at inputs alone)",
     OptionKind::kList, kVerbQuantize, [](Options& o, const std::string& v) { return SetBFloat16(o.plan.bfloat16, v); }},
    {"bfp-attribute", "KEY=VALUE", "of BFP and MX4, MX6, MX9 types: an attribute of BFPQuantizeDequantize, such as block_size=16", OptionKind::kList,
     kVerbQuantize, [](Options& o, const std::string& v) { return SetAttribute(o.bfp_attributes, v); }},
    {"mx-attribute", "KEY=VALUE", "of other MX types: an attribute of MXQuantizeDequantize, such as block_size=16", OptionKind::kList,
     kVerbQuantize, [](Options& o, const std::string& v) { return SetAttribute(o.mx_attributes, v); }},
    {"keep-block-axis", "", "blocks run along axis 1 everywhere, not along what MatMul, Gemm and Softmax reduce", OptionKind::kFlag,
     kVerbQuantize, [](Options& o, const std::string& v) { return SetFlag(o.plan.refine_block_axis, v, true); }},
    {"accuracy-level", "N", "of --target matmul-nbits: how it computes: 1 float32, 2 float16, 3 bfloat16, 4 int8 (default 0: the runtime's choice)",
     OptionKind::kValue, kVerbQuantize, [](Options& o, const std::string& v) { return SetAccuracyLevel(o.plan, v); }},
    {"scale-type", "TYPE", "what scales may be, of activations and weights: float32 (default), power-of-two, int16",
     OptionKind::kValue, kChoosesRanges,
     [](Options& o, const std::string& v) {
       PREON_ASSIGN_OR_RETURN(o.plan.scale_type, ParseScaleType(v));
       return Status::Ok();
     }},
    {"weight-scale-type", "TYPE", "the same for weights alone (default: as --scale-type)", OptionKind::kValue, kVerbQuantize,
     [](Options& o, const std::string& v) {
       PREON_ASSIGN_OR_RETURN(o.plan.weight_scale_type, ParseScaleType(v));
       return Status::Ok();
     }},
    {"weight-method", "M", "how a weight's range follows from its values: minmax, minmse (default for power-of-two scales)", OptionKind::kValue,
     kVerbQuantize,
     [](Options& o, const std::string& v) {
       PREON_ASSIGN_OR_RETURN(o.plan.weight_rule.method, ParseWeightMethod(v));
       return Status::Ok();
     }},
    {"weight-search", "S", "what --weight-method minmse tries: All (default), Percentile, HistCenter", OptionKind::kValue,
     kVerbQuantize,
     [](Options& o, const std::string& v) {
       PREON_ASSIGN_OR_RETURN(o.plan.weight_rule.search, ParseWeightSearch(v));
       return Status::Ok();
     }},
    {"compat", "TOOL", "other tools' numbers instead of better ones: quark, onnxruntime (default off); takes --method",
     OptionKind::kValue, kVerbQuantize | kVerbRanges,
     [](Options& o, const std::string& v) {
       PREON_ASSIGN_OR_RETURN(o.plan.compat, ParseCompat(v));
       return Status::Ok();
     }},
    {"format", "F", "how integer operators are written: qdq (default: between DequantizeLinear and QuantizeLinear), qoperator (QLinearConv and its like), extended (target quark: quantizers of com.microsoft, more operators; its default but for bytes)",
     OptionKind::kValue, kVerbQuantize,
     [](Options& o, const std::string& v) {
       return SetFormat(o, v);
     }},
    {"target", "T", "whose kernels the result is for ('help' lists them); default: ort-cpu, or simulate where it has not the types", OptionKind::kValue, kObserves,
     [](Options& o, const std::string& v) { o.target = v; return Status::Ok(); }},
    {"symmetric", "", "activations with the zero point in the middle", OptionKind::kFlag, kPlans | kReadsRanges,
     [](Options& o, const std::string& v) {
       return SetFlag(o.plan.activation_symmetric.emplace(), v);
     }},
    {"per-tensor", "", "one scale per weight instead of one per channel", OptionKind::kFlag, kPlans,
     [](Options& o, const std::string& v) { return SetFlag(o.plan.per_channel, v, true); }},
    {"reduce-range", "", "codes of weights keep one bit in reserve, so that sums of products saturate on no CPU; half the resolution",
     OptionKind::kFlag, kVerbQuantize,
     [](Options& o, const std::string& v) { return SetFlag(o.plan.op_list.reduce_range, v); }},
    {"no-bias-correction", "", "leave biases as they are, though rounded weights shift the means of outputs",
     OptionKind::kFlag, kVerbQuantize,
     [](Options& o, const std::string& v) { return SetFlag(o.bias_correction, v, true); }},
    {"no-channel-scales", "", "do not even out the channels between a convolution and a depthwise one",
     OptionKind::kFlag, kVerbQuantize,
     [](Options& o, const std::string& v) { return SetFlag(o.channel_scales, v, true); }},
    {"exclude", "NODE", "nodes that stay float, by name; * and ? are wildcards", OptionKind::kList, kObserves,
     [](Options& o, const std::string& v) { o.plan.exclude.push_back(v); return Status::Ok(); }},
    {"exclude-type", "OP", "operator types that stay float", OptionKind::kList, kObserves,
     [](Options& o, const std::string& v) { o.plan.exclude_types.push_back(v); return Status::Ok(); }},
    {"passthrough", "OP", "outputs of these operators take the range of what they read instead of one of their own",
     OptionKind::kList, kPlans,
     [](Options& o, const std::string& v) { o.plan.passthrough.push_back(v); return Status::Ok(); }},
    {"float16", "HOW", "float16 models compute in float32: keep-io (default: but for inputs and outputs), convert (all), off (not at all)",
     OptionKind::kValue, kObserves, [](Options& o, const std::string& v) { return SetFloat16(o.float16, v); }},
    {"pass", "PASS", "a pass to run ('help' lists them); they run in the order of that list", OptionKind::kList, kVerbPasses,
     [](Options& o, const std::string& v) { o.passes.push_back(v); return Status::Ok(); }},
    {"list", "FILE", "names of passes to run, one per line", OptionKind::kValue, kVerbPasses,
     [](Options& o, const std::string& v) { o.pass_list = v; return Status::Ok(); }},
    {"copy-type", "OP", "operator types whose constants copy_shared_initializers copies (default: all)", OptionKind::kList,
     kVerbPasses, [](Options& o, const std::string& v) { o.copied_types.push_back(v); return Status::Ok(); }},
    {"disable-pass", "PASS", "leave out a rewrite of the float or of the quantized graph ('help' lists them)", OptionKind::kList,
     kObserves,
     [](Options& o, const std::string& v) { o.disabled_passes.insert(v); return Status::Ok(); }},
    {"enable-pass", "PASS", "also run a rewrite that is off for the target ('help' lists them)", OptionKind::kList, kObserves,
     [](Options& o, const std::string& v) { o.enabled_passes.insert(v); return Status::Ok(); }},
    {"exact", "", "count every value (default: extremes and tails exact, the bulk of large tensors sampled); slower",
     OptionKind::kFlag, kObserves,
     [](Options& o, const std::string& v) {
       bool exact = false;
       PREON_RETURN_IF_ERROR(SetFlag(exact, v));
       o.sketch_mode = exact ? SketchMode::kExact : SketchMode::kSampled;
       return Status::Ok();
     }},
    {"no-optimize", "", "observe in the graph as it is, not as the runtime optimized it: bit for bit, slower",
     OptionKind::kFlag, kObserves,
     [](Options& o, const std::string& v) { return SetFlag(o.optimize_observed, v, true); }},
    {"external-data", "", "weights of the result in FILE.data beside it (default: only above 2 GB)", OptionKind::kFlag,
     kVerbQuantize | kVerbPasses,
     [](Options& o, const std::string& v) { return SetFlag(o.external_data, v); }},
    {"fix-shape", "NAME=SIZES", "open dimensions of an input or output: NAME=1x3x224x224; those of the same name elsewhere too",
     OptionKind::kList, kPlans | kVerbPasses,
     [](Options& o, const std::string& v) {
       PREON_ASSIGN_OR_RETURN(auto pair, ParseShapeOf(v));
       if (std::ranges::any_of(pair.second, [](int64_t size) { return size < 0; })) return BadValue(v, "sizes of at least 0");
       o.fixed_shapes.insert_or_assign(std::move(pair.first), std::move(pair.second));
       return Status::Ok();
     }},
    {"nhwc", "", "the result takes and gives images as NHWC; samples stay NCHW", OptionKind::kFlag, kVerbQuantize,
     [](Options& o, const std::string& v) { return SetFlag(o.nhwc, v); }},
    {"value-info", "", "the result names type and shape of every tensor inside it", OptionKind::kFlag, kVerbQuantize,
     [](Options& o, const std::string& v) { return SetFlag(o.value_info, v); }},
    {"opset", "N", "raise the model to this opset of ONNX first (default: what its quantizers need)", OptionKind::kValue, kPlans,
     [](Options& o, const std::string& v) { return SetCount(o.opset, v, 1); }},
    {"report", "FILE", "also write the result to FILE: .json or .txt", OptionKind::kValue, kVerbQuantize | kVerbCompare,
     [](Options& o, const std::string& v) { o.report = v; return Status::Ok(); }},
    {"production", "FILE", "statistics of what the model sees in use: how far calibration covers them", OptionKind::kValue,
     kVerbAnalyze,
     [](Options& o, const std::string& v) { o.production = v; return Status::Ok(); }},
    {"group-by", "G", "strata of the samples, compared tensor by tensor: folder, file or label", OptionKind::kValue,
     kVerbAnalyze,
     [](Options& o, const std::string& v) {
       PREON_ASSIGN_OR_RETURN(o.group_by, ParseGroupBy(v));
       return Status::Ok();
     }},
    {"tolerance", "SHARE", "of a range, that samples may miss and still be said to reach it (default 0.01)",
     OptionKind::kValue, kVerbAnalyze,
     [](Options& o, const std::string& v) {
       const auto share = ParseNumber<double>(v);
       if (!share || !(*share >= 0 && *share < 1)) return BadValue(v, "a number of at least 0 and below 1");
       o.tolerance = share;
       return Status::Ok();
     }},
    {"cover", "FILE", "also write a small set of samples that reaches all ranges to FILE, for --only of calibrate",
     OptionKind::kValue, kVerbAnalyze,
     [](Options& o, const std::string& v) { o.cover = v; return Status::Ok(); }},
    {"html", "FILE", "also write a page with histograms and curves over the layers to FILE", OptionKind::kValue, kVerbAnalyze,
     [](Options& o, const std::string& v) { o.html = v; return Status::Ok(); }},
    {"save-histograms", "DIR", "also draw each observed tensor's histogram with the ranges of all methods, as DIR/TENSOR.svg",
     OptionKind::kValue, kPlans | kVerbAnalyze,
     [](Options& o, const std::string& v) { o.save_histograms = v; return Status::Ok(); }},
    {"save-and-restore", "FILE", "ranges as JSON: read from FILE instead of calibrating where it exists, else written to it",
     OptionKind::kValue, kVerbQuantize,
     [](Options& o, const std::string& v) { o.save_and_restore = v; return Status::Ok(); }},
    {"save", "DIR", "write the outputs of each run as DIR/N.npz", OptionKind::kValue, kVerbRun,
     [](Options& o, const std::string& v) { o.save_folder = v; return Status::Ok(); }},
    {"repeat", "N", "go through the data N times (default 1)", OptionKind::kValue, kVerbRun,
     [](Options& o, const std::string& v) { return SetCount(o.repeat, v, 1); }},
    {"threads", "N", "threads (default: all cores this process may use)", OptionKind::kValue, kNeedsData | kVerbDoctor,
     [](Options& o, const std::string& v) {
       int64_t threads = 0;
       PREON_RETURN_IF_ERROR(SetCount(threads, v, 1));
       if (threads > 4096) return BadValue(v, "at most 4096");
       o.threads = static_cast<int>(threads);
       return Status::Ok();
     }},
    {"options", "", "also every key of AMD Quark: type, default, what it is here; with --json all options in full", OptionKind::kFlag, kVerbDoctor,
     [](Options& o, const std::string& v) { return SetFlag(o.describe_options, v); }},
    {"tmp-dir", "DIR", "folder for temporary files, made where it is missing (default: the system's)", OptionKind::kValue, kNeedsData,
     [](Options& o, const std::string& v) { o.tmp_dir = v; return Status::Ok(); }},
};

}  // namespace

std::span<const OptionSpec> OptionTable() { return kOptions; }

Status SetOption(Options& options, std::string_view name, const std::string& value) {
  const auto found = std::ranges::find(kOptions, name, &OptionSpec::name);
  if (found == std::end(kOptions)) {
    std::vector<std::string> names;
    for (const OptionSpec& option : kOptions) names.emplace_back(option.name);
    return Error(ErrorId::kUnknownOption, "unknown option '", name, "'", DidYouMean(name, names));
  }
  options.hints.erase(std::string(name));
  options.key_of.erase(std::string(name));
  const size_t set_before = options.settings.size();
  PREON_RETURN_IF_ERROR(found->set(options, value).WithContext("--", name));
  for (size_t index = set_before; index < options.settings.size(); ++index) options.settings[index].by_another = true;
  options.settings.push_back({std::string(name), value});
  return Status::Ok();
}

}  // namespace preon

#include "config/option_table.h"

#include <algorithm>

#include "config/algorithm_switches.h"
#include "config/compound_options.h"
#include "config/judging_options.h"
#include "config/option_values.h"
#include "config/options_of_quantize.h"
#include "config/runtime_options.h"
#include "instrument/output_name.h"

namespace preon {
namespace {
constexpr uint32_t kPlans = kVerbQuantize | kVerbCalibrate | kVerbInstrument;
constexpr uint32_t kObserves = kPlans | kVerbRanges;
constexpr uint32_t kReadsRanges = kVerbRanges | kVerbAnalyze;
constexpr uint32_t kChoosesRanges = kVerbQuantize | kReadsRanges;

constexpr OptionSpec kOptions[] = {
    {"output", "FILE", "output file; written completely or not at all", OptionKind::kValue,
     kPlans | kVerbMerge | kVerbRanges | kVerbPasses | kVerbLint | kVerbReport | kVerbRetarget | kVerbExportQat |
         kVerbSearch | kVerbEncrypt | kVerbDecrypt,
     [](Options& o, const std::string& v) { o.outputs.file = v; return Status::Ok(); }},
    {"key-file", "FILE", "key of encrypted models: 32 bytes or 64 hexadecimal digits (default: variable PREON_KEY); "
     "quantize encrypts the result with it", OptionKind::kValue, kVerbQuantize | kVerbEncrypt | kVerbDecrypt,
     [](Options& o, const std::string& v) { o.crypto.key_file = v; return Status::Ok(); }},
    {"data", "SRC", "samples: .npz, .npy, folder of these, of images, of WAV files or of ONNX test sets, random:N",
     OptionKind::kList, kNeedsData,
     [](Options& o, const std::string& v) { o.data.from.sources.push_back(v); return Status::Ok(); }},
    {"input", "NAME=SRC", "samples of one model input", OptionKind::kList, kNeedsData,
     [](Options& o, const std::string& v) {
       PREON_ASSIGN_OR_RETURN(o.data.from.inputs.emplace_back(), SplitPair(v, "NAME=SRC"));
       return Status::Ok();
     }},
    {"preprocess", "P", "images or sound to tensors: a preset and/or key=value,… ('help' lists them)",
     OptionKind::kValue, kNeedsData,
     [](Options& o, const std::string& v) { o.data.preprocess = v; return Status::Ok(); }},
    {"labels", "FILE", "classes of the samples: lines of NAME<TAB>CLASS, or JSON", OptionKind::kValue, kNeedsData,
     [](Options& o, const std::string& v) { o.data.labels = v; return Status::Ok(); }},
    {"only", "FILE", "only the samples that FILE lists, as analyze --cover writes it: lines of POSITION or "
     "POSITION<TAB>NAME (counted from 0)",
     OptionKind::kValue, kNeedsData, [](Options& o, const std::string& v) { o.data.only = v; return Status::Ok(); }},
    {"samples", "N", "only the first N samples of --data (default: all)", OptionKind::kValue, kNeedsData,
     [](Options& o, const std::string& v) { return SetCount(o.data.limit, v, 1); }},
    {"batch", "N", "samples per run (default: the model's own, else 1)", OptionKind::kValue, kNeedsData,
     [](Options& o, const std::string& v) { return SetCount(o.data.batch, v, 1); }},
    {"seed", "N", "seed of random:N and of search (default 0)", OptionKind::kValue, kNeedsData,
     [](Options& o, const std::string& v) { return SetSeed(o.data.random.seed, v); }},
    {"random-shape", "NAME=SIZES", "shape of an input's random samples, if the model does not fix it: "
     "NAME=1x3x64x64", OptionKind::kList, kNeedsData, SetRandomShape},
    {"random-range", "NAME=LOW:HIGH", "random samples of an input are uniform in this interval (default: normal)",
     OptionKind::kList, kNeedsData, SetRandomRange},
    {"calib-samples", "N", "calibrate with the first N samples only; later steps read all (default: all)",
     OptionKind::kValue, kPlans,
     [](Options& o, const std::string& v) { return SetCount(o.calibration.samples, v, 1); }},
    {"shard", "I/N", "calibrate with every N-th sample, starting at sample I; merge the N results afterwards",
     OptionKind::kValue, kVerbCalibrate,
     [](Options& o, const std::string& v) { return SetPart(o.data.shard.index, o.data.shard.count, v); }},
    {"per-sample", "", "also save each sample's name and its minimum and maximum per tensor, for analyze: 12 bytes "
     "per tensor and sample", OptionKind::kFlag, kVerbCalibrate,
     [](Options& o, const std::string& v) { return SetFlag(o.calibration.observe.per_sample, v); }},
    {"resume", "", "continue from OUTPUT.partial, which an interrupted run leaves", OptionKind::kFlag,
     kVerbQuantize | kVerbCalibrate,
     [](Options& o, const std::string& v) { return SetFlag(o.calibration.checkpoint.resume, v); }},
    {"checkpoint", "S", "seconds between two saves of OUTPUT.partial (default 10)", OptionKind::kValue,
     kVerbQuantize | kVerbCalibrate,
     [](Options& o, const std::string& v) { return SetCount(o.calibration.checkpoint.seconds.emplace(), v, 0); }},
    {"workers", "N", "number of processes that calibrate in parallel; they share the --threads (default 1)",
     OptionKind::kValue, kPlans,
     [](Options& o, const std::string& v) {
       PREON_RETURN_IF_ERROR(SetCount(o.calibration.workers.count, v, 1));
       return o.calibration.workers.count > 4096 ? BadValue(v, "at most 4096") : Status::Ok();
     }},
    {"memory", "USE", "low: one run at a time; balanced (default); fast: a run on every thread, however much memory "
     "that needs", OptionKind::kValue, kPlans,
     [](Options& o, const std::string& v) { return SetMemory(o.resources.memory, v); }},
    {"worker", "I/N", "", OptionKind::kValue, kVerbCalibrate,
     [](Options& o, const std::string& v) { return SetWorkerPart(o.calibration.workers, v); }},
    {"worker-seen", "FILE", "", OptionKind::kValue, kVerbCalibrate,
     [](Options& o, const std::string& v) { TaskOf(o.calibration.workers).seen = v; return Status::Ok(); }},
    {"worker-verify-each-pass", "", "", OptionKind::kFlag, kVerbCalibrate,
     [](Options& o, const std::string& v) { return SetFlag(TaskOf(o.calibration.workers).verify_each_pass, v); }},
    {"calib", "FILE", "statistics of an earlier calibrate or merge, instead of --data", OptionKind::kValue,
     kVerbQuantize, [](Options& o, const std::string& v) { o.calib = v; return Status::Ok(); }},
    {"encodings", "FILE", "scales and zero points of the tensors, from training (AIMET encodings: 0.6.1, "
     "1.0.0 or 2.0.0); tensors that FILE lacks are calibrated", OptionKind::kValue,
     kVerbQuantize, [](Options& o, const std::string& v) { o.encodings = v; return Status::Ok(); }},
    {"calib-out", "PLACE", "folder or file name to show as the value of PREON_CALIB_OUT on the server (%p: process id, "
     "%h: host); the model does not store it, so that a model can't choose where files are written",
     OptionKind::kValue, kVerbInstrument,
     [](Options& o, const std::string& v) { o.instrument.calib_out = v; return CheckOutputPattern(v); }},
    {"every", "N", "save after every N runs, and at the end (default 1000)", OptionKind::kValue, kVerbInstrument,
     [](Options& o, const std::string& v) { return SetCount(o.instrument.every, v, 1); }},
    {"one-in", "N", "observe only every N-th run, to reduce the cost (default 1: all)", OptionKind::kValue,
     kVerbInstrument, [](Options& o, const std::string& v) { return SetCount(o.instrument.one_in, v, 1); }},
    {"method", "M", "calibration method: computes ranges from the statistics ('help' lists them); default: auto",
     OptionKind::kValue, kChoosesRanges,
     [](Options& o, const std::string& v) { o.ranges.method = v; return Status::Ok(); }},
    {"effort", "E", "fast: no trials, method minmse instead of auto; default: method auto quantizes some "
     "samples with each of several methods and keeps the best; then --algorithm adaquant on a few samples, if that "
     "costs less than calibration (on up to 100 samples with weights of 4 bits or fewer, or with activations of more "
     "than 8 bits), and its codes are kept if the outputs get nearer to float; high: adaquant on all samples",
     OptionKind::kValue, kVerbQuantize, [](Options& o, const std::string& v) { return SetEffort(o.ranges.effort, v); }},
    {"budget", "PERCENT", "how much slower the model may get because layers stay in float for accuracy (default 3; "
     "where the SQNR is below 20 dB up to 25, until it reaches 22 dB); 0: no layer stays in float for accuracy",
     OptionKind::kValue, kVerbQuantize,
     [](Options& o, const std::string& v) { return SetPercent(o.budget, v); }},
    {"require", "EXPR", "what the result must reach, else it is not written (exit status 4): one or more of drop<=1% "
     "(of top-1 accuracy; of another metric, for validate and search, in its own unit: drop<=0.3dB), agreement>=95%, "
     "sqnr>=20, speed>=1.5, latency<=5ms, size<=4MB or size<=30%, with commas between them",
     OptionKind::kValue, kVerbQuantize,
     [](Options& o, const std::string& v) { return SetRequirements(o.requirements, v); }},
    {"confirm", "N", "measure the gain of the N layers with the largest expected gain in float (default 3)",
     OptionKind::kValue, kVerbSensitivity | kVerbReport,
     [](Options& o, const std::string& v) { return SetCount(o.confirm, v, 0); }},
    {"all-methods", "", "the ranges of every method instead of one", OptionKind::kFlag, kVerbRanges,
     [](Options& o, const std::string& v) { return SetFlag(o.ranges.all_methods, v); }},
    {"all-tensors", "",
     "each float tensor's own range, also if the target does not quantize it or it shares another's", OptionKind::kFlag,
     kVerbRanges, [](Options& o, const std::string& v) { return SetFlag(o.calibration.all_tensors, v); }},
    {"method-option", "KEY=VALUE", "option of the method, for example Percentile=99.99", OptionKind::kList,
     kChoosesRanges,
     [](Options& o, const std::string& v) {
       PREON_ASSIGN_OR_RETURN(const auto pair, SplitPair(v, "KEY=VALUE"));
       o.ranges.method_options[pair.first] = pair.second;
       return Status::Ok();
     }},
    {"option", "KEY=VALUE", "an option by its name in AMD Quark, such as CalibDataSize=100 ('help' lists them)",
     OptionKind::kList, kPlans | kReadsRanges,
     [](Options& o, const std::string& v) {
       PREON_ASSIGN_OR_RETURN(const auto pair, SplitPair(v, "KEY=VALUE"));
       return SetKey(o, pair.first, pair.second);
     }},
    {"qconfig", "JSON", "", OptionKind::kValue, kPlans,
     [](Options& o, const std::string& v) { return ApplyQConfigText(o, v); }},
    {"activation", "TYPE", "type of activations (default uint8; int8 with --target tensorrt; 'help' lists them)",
     OptionKind::kValue, kPlans | kReadsRanges | kVerbRetarget, SetActivation},
    {"weight", "TYPE", "type of weights (default int8; int4 with 4-bit activations and with --target matmul-nbits; "
     "with float or block activations the same type); also int2, int3, uint2, uint3, stored in 4 bits each except with "
     "--target matmul-nbits", OptionKind::kValue, kPlans,
     [](Options& o, const std::string& v) { return SetWeightType(o.types.weight, v); }},
    {"block-size", "N", "number of weights that share a scale (default: all of a channel; with --target matmul-nbits "
     "32, allowed 16 to 256)", OptionKind::kValue, kVerbQuantize,
     [](Options& o, const std::string& v) { return SetBlockSize(o.plan, v); }},
    {"weight-form", "F", "how weights are stored: packed (integer codes), folded (rounded, as floats), operators "
     "(unchanged floats, each followed by a quantizer); default: depends on type and target", OptionKind::kValue,
     kVerbQuantize,
     [](Options& o, const std::string& v) { return SetTo(o.plan.weight_form, ParseWeightForm(v)); }},
    {"float-weights", "F", "how weights of nodes that stay in float are stored: float32, float16 or int8, which the "
     "runtime turns into floats when it loads the model; default: int8 where a trial shows that it costs no accuracy, "
     "else float16", OptionKind::kValue, kVerbQuantize,
     [](Options& o, const std::string& v) { return SetFloatWeights(o.plan, v); }},
    {"activation-scaled", "", "divide float16 and bfloat16 activations by a calibrated scale first, so that they use "
     "the most precise part of the type", OptionKind::kFlag, kPlans,
     [](Options& o, const std::string& v) { return SetFlag(o.plan.scaled.activation, v); }},
    {"weight-scaled", "", "divide float16 and bfloat16 weights by a scale first, as --activation-scaled does for "
     "activations", OptionKind::kFlag, kVerbQuantize,
     [](Options& o, const std::string& v) { return SetFlag(o.plan.scaled.weight, v); }},
    {"bfloat16", "HOW", "how bfloat16 tensors are written: casts (Cast nodes instead of com.amd.quark operators), "
     "clip (a Clip in front), vaiml (casts at inputs only)", OptionKind::kList, kVerbQuantize,
     [](Options& o, const std::string& v) { return SetBFloat16(o.plan.bfloat16, v); }},
    {"bfp-attribute", "KEY=VALUE", "for BFP, MX4, MX6 and MX9 types: an attribute of BFPQuantizeDequantize, such as "
     "block_size=16", OptionKind::kList, kVerbQuantize,
     [](Options& o, const std::string& v) { return SetAttribute(o.types.bfp_attributes, v); }},
    {"mx-attribute", "KEY=VALUE", "for other MX types: an attribute of MXQuantizeDequantize, such as block_size=16",
     OptionKind::kList, kVerbQuantize,
     [](Options& o, const std::string& v) { return SetAttribute(o.types.mx_attributes, v); }},
    {"keep-block-axis", "", "always use blocks along axis 1, even where MatMul, Gemm or Softmax reduces another "
     "axis", OptionKind::kFlag, kVerbQuantize,
     [](Options& o, const std::string& v) { return SetFlag(o.plan.blocks.refine_axis, v, true); }},
    {"accuracy-level", "N", "type in which --target matmul-nbits computes: 1 float32, 2 float16, 3 bfloat16, 4 int8 "
     "(default 0: the runtime chooses)", OptionKind::kValue, kVerbQuantize,
     [](Options& o, const std::string& v) { return SetAccuracyLevel(o.plan, v); }},
    {"scale-type", "TYPE", "type of scales, for activations and weights: float32 (default), power-of-two, int16",
     OptionKind::kValue, kChoosesRanges, SetScaleType},
    {"weight-scale-type", "TYPE", "type of scales for weights only (default: as --scale-type)", OptionKind::kValue,
     kVerbQuantize,
     [](Options& o, const std::string& v) { return SetTo(o.plan.weight_scale_type, ParseScaleType(v)); }},
    {"weight-method", "M", "method for the ranges of weights: minmax, minmse (default for power-of-two scales), "
     "hqq (only with --target matmul-nbits)",
     OptionKind::kValue, kVerbQuantize,
     [](Options& o, const std::string& v) { return SetTo(o.plan.weight_rule.method, ParseWeightMethod(v)); }},
    {"weight-search", "S", "candidates of --weight-method minmse: All (default), Percentile, HistCenter",
     OptionKind::kValue, kVerbQuantize,
     [](Options& o, const std::string& v) { return SetTo(o.plan.weight_rule.search, ParseWeightSearch(v)); }},
    {"compat", "TOOL", "compute exactly the numbers of another tool: quark, onnxruntime (default off); needs "
     "--method", OptionKind::kValue, kVerbQuantize | kVerbRanges,
     [](Options& o, const std::string& v) { return SetTo(o.plan.compat, ParseCompat(v)); }},
    {"format", "F", "form of integer operators: qdq (default; float operators between DequantizeLinear and "
     "QuantizeLinear), qoperator (QLinearConv and similar), extended (only target quark, its default for types other "
     "than int8 and uint8; com.microsoft quantizers, more operator types)", OptionKind::kValue,
     kVerbQuantize | kVerbRetarget,
     [](Options& o, const std::string& v) { return SetFormat(o, v); }},
    {"target", "T", "where the result will run ('help' lists them); default: ort-cpu, or simulate if ort-cpu does "
     "not support the types", OptionKind::kValue, kObserves | kVerbRetarget,
     [](Options& o, const std::string& v) { o.target = v; return Status::Ok(); }},
    {"symmetric", "", "symmetric activations: the zero point is the middle code", OptionKind::kFlag,
     kPlans | kReadsRanges,
     [](Options& o, const std::string& v) { return SetFlag(o.plan.activation_symmetric.emplace(), v); }},
    {"per-tensor", "", "one scale per weight instead of one per channel", OptionKind::kFlag, kPlans,
     [](Options& o, const std::string& v) { return SetFlag(o.plan.per_channel, v, true); }},
    {"reduce-range", "", "weights use one bit less (int8: 7 bits), so that sums can't overflow on any CPU; half the "
     "resolution", OptionKind::kFlag, kVerbQuantize,
     [](Options& o, const std::string& v) { return SetFlag(o.plan.op_list.reduce_range, v); }},
    {"vnni", "", "weights use all codes: for x86 processors with VNNI and for ARM; others saturate sums of two "
     "products",
     OptionKind::kFlag, kVerbQuantize, [](Options& o, const std::string& v) { return SetFlag(o.plan.vnni, v); }},
    {"algorithm", "NAME", "also use an algorithm: NAME[:OPTION=VALUE,...] ('help' lists both)", OptionKind::kList,
     kPlans | kVerbPasses, [](Options& o, const std::string& v) { return AskForAlgorithm(o.algorithms, v); }},
    {"disable-algorithm", "NAME", "switch off an algorithm that improves weights or biases ('help' lists them)",
     OptionKind::kList, kVerbQuantize,
     [](Options& o, const std::string& v) { o.algorithms.disabled.insert(v); return Status::Ok(); }},
    {"exclude", "NODE", "nodes that stay float, by name; * and ? are wildcards", OptionKind::kList, kObserves,
     [](Options& o, const std::string& v) { o.plan.exclude.names.push_back(v); return Status::Ok(); }},
    {"exclude-type", "OP", "operator types that stay float", OptionKind::kList, kObserves,
     [](Options& o, const std::string& v) { o.plan.exclude.types.push_back(v); return Status::Ok(); }},
    {"passthrough", "OP", "outputs of these operator types get the range of the input instead of their own",
     OptionKind::kList, kObserves,
     [](Options& o, const std::string& v) { o.plan.passthrough.push_back(v); return Status::Ok(); }},
    {"float16", "HOW", "float16 models are converted to float32: keep-io (default: all but inputs and outputs), "
     "convert (all), off (nothing)", OptionKind::kValue, kObserves,
     [](Options& o, const std::string& v) { return SetFloat16(o.prepare.float16, v); }},
    {"pass", "PASS", "a pass to run ('help' lists them); they run in the order of that list", OptionKind::kList,
     kVerbPasses, [](Options& o, const std::string& v) { o.passes.names.push_back(v); return Status::Ok(); }},
    {"list", "FILE", "a file of names, or a list of AMD Quark: .yaml, .json, or a8w8, a16w8, bf16, bfp16, xint8",
     OptionKind::kValue, kVerbPasses, [](Options& o, const std::string& v) { o.passes.list = v; return Status::Ok(); }},
    {"copy-type", "OP", "operator types whose constants copy_shared_initializers copies (default: all)",
     OptionKind::kList, kVerbPasses,
     [](Options& o, const std::string& v) { o.passes.copied_types.push_back(v); return Status::Ok(); }},
    {"disable-pass", "PASS", "switch off a pass over the float or the quantized graph ('help' lists them)",
     OptionKind::kList, kObserves,
     [](Options& o, const std::string& v) { o.prepare.passes.disabled.insert(v); return Status::Ok(); }},
    {"enable-pass", "PASS", "also run a pass that is off for the target ('help' lists them)", OptionKind::kList,
     kObserves, [](Options& o, const std::string& v) { o.prepare.passes.enabled.insert(v); return Status::Ok(); }},
    {"exact", "", "count every value (default: minimum, maximum and tails exact, other values of large tensors "
     "sampled); slower", OptionKind::kFlag, kObserves,
     [](Options& o, const std::string& v) {
       bool exact = false;
       PREON_RETURN_IF_ERROR(SetFlag(exact, v));
       o.calibration.observe.mode = exact ? SketchMode::kExact : SketchMode::kSampled;
       return Status::Ok();
     }},
    {"no-optimize", "", "calibrate the unoptimized graph: values equal those of the unoptimized model; slower",
     OptionKind::kFlag, kObserves,
     [](Options& o, const std::string& v) { return SetFlag(o.calibration.observe.optimize, v, true); }},
    {"fix", "", "fix what can be fixed without a change of values; compare both models, write the fixed one to -o",
     OptionKind::kFlag, kVerbLint, [](Options& o, const std::string& v) { return SetFlag(o.fix, v); }},
    {"float-model", "FILE", "the float model that was quantized: training begins with its weights (default: with the "
     "decoded codes)", OptionKind::kValue, kVerbExportQat,
     [](Options& o, const std::string& v) { o.float_model = v; return Status::Ok(); }},
    {"external-data", "", "store the result's weights in FILE.HASH.data beside it (default: only above 2 GB)",
     OptionKind::kFlag, kVerbQuantize | kVerbPasses | kVerbLint | kVerbRetarget,
     [](Options& o, const std::string& v) { return SetFlag(o.write.external_data, v); }},
    {"fix-shape", "NAME=SIZES", "set the unknown dimensions of an input or output: NAME=1x3x224x224; also sets "
     "dimensions of the same name elsewhere", OptionKind::kList, kObserves | kVerbPasses,
     [](Options& o, const std::string& v) {
       PREON_ASSIGN_OR_RETURN(auto pair, ParseShapeOf(v));
       if (std::ranges::any_of(pair.second, [](int64_t size) { return size < 0; }))
         return BadValue(v, "sizes of at least 0");
       o.prepare.fixed_shapes.insert_or_assign(std::move(pair.first), std::move(pair.second));
       return Status::Ok();
     }},
    {"nhwc", "", "images are NHWC at the inputs and outputs of the result; samples stay NCHW", OptionKind::kFlag,
     kVerbQuantize, [](Options& o, const std::string& v) { return SetFlag(o.write.nhwc, v); }},
    {"value-info", "", "store type and shape of every inner tensor in the result", OptionKind::kFlag, kVerbQuantize,
     [](Options& o, const std::string& v) { return SetFlag(o.write.value_info, v); }},
    {"opset", "N", "raise the model to this opset of ONNX first (default: the target's preferred opset, else the "
     "lowest that its quantizers need)",
     OptionKind::kValue, kObserves | kVerbRetarget,
     [](Options& o, const std::string& v) { return SetCount(o.prepare.opset, v, 1); }},
    {"always-write", "", "write the result even if it is larger or slower than the float model (default: such a result "
     "is not written, exit status 5)", OptionKind::kFlag, kVerbQuantize,
     [](Options& o, const std::string& v) { return SetFlag(o.write.always, v); }},
    {"report", "FILE", "also write the result to FILE: .html, .json or .txt", OptionKind::kValue,
     kVerbQuantize | kVerbCompare,
     [](Options& o, const std::string& v) { o.outputs.report = v; return Status::Ok(); }},
    {"latency", "S", "seconds for one measurement of latency (default 0.2; validate 0.5; compare, lint, retarget 1); "
     "0: none", OptionKind::kValue,
     kVerbQuantize | kVerbCompare | kVerbLint | kVerbRetarget,
     [](Options& o, const std::string& v) { return SetSeconds(o.latency_seconds, v); }},
    {"production", "FILE", "statistics collected in production, to check how well calibration covers them",
     OptionKind::kValue, kVerbAnalyze,
     [](Options& o, const std::string& v) { o.analysis.production = v; return Status::Ok(); }},
    {"group-by", "G", "compare groups of samples, tensor by tensor: by folder, file or label", OptionKind::kValue,
     kVerbAnalyze,
     [](Options& o, const std::string& v) { return SetTo(o.analysis.group_by, ParseGroupBy(v)); }},
    {"tolerance", "SHARE", "largest part of a range that samples may miss while the range still counts as covered "
     "(default 0.01)",
     OptionKind::kValue, kVerbAnalyze,
     [](Options& o, const std::string& v) {
       const auto share = ParseNumber<double>(v);
       if (!share || !(*share >= 0 && *share < 1)) return BadValue(v, "a number of at least 0 and below 1");
       o.analysis.tolerance = share;
       return Status::Ok();
     }},
    {"cover", "FILE", "also write to FILE a small set of samples that reaches all ranges, for --only of calibrate",
     OptionKind::kValue, kVerbAnalyze,
     [](Options& o, const std::string& v) { o.outputs.cover = v; return Status::Ok(); }},
    {"html", "FILE", "also write to FILE a page with histograms and curves over the layers", OptionKind::kValue,
     kVerbAnalyze, [](Options& o, const std::string& v) { o.outputs.html = v; return Status::Ok(); }},
    {"save-histograms", "DIR", "also draw each observed tensor's histogram with the ranges of all methods, as "
     "DIR/TENSOR.svg", OptionKind::kValue, kPlans | kVerbAnalyze,
     [](Options& o, const std::string& v) { o.outputs.histograms = v; return Status::Ok(); }},
    {"save-and-restore", "FILE", "ranges as JSON: if FILE exists, read the ranges from it; otherwise calibrate and "
     "write them", OptionKind::kValue, kVerbQuantize,
     [](Options& o, const std::string& v) { o.outputs.ranges = v; return Status::Ok(); }},
    {"save", "DIR", "write the outputs of each run as DIR/N.npz", OptionKind::kValue, kVerbRun,
     [](Options& o, const std::string& v) { o.run.save_folder = v; return Status::Ok(); }},
    {"repeat", "N", "run all samples N times (default 1)", OptionKind::kValue, kVerbRun,
     [](Options& o, const std::string& v) { return SetCount(o.run.repeat, v, 1); }},
    {"options", "", "also list AMD Quark's keys with type, default and meaning here; with --json all options in full",
     OptionKind::kFlag, kVerbDoctor, [](Options& o, const std::string& v) { return SetFlag(o.describe_options, v); }},
};

}  // namespace

std::span<const OptionSpec> OptionTable() {
  static const std::vector<OptionSpec> table = [] {
    std::vector<OptionSpec> all(std::begin(kOptions), std::end(kOptions));
    auto place = std::ranges::find(all, "disable-algorithm", &OptionSpec::name) + 1;
    for (const auto& [algorithm, option, help] : AlgorithmSwitches())
      place = all.insert(place, {option, "", help, OptionKind::kFlag, kVerbQuantize, nullptr, algorithm}) + 1;
    place = std::ranges::find(all, "confirm", &OptionSpec::name) + 1;
    all.insert(place, JudgingOptions().begin(), JudgingOptions().end());
    place = std::ranges::find(all, "repeat", &OptionSpec::name) + 1;
    all.insert(place, RuntimeOptions().begin(), RuntimeOptions().end());
    for (OptionSpec& option : all)
      if ((option.verbs & kVerbQuantize) != 0) option.verbs |= VerbsThatTake(option.name);
    return all;
  }();
  return table;
}

}  // namespace preon

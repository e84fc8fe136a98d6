#include "api/option_table.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "formats/int_format.h"
#include "instrument/output_name.h"

namespace preon {
namespace {

constexpr uint32_t kNeedsData = kVerbQuantize | kVerbCalibrate | kVerbRun | kVerbCompare | kVerbInstrument;
constexpr uint32_t kPlans = kVerbQuantize | kVerbCalibrate | kVerbInstrument;
constexpr uint32_t kReadsRanges = kVerbRanges | kVerbAnalyze;
constexpr uint32_t kChoosesRanges = kVerbQuantize | kReadsRanges;

Status BadValue(const std::string& got, std::string_view wanted) {
  return Error(ErrorId::kBadOptionValue, "got '", got, "', wanted ", wanted);
}

Status SetCount(int64_t& field, const std::string& value, int64_t least) {
  PREON_ASSIGN_OR_RETURN(const int64_t count, ParseCount(value));
  if (count < least) return BadValue(value, StrCat("a number of at least ", least));
  field = count;
  return Status::Ok();
}

Status SetFlag(bool& field, const std::string& value, bool inverted = false) {
  if (value != "true" && value != "false") return BadValue(value, "true or false");
  field = (value == "true") != inverted;
  return Status::Ok();
}

Status SetType(DataType& field, const std::string& value) {
  PREON_ASSIGN_OR_RETURN(field, ParseIntType(value));
  return Status::Ok();
}

// "NAME=VALUE" with both sides present.
Result<std::pair<std::string, std::string>> SplitPair(const std::string& value, std::string_view wanted) {
  const size_t equals = value.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == value.size()) return BadValue(value, wanted);
  return std::pair(value.substr(0, equals), value.substr(equals + 1));
}

Status SetShard(Options& options, const std::string& value) {
  int64_t index = 0, count = 0;
  const char* end = value.data() + value.size();
  const auto [slash, error] = std::from_chars(value.data(), end, index);
  if (error == std::errc() && slash != end && *slash == '/') {
    const auto [rest, count_error] = std::from_chars(slash + 1, end, count);
    if (count_error == std::errc() && rest == end && index >= 1 && index <= count) {
      options.data.shard_index = index - 1;
      options.data.shard_count = count;
      return Status::Ok();
    }
  }
  return BadValue(value, "I/N with I from 1 to N");
}

constexpr OptionSpec kOptions[] = {
    {"output", "FILE", "where the result goes; whole or absent", OptionKind::kValue,
     kPlans | kVerbMerge | kVerbRanges,
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
    {"shard", "I/N", "only every N-th sample, from the I-th on; merge the N results", OptionKind::kValue, kVerbCalibrate,
     SetShard},
    {"resume", "", "go on from OUTPUT.partial where there is one, and keep one for the case that this run is interrupted",
     OptionKind::kFlag, kVerbCalibrate,
     [](Options& o, const std::string& v) { return SetFlag(o.resume, v); }},
    {"checkpoint", "S", "with --resume: seconds from one save of OUTPUT.partial to the next (default 10)",
     OptionKind::kValue, kVerbCalibrate,
     [](Options& o, const std::string& v) { return SetCount(o.checkpoint_seconds.emplace(), v, 0); }},
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
    {"method-option", "KEY=VALUE", "option of the method, for example Percentile=99.99", OptionKind::kList, kChoosesRanges,
     [](Options& o, const std::string& v) {
       PREON_ASSIGN_OR_RETURN(const auto pair, SplitPair(v, "KEY=VALUE"));
       o.method_options[pair.first] = pair.second;
       return Status::Ok();
     }},
    {"activation", "TYPE", "type of activations (default uint8; 'help' lists them)", OptionKind::kValue,
     kPlans | kReadsRanges,
     [](Options& o, const std::string& v) { return SetType(o.plan.activation, v); }},
    {"weight", "TYPE", "type of weights (default int8; 'help' lists them)", OptionKind::kValue, kPlans,
     [](Options& o, const std::string& v) { return SetType(o.plan.weight, v); }},
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
    {"target", "T", "whose kernels the result is for (default ort-cpu; 'help' lists them)", OptionKind::kValue, kPlans,
     [](Options& o, const std::string& v) { o.target = v; return Status::Ok(); }},
    {"symmetric", "", "activations with the zero point in the middle", OptionKind::kFlag, kPlans | kReadsRanges,
     [](Options& o, const std::string& v) {
       return SetFlag(o.plan.activation_symmetric.emplace(), v);
     }},
    {"per-tensor", "", "one scale per weight instead of one per channel", OptionKind::kFlag, kPlans,
     [](Options& o, const std::string& v) { return SetFlag(o.plan.per_channel, v, true); }},
    {"no-bias-correction", "", "leave biases as they are, though rounded weights shift the means of outputs",
     OptionKind::kFlag, kVerbQuantize,
     [](Options& o, const std::string& v) { return SetFlag(o.bias_correction, v, true); }},
    {"no-channel-scales", "", "do not even out the channels between a convolution and a depthwise one",
     OptionKind::kFlag, kVerbQuantize,
     [](Options& o, const std::string& v) { return SetFlag(o.channel_scales, v, true); }},
    {"exclude", "NODE", "nodes that stay float, by name; * and ? are wildcards", OptionKind::kList, kPlans,
     [](Options& o, const std::string& v) { o.plan.exclude.push_back(v); return Status::Ok(); }},
    {"exclude-type", "OP", "operator types that stay float", OptionKind::kList, kPlans,
     [](Options& o, const std::string& v) { o.plan.exclude_types.push_back(v); return Status::Ok(); }},
    {"disable-pass", "PASS", "leave out a rewrite of the float graph ('help' lists them)", OptionKind::kList, kPlans,
     [](Options& o, const std::string& v) { o.disabled_passes.insert(v); return Status::Ok(); }},
    {"exact", "", "count every value (default: extremes and tails exact, the bulk of large tensors sampled); slower",
     OptionKind::kFlag, kPlans,
     [](Options& o, const std::string& v) {
       bool exact = false;
       PREON_RETURN_IF_ERROR(SetFlag(exact, v));
       o.sketch_mode = exact ? SketchMode::kExact : SketchMode::kSampled;
       return Status::Ok();
     }},
    {"no-optimize", "", "observe in the graph as it is, not as the runtime optimized it: bit for bit, slower",
     OptionKind::kFlag, kPlans,
     [](Options& o, const std::string& v) { return SetFlag(o.optimize_observed, v, true); }},
    {"report", "FILE", "also write the result to FILE: .json or .txt", OptionKind::kValue, kVerbQuantize | kVerbCompare,
     [](Options& o, const std::string& v) { o.report = v; return Status::Ok(); }},
    {"production", "FILE", "statistics of what the model sees in use: how far calibration covers them", OptionKind::kValue,
     kVerbAnalyze,
     [](Options& o, const std::string& v) { o.production = v; return Status::Ok(); }},
    {"html", "FILE", "also write a page with histograms and curves over the layers to FILE", OptionKind::kValue, kVerbAnalyze,
     [](Options& o, const std::string& v) { o.html = v; return Status::Ok(); }},
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
    {"tmp-dir", "DIR", "folder for temporary files (default: the system's)", OptionKind::kValue, kNeedsData,
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
  return found->set(options, value).WithContext("--", name);
}

}  // namespace preon

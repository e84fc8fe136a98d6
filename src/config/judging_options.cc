#include "config/judging_options.h"

#include "config/option_values.h"

namespace preon {
namespace {

constexpr OptionSpec kJudgingOptions[] = {
    {"size", "SIZE",
     "largest size of the file: 3MB, or 30% of the float model; where 8-bit weights take more, layers get 4-bit "
     "weights, first those that lose the least accuracy for it (targets with 4-bit weights; without --target "
     "simulate)",
     OptionKind::kValue, kVerbQuantize, [](Options& o, const std::string& v) { return SetSizeLimit(o.size.limit, v); }},
    {"eval-data", "SRC",
     "samples to judge by, not used for calibration (default: a fifth of --data); all of them are used, whatever "
     "--samples says",
     OptionKind::kList, kVerbQuantize | kVerbValidate | kVerbReport | kVerbSearch,
     [](Options& o, const std::string& v) {
       o.eval_data.push_back(v);
       return Status::Ok();
     }},
    {"metric", "M",
     "what is measured in addition to the error: top1, top5, topN, f1, nll, map, wer, psnr, sisdr, or FILE.py with a "
     "function evaluate(model) that returns a share from 0 to 1, or one for each sample; a variable unit = 'percent', "
     "'dB', 'nats' or 'number' in it names another unit, higher_is_better = False says that less is better (default: "
     "top-1 where there are labels)",
     OptionKind::kValue, kVerbValidate | kVerbReport | kVerbSearch,
     [](Options& o, const std::string& v) {
       o.metric = v;
       return Status::Ok();
     }},
    {"reference", "SRC",
     "what the first output should be, sample by sample: for psnr and sisdr, boxes for map, tokens for wer",
     OptionKind::kValue, kVerbValidate | kVerbReport | kVerbSearch,
     [](Options& o, const std::string& v) {
       o.reference = v;
       return Status::Ok();
     }},
    {"space", "FILE",
     "configurations to try: a JSON or YAML file with keys of --config, each with a list of choices "
     "({method: [minmax, minmse]}), numbers ({type: float, low: 99, high: 99.999}) or one value (docs/search.md)",
     OptionKind::kValue, kVerbSearch,
     [](Options& o, const std::string& v) {
       o.search.space = v;
       return Status::Ok();
     }},
    {"time", "T", "begin no trial after this time: 90s, 5m, 2h (default: no limit)", OptionKind::kValue, kVerbSearch,
     [](Options& o, const std::string& v) { return SetDuration(o.search.seconds, v); }},
    {"trials", "N", "number of configurations to try (default 50, all of a smaller space; with --sampler grid all)",
     OptionKind::kValue, kVerbSearch,
     [](Options& o, const std::string& v) { return SetCount(o.search.trials.emplace(), v, 1); }},
    {"sampler", "S",
     "which configuration is tried next: tpe (default: values that many good trials have), random, "
     "grid (one after the other)",
     OptionKind::kValue, kVerbSearch,
     [](Options& o, const std::string& v) {
       o.search.sampler = v;
       return Status::Ok();
     }},
    {"goal", "G",
     "which model is best among those that reach what --require asks for: accuracy (default), size or "
     "speed",
     OptionKind::kValue, kVerbSearch,
     [](Options& o, const std::string& v) {
       o.search.goal = v;
       return Status::Ok();
     }},
    {"study", "FILE", "keep the trials in FILE; if FILE exists, the search continues with its trials",
     OptionKind::kValue, kVerbSearch,
     [](Options& o, const std::string& v) {
       o.search.study = v;
       return Status::Ok();
     }},
};

}  // namespace

std::span<const OptionSpec> JudgingOptions() { return kJudgingOptions; }

}  // namespace preon

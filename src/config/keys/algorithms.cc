// What algorithm objects write.
#include <algorithm>
#include <deque>

#include "algorithms/algorithms.h"
#include "config/keys/algorithm_settings.h"
#include "config/keys/key_setters.h"
#include "config/keys/key_spec.h"

namespace preon {
namespace {

// Tables, and what algorithms have that are not in this version.
constexpr KeySpec kOtherKeys[] = {
    {.name = "AutoMixprecision",
     .type = KeyType::kTable,
     .fallback = "null",
     .meaning = "settings block written by AutoMixprecisionConfig",
     .here = "parameters of --algorithm auto_mixprecision, which counts with it",
     .set =
         [](Options& o, const KeyValue& v) {
           if (v.text != "{}") o.algorithms.precision_keys = v.text;
           return Status::Ok();
         }},
    {.name = "AutoMixprecision.DataSize",
     .type = KeyType::kInteger,
     .fallback = "0",
     .meaning = "samples used, 0 = all",
     .range = "0..",
     .here = "samples of the trials, 0 = all that they keep"},
    {.name = "AutoMixprecision.DualQuantNodes",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "second pair at precision borders",
     .here = "as EnableDualQuantNodePairs, where types meet"},
    {.name = "AutoMixprecision.ExcludeLayers",
     .type = KeyType::kTexts,
     .fallback = "[]",
     .meaning = "never these nodes",
     .here = "never these nodes"},
    {.name = "AutoMixprecision.IncludeLayers",
     .type = KeyType::kTexts,
     .fallback = "[]",
     .meaning = "only these nodes",
     .here = "only these nodes"},
    {.name = "AutoMixprecision.MetricDefault",
     .type = KeyType::kText,
     .fallback = "\"l2\"",
     .meaning = "built-in distance: l2, kl, cosine, sqnr, psnr",
     .range = "l2|kl|cosine|sqnr|psnr",
     .here = "distance from float; sqnr and psnr are negated"},
    {.name = "AutoMixprecision.MetricDistanceFn",
     .type = KeyType::kObject,
     .fallback = "null",
     .meaning = "own distance (float, quantized) -> number, lower is better",
     .here = "in Python: a function of two lists, each with a list of arrays for each run of the samples"},
    {.name = "AutoMixprecision.MetricEvaluateFn",
     .type = KeyType::kObject,
     .fallback = "null",
     .meaning = "own score (output) -> number, higher is better",
     .here = "in Python: a function of such a list; the distance is its value for float less its value for quantized"},
    {.name = "AutoMixprecision.MetricOptimizeObject",
     .type = KeyType::kText,
     .fallback = "\"speed\"",
     .meaning = "speed (lower precision is mixed in) or quality (higher precision is mixed in)",
     .range = "speed|quality",
     .here = "speed: lower precision as long as the distance is at most the threshold; quality: higher precision until "
             "it is"},
    {.name = "AutoMixprecision.MetricOutputIndex",
     .type = KeyType::kInteger,
     .fallback = "0",
     .meaning = "model output that is compared",
     .range = "0..",
     .here = "index of the output"},
    {.name = "AutoMixprecision.MetricThreshold",
     .type = KeyType::kNumber,
     .fallback = "0",
     .meaning = "stop value; 0 = promote all, null = analysis only",
     .here = "largest distance; 0 = all candidates change, null = only the analysis"},
    {.name = "AutoMixprecision.NoInputQDQShared",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "skip nodes whose input pair is shared",
     .here = "only nodes whose input no other node reads"},
    {.name = "AutoMixprecision.SensitivityCacheFile",
     .type = KeyType::kText,
     .fallback = "null",
     .meaning = "file that keeps the analysis",
     .here = "JSON file of the scores of all candidates; read where it is of the same search"},
    {.name = "AutoMixprecision.SharedParamMode",
     .type = KeyType::kText,
     .fallback = "\"propagate\"",
     .meaning = "shared scale/zero-point initializers: propagate or unshare",
     .range = "propagate|unshare",
     .here = "no effect: every tensor has a scale of its own"},
    {.name = "AutoMixprecision.SubgraphJson",
     .type = KeyType::kText,
     .fallback = "null",
     .meaning = "partition file; switches to subgraph-wise analysis",
     .here = "JSON file of sub-graphs that change as a whole"},
    {.name = "AutoMixprecision.TargetLayerConfig",
     .type = KeyType::kTable,
     .fallback = "null",
     .meaning = "layer config, list of them, or dict config -> node names (required)",
     .here = "as in the Python class; a dictionary as a list of [layer configuration, names]; \"int16\" alone: the "
             "type of activations; ActivationSymmetric and WeightSymmetric hold for it, too, where they are given",
     .short_form = true},
    {.name = "AutoMixprecision.TargetOpType",
     .type = KeyType::kTexts,
     .fallback = "[\"Conv\", \"ConvTranspose\", \"Gemm\", \"MatMul\"]",
     .meaning = "op types that may change",
     .here = "operator types that may change"},
    {.name = "AutoMixprecision.WorkerNum",
     .type = KeyType::kInteger,
     .fallback = "1",
     .meaning = "parallel analyses",
     .range = "1..",
     .here = "no effect: --threads says how many threads work"},
    {.name = "BiasCorrection",
     .type = KeyType::kFlag,
     .fallback = "true",
     .meaning = "switched on by the algorithm object",
     .here = "on by default; false: --no-bias-correction",
     .set = [](Options& o, const KeyValue& v) { return SetIfOff(o, v, "no-bias-correction"); }},
    {.name = "FastFinetune",
     .type = KeyType::kTable,
     .fallback = "null",
     .meaning = "settings block written by AdaRoundConfig or AdaQuantConfig"},
    {.name = "FastFinetune.OptimAlgorithm",
     .type = KeyType::kText,
     .fallback = "\"adaquant\"",
     .meaning = "adaround or adaquant",
     .range = "adaround|adaquant",
     .default_here = "the one that is asked for",
     .here = "where one of --algorithm adaround and adaquant is asked for: which of them acts"},
    {.name = "GPTQParams",
     .type = KeyType::kTable,
     .fallback = "null",
     .meaning = "settings block written by GPTQConfig"},
    {.name = "UseGPTQ",
     .type = KeyType::kFlag,
     .fallback = "true",
     .meaning = "switched on by the algorithm object",
     .here = "--algorithm gptq; activations are quantized, too, unless WeightsOnly is true",
     .set = [](Options& o, const KeyValue& v) { return v.on ? AskForAlgorithm(o.algorithms, "gptq") : Status::Ok(); }},
};

// A row for each option of an algorithm that Quark has a key for; two algorithms may share one.
std::vector<KeySpec> WithThoseOfAlgorithms() {
  static std::deque<std::string> words;  // what the rows point at
  std::vector<KeySpec> keys(std::begin(kOtherKeys), std::end(kOtherKeys));
  const AlgorithmRegistry algorithms = MakeAlgorithms();
  const auto find = [&](std::string_view name) { return std::ranges::find(keys, name, &KeySpec::name); };
  for (const auto& algorithm : algorithms.entries()) {
    for (const AlgorithmOption& option : algorithm->options()) {
      if (option.key.empty() || find(option.key) != keys.end()) continue;
      words.push_back(option.ignored.empty() ? StrCat("--algorithm ", algorithm->name(), ":", option.name)
                                             : StrCat("no effect: ", option.ignored));
      keys.push_back({.name = option.key,
                      .type = option.type,
                      .fallback = option.key_fallback.empty() ? option.fallback : option.key_fallback,
                      .meaning = option.meaning,
                      .range = option.range,
                      .here = words.back(),
                      .of_algorithm = true});
      const auto table = find(option.key.substr(0, option.key.find('.')));
      if (table == keys.end() || table->type != KeyType::kTable || !table->here.empty()) continue;
      words.push_back(StrCat("options of --algorithm ", algorithm->name()));
      table->here = words.back();
      table->of_algorithm = true;
    }
  }
  std::ranges::sort(keys, {}, &KeySpec::name);
  return keys;
}

}  // namespace

std::span<const KeySpec> AlgorithmsKeys() {
  static const std::vector<KeySpec> keys = WithThoseOfAlgorithms();
  return keys;
}

}  // namespace preon

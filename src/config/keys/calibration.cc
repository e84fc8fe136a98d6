// How ranges are found.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/system.h"
#include "config/keys/key_setters.h"
#include "config/keys/key_spec.h"
#include "config/option_values.h"
#include "config/tensor_overrides.h"

namespace preon {
namespace {

constexpr std::string_view kRandomSeed = "42";  // Quark's

// A key's name as a template's argument.
template <size_t N>
struct Name {
  char text[N];
  consteval Name(const char (&name)[N]) { std::copy_n(name, N, text); }  // NOLINT: implicit on purpose
};

template <Name kName>
Status SetMethodKey(Options& options, const KeyValue& value) {
  options.ranges.method_keys[kName.text] = value.text;
  return Status::Ok();
}

Status SetDataSize(Options& options, const KeyValue& value) {
  if (value.integer > 0) return SetOption(options, "calib-samples", value.text);
  options.given.warnings.push_back("CalibDataSize 0: calibrates with all samples");
  return Status::Ok();
}

Status SetWorkerNum(Options& options, const KeyValue& value) {
  const int64_t cores = AvailableCores(), workers = std::min<int64_t>(value.integer, cores);
  if (workers < value.integer)
    options.given.warnings.push_back(StrCat("CalibWorkerNum ", value.integer, ": this process may use ", cores,
                                            " cores; at most ", cores, " workers start"));
  return SetOption(options, "workers", std::to_string(workers));
}

Status SetPassthrough(Options& options, const KeyValue& value) {
  for (const std::string& type : value.texts) PREON_RETURN_IF_ERROR(SetOption(options, "passthrough", type));
  return Status::Ok();
}

// Without a range of its own an input is uniform in [0, 1), integers 0 or 1.
Status SetUseRandomData(Options& options, const KeyValue& value) {
  if (!value.on) {
    options.data.from.random_samples = 0;
    return Status::Ok();
  }
  options.data.random.values.common.emplace();
  options.data.from.random_samples = std::max<int64_t>(options.data.from.random_samples, 1);
  return options.data.random.seed != 0 ? Status::Ok() : SetOption(options, "seed", std::string(kRandomSeed));
}

// Each entry of the object as the option named would be given it: "NAME=VALUE".
Status SetPerInput(Options& options, const KeyValue& value, std::string_view option, char separator) {
  const nlohmann::json table = nlohmann::json::parse(value.text);
  if (!table.is_object()) return BadValue(value.text, "a JSON object with a list of numbers for each input");
  for (const auto& [input, numbers] : table.items()) {
    if (!numbers.is_array() || numbers.empty() || !std::ranges::all_of(numbers, &nlohmann::json::is_number))
      return BadValue(numbers.dump(), "a list of numbers").WithContext(input);
    std::string text;
    for (const auto& number : numbers) text += (text.empty() ? "" : std::string(1, separator)) + number.dump();
    PREON_RETURN_IF_ERROR(SetOption(options, option, input + "=" + text));
  }
  return Status::Ok();
}

constexpr KeySpec kCalibrationKeys[] = {
    {.name = "CalibDataSize",
     .type = KeyType::kInteger,
     .fallback = "null",
     .meaning = "number of samples used for calibration; null or 0 = all",
     .range = "0..",
     .here = "--calib-samples; 0 = all",
     .set = SetDataSize},
    {.name = "CalibMovingAverage",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "MinMax: average the per-sample extremes",
     .here = "same as --method-option; only for methods with this option",
     .set = SetMethodKey<"CalibMovingAverage">},
    {.name = "CalibMovingAverageConstant",
     .type = KeyType::kNumber,
     .fallback = "0.01",
     .meaning = "smoothing factor of the moving average, 0..1",
     .range = "0..1",
     .here = "same as --method-option; only for methods with this option",
     .set = SetMethodKey<"CalibMovingAverageConstant">},
    {.name = "CalibOptimizeDisk",
     .type = KeyType::kFlag,
     .fallback = "true",
     .meaning = "LayerwisePercentile: compute activations again instead of keeping them",
     .here = "no effect: preon keeps statistics; methods that need the values again keep them in --tmp-dir",
     .set = SetNothing},
    {.name = "CalibOptimizeMem",
     .type = KeyType::kFlag,
     .fallback = "true",
     .meaning = "trade time for memory during calibration",
     .otherwise = "LayerWisePercentile: false; crypto mode: false",
     .default_here = "neither: --memory balanced",
     .here = "true: --memory low, false: --memory fast",
     .set = [](Options& o, const KeyValue& v) { return SetOption(o, "memory", v.on ? "low" : "fast"); }},
    {.name = "CalibPassthroughOpTypes",
     .type = KeyType::kTexts,
     .fallback = "[]",
     .meaning = "op types whose outputs inherit the range of their input",
     .here = "--passthrough",
     .set = SetPassthrough},
    {.name = "CalibTensorRangeSymmetric",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "make the calibrated range symmetric about zero",
     .otherwise = "NonOverflow, PoT MinMSE, Percentile, LayerWisePercentile: true; MinMax, Entropy: false; "
                  "Distribution: not read",
     .default_here = "MinMSE: false",
     .here = "same as --method-option; only for methods with this option",
     .set = SetMethodKey<"CalibTensorRangeSymmetric">},
    {.name = "CalibWorkerNum",
     .type = KeyType::kInteger,
     .fallback = "1",
     .meaning = "threads of the range search",
     .range = "1..",
     .here = "--workers: processes instead of threads, at most one per core",
     .set = SetWorkerNum},
    {.name = "LWPMetric",
     .type = KeyType::kText,
     .fallback = "\"mae\"",
     .meaning = "error used to choose a percentile per tensor: mae or mse",
     .range = "mae|mse|cos",
     .here = "same as --method-option; only for methods with this option",
     .set = SetMethodKey<"LWPMetric">},
    {.name = "LWPUseHistogram",
     .type = KeyType::kFlag,
     .fallback = "true",
     .meaning = "score the candidates on the histogram instead of on raw data",
     .here = "same as --method-option; false: every value counts, as with --exact",
     .set = SetMethodKey<"LWPUseHistogram">},
    {.name = "MinMSEModeFloatScale",
     .type = KeyType::kText,
     .fallback = "\"Percentile\"",
     .meaning = "candidates of the float-scale weight search: Percentile, HistCenter, All",
     .range = "Percentile|HistCenter|All",
     .otherwise = "stored default is null, which acts as Percentile",
     .default_here = "All; with --compat quark Percentile",
     .here = "--weight-search; default All",
     .set = [](Options& o, const KeyValue& v) { return SetOption(o, "weight-search", v.text); }},
    {.name = "MinMSEModePof2Scale",
     .type = KeyType::kText,
     .fallback = "\"All\"",
     .meaning = "power-of-two MinMSE over all data (All) or by per-sample vote (MostCommon)",
     .range = "All|MostCommon|Percentile",
     .here = "same as --method-option; only for methods with this option",
     .set = SetMethodKey<"MinMSEModePof2Scale">},
    {.name = "MinimumRealRange",
     .type = KeyType::kNumber,
     .fallback = "null",
     .meaning = "option of ONNX Runtime's quantizer: smallest width of a range",
     .range = "0..",
     .ours = true,
     .here = "targets quark, ort and simulate: upper bounds grow until the range has this width",
     .set =
         [](Options& o, const KeyValue& v) {
           o.plan.op_list.min_real_range = v.number;
           return Status::Ok();
         }},
    {.name = "NumBins",
     .type = KeyType::kInteger,
     .fallback = "2048",
     .meaning = "histogram bins; 0 turns the histogram of PoT MinMSE off",
     .range = "0..1000000",
     .otherwise = "Entropy: 128",
     .default_here = "Entropy: 2048; other methods have statistics with bins of their own",
     .here = "same as --method-option; only for methods with this option",
     .set = SetMethodKey<"NumBins">},
    {.name = "NumQuantizedBins",
     .type = KeyType::kInteger,
     .fallback = "128",
     .meaning = "groups used by Entropy",
     .range = "2..1000000",
     .default_here = "as many as the type has codes",
     .here = "same as --method-option; only for methods with this option",
     .set = SetMethodKey<"NumQuantizedBins">},
    {.name = "Percentile",
     .type = KeyType::kNumber,
     .fallback = "99.999",
     .meaning = "percentage kept by the Percentile method",
     .range = "0..100",
     .here = "same as --method-option; only for methods with this option",
     .set = SetMethodKey<"Percentile">},
    {.name = "PercentileCandidates",
     .type = KeyType::kNumbers,
     .fallback = "[99.99, 99.999, 99.99999]",
     .meaning = "percentages tried per tensor",
     .range = "0..100",
     .here = "same as --method-option; only for methods with this option",
     .set = SetMethodKey<"PercentileCandidates">},
    {.name = "RandomDataReaderInputDataRange",
     .type = KeyType::kTable,
     .fallback = "null",
     .meaning = "[low, high] for every generated input; null = uniform [0,1)",
     .here = "{\"INPUT\": [LOW,HIGH], ...}: --random-range",
     .set = [](Options& o, const KeyValue& v) { return SetPerInput(o, v, "random-range", ':'); }},
    {.name = "RandomDataReaderInputShape",
     .type = KeyType::kTable,
     .fallback = "{}",
     .meaning = "shapes for generated inputs; must name every input if not empty",
     .here = "{\"INPUT\": [1,3,8,8], ...}: --random-shape",
     .set = [](Options& o, const KeyValue& v) { return SetPerInput(o, v, "random-shape", 'x'); }},
    {.name = "RandomDataReaderNumSamples",
     .type = KeyType::kInteger,
     .fallback = "1",
     .meaning = "samples that UseRandomData makes",
     .range = "1..",
     .ours = true,
     .here = "number of samples of UseRandomData",
     .set =
         [](Options& o, const KeyValue& v) {
           o.data.from.random_samples = v.integer;
           return Status::Ok();
         }},
    {.name = "RandomDataReaderSeed",
     .type = KeyType::kInteger,
     .fallback = "42",
     .meaning = "seed of UseRandomData",
     .range = "0..",
     .ours = true,
     .here = "--seed",
     .set = [](Options& o, const KeyValue& v) { return SetOption(o, "seed", v.text); }},
    {.name = "SaveAndRestore",
     .type = KeyType::kText,
     .fallback = "null",
     .meaning = ".json file that keeps ranges and fine-tune progress",
     .here = "--save-and-restore",
     .set = [](Options& o, const KeyValue& v) { return SetOption(o, "save-and-restore", v.text); }},
    {.name = "SaveTensorHistFig",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "write one histogram figure per tensor",
     .here = "--save-histograms tensor_hist",
     .set = [](Options& o, const KeyValue& v) { return SetIfOn(o, v, "save-histograms", "tensor_hist"); }},
    {.name = "Scenario",
     .type = KeyType::kText,
     .fallback = "\"same\"",
     .meaning = "Distribution: same or p3",
     .range = "same|p3",
     .here = "same as --method-option; float8 types: the scale divides the standard deviation of the values (same) or "
             "of their cube roots (p3) by that of the codes",
     .set = SetMethodKey<"Scenario">},
    {.name = "TensorQuantOverrides",
     .type = KeyType::kTable,
     .fallback = "{}",
     .meaning = "per-tensor settings",
     .here = "{\"TENSOR\": [{...}], ...}: settings of single tensors; each overrides that of the layer",
     .set =
         [](Options& o, const KeyValue& v) {
           o.given.origins.key_of["overrides"] = "TensorQuantOverrides";
           return AddQuarkOverrides(o.plan.settings.overrides, v.text);
         }},
    {.name = "TensorQuantOverrides.*.axis",
     .type = KeyType::kInteger,
     .fallback = "null",
     .meaning = "per-channel axis, integer types only",
     .here = "only constants: one scale per channel along this axis; a negative axis counts from the end"},
    {.name = "TensorQuantOverrides.*.convert",
     .type = KeyType::kTable,
     .fallback = "null",
     .meaning = "second type for some consumers (Base only)",
     .here = "a second pair for the readers in recv_nodes"},
    {.name = "TensorQuantOverrides.*.quant_type",
     .type = KeyType::kText,
     .fallback = "null",
     .meaning = "type of the tensor",
     .here = "a type of preon or of Quark"},
    {.name = "TensorQuantOverrides.*.reduce_range",
     .type = KeyType::kFlag,
     .fallback = "null",
     .meaning = "reduced integer range",
     .here = "only constants"},
    {.name = "TensorQuantOverrides.*.rmax",
     .type = KeyType::kNumber,
     .fallback = "null",
     .meaning = "upper bound instead of the calibrated one",
     .here = "with or without rmin; also for constants"},
    {.name = "TensorQuantOverrides.*.rmin",
     .type = KeyType::kNumber,
     .fallback = "null",
     .meaning = "lower bound instead of the calibrated one",
     .here = "with or without rmax; also for constants"},
    {.name = "TensorQuantOverrides.*.scale",
     .type = KeyType::kNumber,
     .fallback = "null",
     .meaning = "fixed scale, needs zero_point",
     .here = "with zero_point"},
    {.name = "TensorQuantOverrides.*.symmetric",
     .type = KeyType::kFlag,
     .fallback = "null",
     .meaning = "symmetric range",
     .here = "true or false"},
    {.name = "TensorQuantOverrides.*.zero_point",
     .type = KeyType::kInteger,
     .fallback = "null",
     .meaning = "fixed zero point, needs scale",
     .here = "with scale"},
    {.name = "UseRandomData",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "calibrate with generated data when no reader is given",
     .here = "one random sample if no data are given; floats in [0, 1), integers 0 or 1",
     .set = SetUseRandomData},
    {.name = "WeightCalibrateMethod",
     .type = KeyType::kText,
     .fallback = "null",
     .meaning = "range search for weights: CalibrationMethod.MinMax or ExtendedCalibrationMethod.MinMSE",
     .otherwise = "QConfig path, weight scale Float32: MinMSE if the weight spec asks for it, else MinMax; "
                  "PowerOf2/Int16: removed",
     .here = "--weight-method",
     .set = [](Options& o, const KeyValue& v) { return SetOption(o, "weight-method", v.text); }},
};

}  // namespace

std::span<const KeySpec> CalibrationKeys() { return kCalibrationKeys; }

}  // namespace preon

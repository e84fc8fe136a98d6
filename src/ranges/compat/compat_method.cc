#include "ranges/compat/compat_method.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/spelling.h"
#include "ranges/compat/compat_ranges.h"
#include "ranges/method_options.h"

namespace preon::compat {
namespace {

using Collectors = std::function<Result<std::unique_ptr<RangeCollector>>(const RangeQuery& query)>;

/// What the options of one method make: either of the two.
struct Rule {
  Collectors collect;
  std::function<Range(const TensorSketch&)> of_sketch;
};

class CompatMethod final : public RangeMethod {
 public:
  CompatMethod(Compat tool, std::string_view name, DataType activation, Rule rule)
      : tool_(tool), name_(name), activation_(activation), rule_(std::move(rule)) {}
  std::string_view name() const override { return name_; }
  std::string_view summary() const override { return "the numbers of another tool"; }
  Result<std::unique_ptr<RangeMethod>> WithOptions(const MethodOptions& options) const override {
    return MakeCompatMethod(tool_, name_, options, activation_);
  }
  Result<Range> Choose(const TensorSketch& sketch, const RangeQuery&) const override {
    if (collects()) return NeedsValues(name_);
    if (sketch.count() == 0) return Error(ErrorId::kRangeMissing, "no values were observed");
    if (sketch.finite_count() == 0) return Error(ErrorId::kRangeNotFinite, "no value is finite");
    return rule_.of_sketch(sketch);
  }
  bool collects() const override { return rule_.collect != nullptr; }
  Result<std::unique_ptr<RangeCollector>> Collect(const RangeQuery& query) const override {
    return rule_.collect(query);
  }

 private:
  Compat tool_;
  std::string name_;
  DataType activation_;
  Rule rule_;
};

// A method whose collector does not depend on the tensor's format.
template <typename Options>
Rule SameForAll(std::unique_ptr<RangeCollector> (*collect)(const Options&), const Options& options) {
  return {[collect, options](const RangeQuery&) -> Result<std::unique_ptr<RangeCollector>> { return collect(options); },
          nullptr};
}

Result<std::unique_ptr<RangeCollector>> OnlyPowersOfTwo(std::string_view method, const RangeQuery& query,
                                                        std::unique_ptr<RangeCollector> collector) {
  if (query.scale_type == ScaleType::kPowerOfTwo) return collector;
  return Error(ErrorId::kConflictingOptions, method, ": Quark has it only for power-of-two scales, got ",
               ScaleTypeName(query.scale_type), "; wanted --scale-type power-of-two");
}

Rule MinMaxRule(OptionReader& reader, bool symmetric) {
  MinMaxOptions options{.symmetric = symmetric};
  reader.ReadSymmetric(&options.symmetric);
  reader.Read("CalibMovingAverage", &options.average);
  double ignored = 0;
  reader.Read("CalibMovingAverageConstant", 0, 1, &ignored);
  if (options.average) return SameForAll(CollectMinMax, options);
  return {nullptr, [options](const TensorSketch& sketch) {
            const Range range{sketch.min(), sketch.max()};
            const float largest = std::max(std::abs(range.min), std::abs(range.max));
            return options.symmetric ? Range{-largest, largest} : range;
          }};
}

Rule PercentileRule(OptionReader& reader, Compat tool) {
  PercentileOptions options{.one_block = tool == Compat::kOnnxRuntime};
  reader.Read("Percentile", 0, 100, &options.percentile);
  reader.ReadSymmetric(&options.symmetric);
  reader.Read("NumBins", 1, 1 << 20, &options.bins);
  return SameForAll(CollectPercentile, options);
}

Rule LayerwiseRule(OptionReader& reader, DataType activation) {
  LayerwiseOptions options{.type = activation};
  reader.Read("PercentileCandidates", 0, 100, &options.candidates);
  std::string metric = "mae";
  reader.Read("LWPMetric", &metric);
  if (metric != "mae" && metric != "mse")
    reader.Fail(Error(ErrorId::kBadOptionValue, "option LWPMetric: got '", metric, "', wanted mae or mse"));
  options.square = metric == "mse";
  reader.Read("LWPUseHistogram", &options.use_histogram);
  reader.Read("CalibOptimizeMem", &options.half_values);
  reader.ReadSymmetric(&options.symmetric);
  reader.Read("NumBins", 1, 1 << 20, &options.bins);
  return SameForAll(CollectLayerwisePercentile, options);
}

Rule EntropyRule(OptionReader& reader, Compat tool) {
  EntropyOptions options{.one_block = tool == Compat::kOnnxRuntime};
  reader.Read("NumBins", 2, 1 << 16, &options.bins);
  reader.Read("NumQuantizedBins", 2, 1 << 16, &options.groups);
  if (options.groups > options.bins)
    reader.Fail(Error(ErrorId::kBadOptionValue, "option NumQuantizedBins: got ", options.groups,
                      ", wanted at most NumBins, which is ", options.bins));
  bool ignored = false;
  reader.ReadSymmetric(&ignored);
  return SameForAll(CollectEntropy, options);
}

Rule DistributionRule(OptionReader& reader, Compat tool) {
  DistributionOptions options{.one_block = tool == Compat::kOnnxRuntime};
  reader.Read("NumBins", 512, 1 << 20, &options.bins);
  std::string scenario = "same";
  reader.Read("Scenario", &scenario);
  if (scenario != "same" && scenario != "p3")
    reader.Fail(Error(ErrorId::kBadOptionValue, "option Scenario: got '", scenario, "', wanted same or p3"));
  return SameForAll(CollectDistribution, options);
}

Rule MinMseRule(OptionReader& reader) {
  MinMseOptions options;
  std::string mode = "all";
  reader.Read("MinMSEModePof2Scale", &mode);
  reader.Read("NumBins", 0, 1 << 20, &options.bins);
  reader.Read("CalibOptimizeMem", &options.half_values);
  reader.Read("Percentile", 0, 100, &options.percentile);
  reader.ReadSymmetric(&options.symmetric);
  if (mode != "all" && mode != "mostcommon" && mode != "percentile")
    reader.Fail(Error(ErrorId::kBadOptionValue, "option MinMSEModePof2Scale: got '", mode,
                      "', wanted All, MostCommon or Percentile"));
  options.mode = mode == "mostcommon"   ? MinMseMode::kMostCommon
                 : mode == "percentile" ? MinMseMode::kPercentile
                 : options.bins == 0    ? MinMseMode::kValues
                                        : MinMseMode::kHistogram;
  const bool one_sided = options.mode == MinMseMode::kHistogram || options.mode == MinMseMode::kMostCommon;
  if (!options.symmetric && one_sided)
    reader.Fail(Error(ErrorId::kConflictingOptions, "option CalibTensorRangeSymmetric: got false in mode ", mode,
                      ", where Quark changes the method; wanted true, or NumBins=0 in mode All"));
  return {[options](const RangeQuery& query) {
            MinMseOptions of_tensor = options;
            const bool four_bits = query.format.type == DataType::kInt4 || query.format.type == DataType::kUInt4;
            of_tensor.type = four_bits ? DataType::kInt8 : query.format.type;  // as there
            return OnlyPowersOfTwo("minmse", query, CollectMinMse(of_tensor));
          },
          nullptr};
}

std::vector<std::string> MethodsOf(Compat tool) {
  if (tool == Compat::kOnnxRuntime) return {"minmax", "percentile", "entropy", "distribution"};
  return {"minmax", "percentile", "layerwise-percentile", "minmse", "nonoverflow", "entropy", "distribution"};
}

}  // namespace

Result<std::unique_ptr<RangeMethod>> MakeCompatMethod(Compat tool, std::string_view method,
                                                      const MethodOptions& options, DataType activation) {
  const std::vector<std::string> known = MethodsOf(tool);
  if (std::ranges::find(known, method) == known.end()) {
    return Error(ErrorId::kConflictingOptions, "--compat ", CompatName(tool), ": it has no method '", method,
                 "'; wanted --method with one of: ", JoinNames(known));
  }
  OptionReader reader(method, options);
  Rule rule = method == "minmax"                 ? MinMaxRule(reader, false)
              : method == "nonoverflow"          ? MinMaxRule(reader, true)
              : method == "percentile"           ? PercentileRule(reader, tool)
              : method == "layerwise-percentile" ? LayerwiseRule(reader, activation)
              : method == "entropy"              ? EntropyRule(reader, tool)
              : method == "distribution"         ? DistributionRule(reader, tool)
                                                 : MinMseRule(reader);
  PREON_RETURN_IF_ERROR(reader.Finish().WithContext("--compat ", CompatName(tool)));
  return std::unique_ptr<RangeMethod>(std::make_unique<CompatMethod>(tool, method, activation, std::move(rule)));
}

}  // namespace preon::compat

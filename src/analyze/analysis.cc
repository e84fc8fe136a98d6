#include "analyze/analysis.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <set>

#include "analyze/middle.h"
#include "base/text.h"
#include "ranges/outlier_rule.h"
#include "ranges/range_methods.h"

namespace preon {
namespace {

constexpr size_t kPictureBins = 96;

/// The model's order; what has no place in it comes last, by name.
std::vector<TensorOrigin> InOrder(const CalibrationData& data) {
  std::vector<TensorOrigin> ordered = data.origins;
  std::set<std::string_view> placed;
  for (const TensorOrigin& origin : data.origins) placed.insert(origin.tensor);
  for (const auto& [tensor, sketch] : data.tensors) {
    if (!placed.contains(tensor)) ordered.push_back({tensor, ""});
  }
  return ordered;
}

/// Null where there are no finite values.
const TensorSketch* SketchIn(const CalibrationData* data, const std::string& tensor) {
  if (data == nullptr) return nullptr;
  const auto found = data->tensors.find(tensor);
  return found == data->tensors.end() || found->second.finite_count() == 0 ? nullptr : &found->second;
}

/// Of both files together and 0; never empty.
std::pair<double, double> PictureInterval(const TensorSketch& sketch, const TensorSketch* production) {
  double low = std::min(sketch.min(), 0.0f), high = std::max(sketch.max(), 0.0f);
  if (production != nullptr) {
    low = std::min<double>(low, production->min());
    high = std::max<double>(high, production->max());
  }
  return low < high ? std::pair(low, high) : std::pair(-1.0, 1.0);
}

std::string PercentText(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f %%", 100 * share);
  return text;
}

// What the outliers call for, unless the expected error of another method is clearly less: outliers alone do not tell
// how the rest lies.
Status Advise(TensorAnalysis& tensor, const TensorSketch& sketch, const Distribution& values,
              const Distribution& absolute, const AnalyzeOptions& options) {
  constexpr double kClearlyLess = 0.9;
  MethodAdvice advice = AdviceFor(ClassifyOutliers(OutlierRatio(absolute)));
  PREON_ASSIGN_OR_RETURN(const MethodRange by_outliers, RangeOf(*MakeAutoMethod(), sketch, values, options.format));
  tensor.method = advice.method;
  tensor.method_options = std::move(advice.options);
  tensor.reason = StrCat(advice.reason, "; expected error ", PercentText(by_outliers.error));
  const MethodRange& least = *std::ranges::min_element(tensor.methods, {}, &MethodRange::error);
  if (least.error >= kClearlyLess * by_outliers.error) return Status::Ok();
  tensor.reason = StrCat("least expected error: ", PercentText(least.error), "; ", tensor.method, " has ",
                         PercentText(by_outliers.error));
  tensor.method = least.method;
  tensor.method_options.clear();
  return Status::Ok();
}

Result<TensorAnalysis> AnalyzeTensor(const TensorOrigin& origin, const TensorSketch& sketch,
                                     const TensorSketch* production, const AnalyzeOptions& options) {
  const Distribution values = Distribution::Signed(sketch), absolute = Distribution::Absolute(sketch);
  const auto [low, high] = PictureInterval(sketch, production);
  TensorAnalysis tensor{.name = origin.tensor,
                        .op = origin.op,
                        .values = FactsOf(sketch, values, absolute),
                        .picture = Draw(values, low, high, kPictureBins)};
  for (const auto& method : options.methods.entries()) {
    PREON_ASSIGN_OR_RETURN(tensor.methods.emplace_back(), RangeOf(*method, sketch, values, options.format));
  }
  PREON_RETURN_IF_ERROR(Advise(tensor, sketch, values, absolute, options));
  PREON_ASSIGN_OR_RETURN(tensor.chosen, RangeOf(options.chosen, sketch, values, options.format));
  if (production == nullptr) return tensor;
  const Distribution seen = Distribution::Signed(*production);
  const ValueFacts facts = FactsOf(*production, seen, Distribution::Absolute(*production));
  tensor.production = {.values = facts,
                       .shift = ShiftBetween(tensor.values, values, facts, seen, tensor.chosen.range),
                       .picture = Draw(seen, low, high, kPictureBins)};
  return tensor;
}

/// Indices of tensors, the one with the smallest key first, else in the model's order.
template <typename Key>
std::vector<size_t> Ordered(std::vector<size_t> indices, const Key& key) {
  std::ranges::stable_sort(indices, {}, key);
  return indices;
}

void Order(Analysis& analysis) {
  std::vector<size_t> all, compared;
  for (size_t index = 0; index < analysis.tensors.size(); ++index) {
    all.push_back(index);
    if (analysis.tensors[index].production) compared.push_back(index);
  }
  analysis.by_outliers = Ordered(std::move(all), [&](size_t index) {
    return -analysis.tensors[index].values.outlier_ratio.value_or(std::numeric_limits<double>::infinity());
  });
  analysis.by_shift = Ordered(std::move(compared), [&](size_t index) {
    const Shift& shift = analysis.tensors[index].production->shift;
    return std::pair(shift.clipped_calibration - shift.clipped_production, shift.coverage.worst());
  });
  for (const size_t index : analysis.by_shift) {
    if (analysis.tensors[index].production->shift.is_gap()) analysis.gaps.push_back(index);
  }
}

std::vector<MethodSummary> SummarizeMethods(const std::vector<TensorAnalysis>& tensors) {
  std::vector<MethodSummary> summaries;
  if (tensors.empty()) return summaries;
  for (size_t index = 0; index < tensors.front().methods.size(); ++index) {
    MethodSummary& summary = summaries.emplace_back(MethodSummary{.method = tensors.front().methods[index].method});
    std::vector<double> kept, errors;
    for (const TensorAnalysis& tensor : tensors) {
      const MethodRange& method = tensor.methods[index];
      const double largest = std::max(-tensor.values.min, tensor.values.max);
      kept.push_back(largest > 0 ? std::max(-method.range.min, method.range.max) / largest : 1);
      errors.push_back(method.error);
      summary.least_error += method.error <= std::ranges::min(tensor.methods, {}, &MethodRange::error).error;
    }
    summary.median_kept = Middle(std::move(kept));
    summary.median_error = Middle(std::move(errors));
  }
  return summaries;
}

}  // namespace

Result<Analysis> Analyze(const CalibrationData& calibration, const CalibrationData* production,
                         const AnalyzeOptions& options) {
  Analysis analysis;
  for (const TensorOrigin& origin : InOrder(calibration)) {
    const TensorSketch* sketch = SketchIn(&calibration, origin.tensor);
    if (sketch == nullptr) {
      analysis.not_reached.push_back(origin.tensor);
      continue;
    }
    const TensorSketch* seen = SketchIn(production, origin.tensor);
    Result<TensorAnalysis> tensor = AnalyzeTensor(origin, *sketch, seen, options);
    if (!tensor.ok()) return std::move(tensor).status().WithContext(origin.tensor);
    for (const auto& [sharer, source] : calibration.shared) {
      if (source == origin.tensor) tensor->shared_by.push_back(sharer);
    }
    ++analysis.advice[tensor->method];
    if (production != nullptr && seen == nullptr) analysis.not_compared.push_back(origin.tensor);
    analysis.tensors.push_back(*std::move(tensor));
  }
  if (production != nullptr && analysis.not_compared.size() == analysis.tensors.size())
    return Error(ErrorId::kCalibFileMismatch, "no tensor has values in both files");
  Order(analysis);
  if (calibration.per_sample && !analysis.tensors.empty()) {
    std::vector<std::string> names;
    for (const TensorAnalysis& tensor : analysis.tensors) names.push_back(tensor.name);
    PREON_ASSIGN_OR_RETURN(analysis.samples, AnalyzeSamples(calibration, names, options.samples));
  }
  analysis.methods = SummarizeMethods(analysis.tensors);
  return analysis;
}

}  // namespace preon

// Analysis: everything that .calib files tell about the tensors of a model, and about production against calibration.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyze/coverage.h"
#include "analyze/method_ranges.h"
#include "analyze/picture.h"
#include "analyze/sample_analysis.h"
#include "analyze/value_facts.h"
#include "calib/calibration.h"

namespace preon {

struct ProductionView {
  ValueFacts values;
  Shift shift;
  Picture picture;  ///< over the same interval as calibration's
};

struct TensorAnalysis {
  std::string name;
  std::string op;                      ///< that computes it (TensorOrigin); "" where the file does not say
  std::vector<std::string> shared_by;  ///< tensors that take its range
  ValueFacts values;
  /// What is advised for it: name and options of a method, and why.
  std::string method, reason;
  MethodOptions method_options;
  std::vector<MethodRange> methods;  ///< all of the registry, in its order, with their defaults
  MethodRange chosen;                ///< of the method asked for
  Picture picture;
  std::optional<ProductionView> production;
};

/// A method over all tensors.
struct MethodSummary {
  std::string method;
  double median_kept = 0;   ///< the range's larger end over the largest |x|
  double median_error = 0;  ///< MethodRange::error
  int64_t least_error = 0;  ///< of how many tensors no other method's error is less
};

struct Analysis {
  std::vector<TensorAnalysis> tensors;   ///< those with finite values, in the order in which the model computes them
  std::vector<std::string> not_reached;  ///< those without
  std::vector<size_t> by_outliers;       ///< indices of `tensors`, the largest outlier ratio first
  /// Indices of those that are compared with production: first those of which more is clipped there than in
  /// calibration, then those that are covered least.
  std::vector<size_t> by_shift;
  std::vector<size_t> gaps;               ///< of these, those whose shift is a gap
  std::vector<std::string> not_compared;  ///< tensors of `tensors` of which production has no finite values
  std::vector<MethodSummary> methods;
  std::map<std::string, int64_t> advice;  ///< method -> number of tensors
  /// With an entry per tensor of `tensors`; none where the file keeps nothing per sample, or no tensor has values.
  std::optional<SampleAnalysis> samples;
};

struct AnalyzeOptions {
  const RangeMethodRegistry& methods;
  const RangeMethod& chosen;
  IntFormat format;  ///< of every tensor
  SampleOptions samples;
};

/// @param production  null: calibration alone. Who calls has checked that both are of one model and target.
/// Errors: those of the methods, naming tensor and method; those of GroupSamples; kCalibFileMismatch where no tensor
/// can be compared.
Result<Analysis> Analyze(const CalibrationData& calibration, const CalibrationData* production,
                         const AnalyzeOptions& options);

}  // namespace preon

// An analysis that the tests of its forms share.
#pragma once

#include <string>

#include "report/results/results.h"

namespace preon::test {

/// Two tensors named `name` + "0" and "1" against production, the second a gap, and one that was never reached.
inline AnalyzeResult ExampleAnalysis(const std::string& name = "t") {
  AnalyzeResult result{.calib = name,
                       .production = name,
                       .html = name,
                       .samples = 5,
                       .production_samples = 7,
                       .method = "auto",
                       .activation = "uint8"};
  result.facts = {.verb = "analyze", .version = "1.2.3"};
  Analysis& analysis = result.analysis;
  for (const float reach : {1.0f, 8.0f}) {
    TensorAnalysis tensor{.name = name + (reach == 1 ? "0" : "1"), .op = name, .method = "percentile", .reason = "few"};
    tensor.method_options = {{"Percentile", "99.99"}};
    tensor.shared_by = {name};
    tensor.values = {.samples = 5, .count = 100, .infinities = 2, .zero_share = 0.25, .min = -1, .max = 2};
    tensor.values.outlier_ratio = 4 / reach;
    tensor.values.dead_channels = DeadChannels{1, 3};
    tensor.methods = {{"minmax", {-1, 2}, 0, 0.01}, {"percentile", {-1, 1.5}, 0.001, 0.02}};
    tensor.chosen = tensor.methods[1];
    tensor.picture = {-1, 2 * reach, {0.5, 0.5, 0}};
    ProductionView view{.values = tensor.values, .picture = tensor.picture};
    view.values.max = 2 * reach;
    view.shift = {.coverage = {.max = 1 / reach, .min = 1},
                  .clipped_calibration = 0.001,
                  .clipped_production = reach == 1 ? 0.001 : 0.25,
                  .mean_shift = 0.5};
    tensor.production = view;
    analysis.tensors.push_back(tensor);
  }
  analysis.not_reached = {name + "2"};
  analysis.by_outliers = {0, 1};
  analysis.by_shift = {1, 0};
  analysis.gaps = {1};
  analysis.methods = {{"minmax", 1, 0.01, 2}, {"percentile", 0.75, 0.02, 0}};
  analysis.advice = {{"percentile", 2}};
  return result;
}

/// Samples 3 and 9 in groups "a" and "b" over the tensors of ExampleAnalysis: the second gives every end that there is.
inline AnalyzeResult WithSamples(AnalyzeResult result) {
  SampleAnalysis samples{
      .tolerance = 0.01,
      .samples = {{3, "a/1"}, {9, "b/2"}},
      .drivers = {{.sample = 1, .extremes = 2.5, .shrinks = 1}, {.sample = 0, .extremes = 0.5}},
      .convergence = {.sizes = {1, 2}, .shares = {{0.5, 0.25}, {1, 1}}, .needed = 2, .growing = 2},
      .cover = {.samples = {1}, .extremes = 3},
      .groups = {{.name = "a", .samples = 1, .missing = 2}, {.name = "b", .samples = 1, .missed = 2}}};
  samples.convergence.last_growth = 0.5;
  samples.groups[1].least_covered = 0.25;
  TensorSamples tensor{.drivers = {.max = Driver{.sample = 1, .reached_by = 2, .without = 1.5}}, .shares = {0.5, 1}};
  tensor.needed = 2;
  tensor.groups = {{.extent = {0, 1}, .by_others = {.max = 4}, .of_all = {.max = 0.25}, .outlier_ratio = 1},
                   {.extent = {0, 4}, .by_others = {.max = 0.25}, .of_all = {.max = 1}, .outlier_ratio = 7}};
  samples.tensors = {tensor, tensor};
  result.analysis.samples = samples;
  return result;
}

}  // namespace preon::test

// Bias correction: rounding a layer's weights shifts the mean of its outputs; the bias makes up for the shift.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "quantize/plan/quant_plan.h"

namespace preon {

/// For each input of a Conv or Gemm whose bias is planned: the tensor that has its channel means, itself or the
/// one that it is another shape of. Observed where it has a range or blocks.
std::map<std::string, std::string> MeanSources(const Graph& graph, const QuantPlan& plan);

/// Σ (W - W')[o, i, k] · E[x_i] · p_k for each output channel o of a Conv or Gemm; p_k is the share of the output's
/// places at which kernel element k does not meet padding. Empty where that is not known: other operators, means of
/// another number of channels.
/// @param error  W - W', float, in the weight's shape
/// Source: Nagel et al. 2019, "Data-Free Quantization", section 4.2; means from calibration instead of batch
/// normalization.
std::vector<double> BiasShift(const Graph& graph, const Node& node, const Tensor& error, std::span<const double> means);

}  // namespace preon

// Mixed precision: which layers may get other types, and what decides (docs/design/search.md).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/tensor.h"
#include "quantize/plan/tensor_override.h"

namespace preon {

/// How far a quantized output is from float: less is nearer, so decibels count negative.
enum class OutputDistance : uint8_t { kL2, kKl, kCosine, kSqnr, kPsnr };
std::string_view OutputDistanceName(OutputDistance distance);

/// A distance of the calling program's own, over all runs at once: a tensor of the output for each, of float and of the
/// quantized model. Less is nearer; what is no number counts as infinitely far.
using OwnDistance = std::function<double(const std::vector<Tensor>& reference, const std::vector<Tensor>& quantized)>;

struct DistanceMeasure {
  OutputDistance kind = OutputDistance::kL2;
  OwnDistance own;  ///< instead of `kind`; empty: none

  std::string_view name() const { return own ? "own" : OutputDistanceName(kind); }
};

/// What is measured of a model with other types.
struct PrecisionMetric {
  DistanceMeasure distance;
  int64_t output = 0;                   ///< index of the model's output
  int64_t samples = 0;                  ///< at most; 0 = all that trials keep
  std::optional<double> threshold = 0;  ///< none: nothing changes; 0: all candidates change
  bool raises = false;  ///< higher precision until the distance is at most the threshold; else lower, as long as it is
};

/// Which layers may change.
struct PrecisionCandidates {
  std::vector<std::string> op_types = {"Conv", "ConvTranspose", "Gemm", "MatMul"};
  std::vector<std::string> include, exclude;  ///< by name; no `include`: all
  std::string blocks;                         ///< file of sub-graphs that change as a whole; "" = each layer alone
  bool own_inputs = false;                    ///< only those whose input no other node reads
};

struct PrecisionOptions {
  /// Forms, of which each candidate gets the one that harms least. A form is a list of layers: those that name nodes
  /// are for these, one that names none is for all others.
  std::vector<std::vector<LayerOverride>> forms;
  PrecisionCandidates candidates;
  PrecisionMetric metric;
  bool dual = false;  ///< second pairs where types meet
  std::string cache;  ///< file that keeps the candidates' scores; "" = none
};

}  // namespace preon

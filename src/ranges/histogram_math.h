// What range methods compute on a sketch: its values as a distribution, quantiles, expected quantization error.
#pragma once

#include <vector>

#include "formats/int_format.h"
#include "stats/tensor_sketch.h"

namespace preon {

/// A tensor's finite values as a histogram read for computing: non-empty bins in ascending order, values spread evenly
/// within each. Exact zeros and the points of the histogram are bins of width 0, and the outermost bins end at the
/// exact extremes.
class Distribution {
 public:
  struct Bin {
    double low, high, count;
  };

  /// Of x.
  static Distribution Signed(const TensorSketch& sketch);
  /// Of |x|.
  static Distribution Absolute(const TensorSketch& sketch);

  /// The values from low to high; bins across an end in part.
  Distribution Within(double low, double high) const;

  const std::vector<Bin>& bins() const { return bins_; }
  double count() const { return count_; }
  /// The value below which the share `quantile` (0–1) of the values lies, interpolated between neighbouring values as
  /// numpy.quantile does by default: exactly between points, else within one bin; 0 and 1 give the extremes. Needs
  /// count() > 0.
  double Quantile(double quantile) const;

 private:
  explicit Distribution(const TensorSketch& sketch) : count_(static_cast<double>(sketch.finite_count())) {}
  /// |x| of the values with these signs, ascending and with empty bins; zeros left out.
  static std::vector<Bin> Magnitudes(const Histogram& histogram, bool positive, bool negative);
  /// Adds the bin cut to [min, max]; nothing if it is empty.
  void Add(Bin bin, double min, double max);
  /// The value that `rank` others lie below (or above).
  double OrderStatistic(double rank, bool from_top) const;

  std::vector<Bin> bins_;
  double count_;
};

enum class ErrorMetric { kMeanAbsolute, kMeanSquare, kCosine };

/// E|x - x'|, E(x - x')² or the cosine distance 1 - E(x x') / sqrt(E(x²) E(x'²)) for x' = dequantize(quantize(x)),
/// saturation included. Exact for values spread evenly within the bins, so it holds for steps narrower than a bin
/// (16-bit formats) as for wide ones. 0 for an empty distribution; the cosine distance is 0 where all x are 0 and 1
/// where only all x' are.
double ExpectedQuantizationError(const Distribution& values, const QuantParams& params, const IntFormat& format,
                                 ErrorMetric metric);

}  // namespace preon

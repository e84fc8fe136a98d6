// Histogram: what range methods read of a TensorSketch.
#pragma once

#include <vector>

namespace preon {

/// A histogram read-out. Bin i covers [lower_edge + i·width, lower_edge + (i+1)·width), mirrored below zero (there the
/// edge farther from zero is outside). The width is a power of two, 0 is an edge, and the bins reach from min to max
/// (or 0, whichever is farther); at least 2048 of them over [0, max|x|] unless max|x| < 2^-115. Zeros are counted apart
/// and are in no bin. Sum of counts = finite non-zero values (up to rounding). Counts are exact in exact mode and for
/// samples of up to 8192 elements; else exact for |x| >= max|x| / 2 and scaled estimates below a quarter to a half of
/// it (error bound: docs/design/sketch.md).
struct Histogram {
  /// A magnitude that is known, not only its bin, and how often it occurs with either sign.
  struct Point {
    double magnitude, positive, negative;
  };
  double width = 0;
  double lower_edge = 0;
  std::vector<double> counts;
  double zeros = 0;
  /// Exact mode: the mean of the values in each bin; in the middle of an empty bin and of those next to zero.
  std::vector<double> means;
  /// Exact mode: all values with |x| >= the first magnitude, which are in `counts` too; ascending. All magnitudes of a
  /// tensor with up to 4096 different ones, the 256 largest of others.
  std::vector<Point> points;
  double total() const;
};

}  // namespace preon

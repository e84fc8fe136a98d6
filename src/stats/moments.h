// Moments: mean and variance that do not depend on the order of the data.
#pragma once

#include "stats/fixed_sum.h"

namespace preon {

/// Sum and sum of squares of the finite values, added up exactly from per-run sums (kernels/run_stats.h).
struct Moments {
  FixedSum sum;
  FixedSum sum_squares;

  void Add(double run_sum, double run_sum_squares) {
    sum.Add(run_sum);
    sum_squares.Add(run_sum_squares);
  }
  void Merge(const Moments& other) {
    sum.Merge(other.sum);
    sum_squares.Merge(other.sum_squares);
  }
  /// 0 for no values.
  double Mean(uint64_t count) const { return count == 0 ? 0 : sum.ToDouble() / static_cast<double>(count); }
  /// Population variance; 0 for no values. Absolute error about 2^-19 of the mean square.
  double Variance(uint64_t count) const {
    const double mean = Mean(count);
    const double variance = count == 0 ? 0 : sum_squares.ToDouble() / static_cast<double>(count) - mean * mean;
    return variance > 0 ? variance : 0;
  }
  void Write(WireWriter& out) const {
    sum.Write(out);
    sum_squares.Write(out);
  }
  static Moments Read(WireReader& in) {
    Moments moments;
    moments.sum = FixedSum::Read(in);
    moments.sum_squares = FixedSum::Read(in);
    return moments;
  }
};

}  // namespace preon

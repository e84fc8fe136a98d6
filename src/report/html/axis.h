// Axis: values to positions, and where its ticks are.
#pragma once

#include <vector>

namespace preon {

enum class AxisScale {
  kLinear,
  kLog,        ///< values above 0; smaller ones lie at the low end
  kSymmetric,  ///< logarithmic away from 0 on both sides, linear around it
};

class Axis {
 public:
  /// Over the values given, which may be any number of finite ones; never of length 0.
  Axis(AxisScale scale, const std::vector<double>& values);
  /// 0 at the low end, 1 at the high end; beyond the ends it stays there.
  double At(double value) const;
  /// Ascending, inside, about 4 to 8.
  std::vector<double> Ticks() const;

 private:
  double Forward(double value) const;

  AxisScale scale_;
  double low_ = 0, high_ = 1;  // of values
  double unit_ = 1;            // kSymmetric: where it stops being linear
};

}  // namespace preon

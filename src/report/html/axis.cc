#include "report/html/axis.h"

#include <algorithm>
#include <cmath>

namespace preon {
namespace {

constexpr double kLeastLog = 1e-5;
constexpr double kLeastLength = 1e-50;  // less is nothing
constexpr double kLeastSpan = 1e-9;     // of the largest value

double PowerOf10(int exponent) { return std::pow(10.0, exponent); }
int Decade(double value) { return static_cast<int>(std::floor(std::log10(value) + 1e-9)); }

}  // namespace

Axis::Axis(AxisScale scale, const std::vector<double>& values) : scale_(scale) {
  if (!values.empty()) {
    low_ = std::ranges::min(values);
    high_ = std::ranges::max(values);
  }
  if (scale == AxisScale::kLog) {
    low_ = std::max(low_, kLeastLog);
    high_ = std::max(high_, low_ * 1.5);
    return;
  }
  double largest = std::max(std::abs(low_), std::abs(high_));
  if (largest < kLeastLength) largest = 1;
  if (high_ - low_ < kLeastSpan * largest) {
    low_ -= largest;
    high_ += largest;
  }
  unit_ = PowerOf10(Decade(largest) - 2);
}

double Axis::Forward(double value) const {
  switch (scale_) {
    case AxisScale::kLinear:
      return value;
    case AxisScale::kLog:
      return std::log10(std::max(value, kLeastLog));
    case AxisScale::kSymmetric:
      return std::asinh(value / unit_);
  }
  return value;
}

double Axis::At(double value) const {
  return std::clamp((Forward(value) - Forward(low_)) / (Forward(high_) - Forward(low_)), 0.0, 1.0);
}

std::vector<double> Axis::Ticks() const {
  std::vector<double> ticks;
  const auto add = [&](double tick) {
    if (tick >= low_ && tick <= high_) ticks.push_back(tick);
  };
  if (scale_ == AxisScale::kLog) {
    const int first = Decade(low_), last = Decade(high_);
    for (int exponent = first; exponent <= last; exponent += 1 + (last - first) / 10) {
      for (const int factor : {1, 2, 5})
        if (factor == 1 || last - first < 2) add(factor * PowerOf10(exponent));
    }
  } else if (scale_ == AxisScale::kSymmetric) {
    const int first = Decade(unit_) + 1;
    const int last = std::max(first, Decade(std::max({std::abs(low_), std::abs(high_), unit_})));
    for (int exponent = last; exponent >= first; --exponent) add(-PowerOf10(exponent));
    add(0);
    for (int exponent = first; exponent <= last; ++exponent) add(PowerOf10(exponent));
  } else {
    const double span = high_ - low_;
    double step = PowerOf10(Decade(span / 4));
    for (const int factor : {2, 5, 10})
      if (span / step > 8) step = factor * PowerOf10(Decade(span / 4));
    for (double tick = std::ceil(low_ / step) * step; tick <= high_; tick += step)
      add(std::abs(tick) < step / 2 ? 0 : tick);
  }
  return ticks;
}

}  // namespace preon

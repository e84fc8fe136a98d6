// MovingAverage: the exponential average of the samples' extremes, in the order of the data (Quark's
// CalibMovingAverage).
#pragma once

#include <memory>

#include "ranges/method_options.h"
#include "ranges/range_collector.h"

namespace preon {

struct MovingAverage {
  bool on = false;
  double constant = 0.01;  ///< share of the newest sample, 0 < c <= 1

  /// "CalibMovingAverage", "CalibMovingAverageConstant".
  void Read(OptionReader& reader);
  /// m_0 = the first sample's minimum, m_k = m_(k-1) + c (minimum of sample k - m_(k-1)), the same for the maximum, in
  /// double; widened by 0, and to both sides where symmetric.
  std::unique_ptr<RangeCollector> Collect(bool symmetric) const;
};

}  // namespace preon

// PerSample: cosine and distance of an output sample by sample, which sums over all samples do not tell.
#pragma once

#include <cstdint>
#include <optional>

namespace preon {

/// Sums over the values of one sample that are finite in both models.
struct SampleSums {
  double signal = 0, other = 0;  ///< squares, of the first and the second model
  double dot = 0;
  double noise = 0;  ///< squares of the difference
};

/// Of the angle between both; where one is zero everywhere: 1 if the other is, too, else 0.
double CosineOf(const SampleSums& sums);

struct PerSample {
  double cosine_mean = 1, cosine_min = 1;
  double l2_mean = 0, l2_max = 0;
};

class PerSampleFigures {
 public:
  void Add(const SampleSums& sample);
  /// None without samples.
  std::optional<PerSample> Figures() const;

 private:
  int64_t samples_ = 0;
  PerSample sums_;  // the means still sums
};

}  // namespace preon

#include "eval/per_sample.h"

#include <algorithm>
#include <cmath>

namespace preon {

double CosineOf(const SampleSums& sums) {
  const double norms = std::sqrt(sums.signal) * std::sqrt(sums.other);
  if (norms > 0) return std::clamp(sums.dot / norms, -1.0, 1.0);
  return sums.noise == 0 ? 1 : 0;
}

void PerSampleFigures::Add(const SampleSums& sample) {
  const double cosine = CosineOf(sample), l2 = std::sqrt(sample.noise);
  if (samples_++ == 0) sums_.cosine_mean = 0;
  sums_.cosine_mean += cosine;
  sums_.cosine_min = std::min(sums_.cosine_min, cosine);
  sums_.l2_mean += l2;
  sums_.l2_max = std::max(sums_.l2_max, l2);
}

std::optional<PerSample> PerSampleFigures::Figures() const {
  if (samples_ == 0) return std::nullopt;
  PerSample figures = sums_;
  figures.cosine_mean /= static_cast<double>(samples_);
  figures.l2_mean /= static_cast<double>(samples_);
  return figures;
}

}  // namespace preon

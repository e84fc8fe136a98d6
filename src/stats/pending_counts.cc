#include "stats/pending_counts.h"

#include <algorithm>

namespace preon {

void PendingCounts::Reach(const size_t (&reach)[2]) {
  for (size_t sign = 0; sign < 2; ++sign) {
    if (reach[sign] <= reach_[sign]) continue;
    const size_t offset = sign * kBinsPerSign;
    for (auto& counters : dense_) std::fill(counters + offset + reach_[sign], counters + offset + reach[sign], uint16_t{0});
    reach_[sign] = reach[sign];
  }
}

void PendingCounts::Add(const float* x, size_t count, float inv_width, float min_magnitude, const size_t (&reach)[2]) {
  Reach(reach);
  for (size_t begin = 0; begin < count; begin += kStep) {
    listed_ += BinIndices(x + begin, std::min(kStep, count - begin), inv_width, min_magnitude, list_ + listed_);
    if (listed_ <= kListLength) continue;
    CountIndices(list_, listed_, dense_);
    listed_ = 0;
    is_dense_ = true;
  }
}

void PendingCounts::FlushInto(BinCounts& positive, BinCounts& negative, uint32_t weight, int shift) {
  for (size_t i = 0; i < listed_; ++i) {
    const size_t bin = list_[i] % kBinsPerSign;
    (list_[i] < kBinsPerSign ? positive : negative).Add(bin >> shift, weight);
  }
  if (is_dense_) {
    positive.AddDense(dense_[0], dense_[1], reach_[0], weight, shift);
    negative.AddDense(dense_[0] + kBinsPerSign, dense_[1] + kBinsPerSign, reach_[1], weight, shift);
  }
  listed_ = reach_[0] = reach_[1] = 0;
  is_dense_ = false;
}

}  // namespace preon

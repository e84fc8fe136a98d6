#include "stats/pending_counts.h"

#include <algorithm>
#include <span>
#include <utility>

namespace preon {

void PendingCounts::ClearReached() {
  for (size_t sign = 0; sign < 2; ++sign) {
    if (reach_[sign] <= cleared_[sign]) continue;
    const size_t offset = sign * kBinsPerSign;
    for (auto& counters : dense_)
      std::fill(counters + offset + cleared_[sign], counters + offset + reach_[sign], uint16_t{0});
    cleared_[sign] = reach_[sign];
  }
}

void PendingCounts::Add(const float* x, size_t count, float inv_width, const size_t (&reach)[2]) {
  for (size_t sign = 0; sign < 2; ++sign) reach_[sign] = std::max(reach_[sign], reach[sign]);
  for (size_t begin = 0; begin < count; begin += kStep) {
    listed_ += BinIndices(x + begin, std::min(kStep, count - begin), inv_width, list_ + listed_);
    if (listed_ > kListLength) CountListed();
  }
}

void PendingCounts::CountListed() {
  ClearReached();
  CountIndices(list_, listed_, dense_);
  counted_ += std::exchange(listed_, 0);
}

void PendingCounts::FlushInto(BinCounts& positive, BinCounts& negative, uint32_t weight, int shift) {
  if (counted_ > 0) CountListed();
  BinCounts* const signs[2] = {&positive, &negative};
  for (size_t sign = 0; sign < 2 && listed_ + counted_ > 0; ++sign) {
    if (reach_[sign] == 0) continue;
    signs[sign]->Reserve(((reach_[sign] - 1) >> shift) + 1, uint64_t{weight} * (listed_ + counted_));
    const size_t first = sign * kBinsPerSign;
    if (counted_ > 0) signs[sign]->AddDense(dense_[0] + first, dense_[1] + first, reach_[sign], weight, shift);
  }
  // Both signs' arrays in one loop: to tell the signs apart by a branch would cost more than the counting.
  uint32_t* const narrow[2] = {positive.narrow(), negative.narrow()};
  const bool tight = shift == 0 && (narrow[0] || reach_[0] == 0) && (narrow[1] || reach_[1] == 0);
  const size_t base = positive.base();
  for (const uint16_t index : std::span(list_, listed_)) {
    const size_t sign = index / kBinsPerSign;
    const size_t bin = index % kBinsPerSign;
    if (tight) {
      narrow[sign][bin - base] += weight;
    } else {
      signs[sign]->AddReserved(bin >> shift, weight);
    }
  }
  listed_ = counted_ = reach_[0] = reach_[1] = cleared_[0] = cleared_[1] = 0;
}

}  // namespace preon

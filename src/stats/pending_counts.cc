#include "stats/pending_counts.h"

#include <algorithm>
#include <utility>

namespace preon {

void PendingCounts::Reach(const size_t (&reach)[2]) {
  for (size_t sign = 0; sign < 2; ++sign) reach_[sign] = std::max(reach_[sign], reach[sign]);
}

void PendingCounts::ClearReached() {
  for (size_t part = 0; part < kParts; ++part) {
    const size_t reach = reach_[part % 2];
    if (reach <= cleared_[part]) continue;
    for (auto& counters : dense_) {
      uint16_t* const bins = counters + part * kBinsPerSign;
      std::fill(bins + cleared_[part], bins + reach, uint16_t{0});
    }
    cleared_[part] = reach;
  }
}

void PendingCounts::Add(const float* x, size_t count, float inv_width, const size_t (&reach)[2]) {
  Reach(reach);
  for (size_t begin = 0; begin < count; begin += kStep) {
    listed_ += BinIndices(x + begin, std::min(kStep, count - begin), inv_width, list_ + listed_);
    if (listed_ > kListLength) CountListed();
  }
}

void PendingCounts::AddTail(const float* x, size_t count, const RunGroups& groups, float inv_width,
                            const size_t (&reach)[2]) {
  Reach(reach);
  constexpr size_t kWordElements = 64 * kStatLanes;
  static_assert(kWordElements <= kStep, "list_ has room for one step beyond kListLength");
  for (size_t word = 0; word < groups.size(); ++word) {
    if (groups[word] == 0) continue;
    const size_t begin = word * kWordElements;
    listed_ +=
        TailBinIndices(x + begin, std::min(kWordElements, count - begin), {groups[word]}, inv_width, list_ + listed_);
    if (listed_ > kListLength) CountListed();
  }
}

void PendingCounts::CountListed() {
  ClearReached();
  CountIndices(list_, listed_, dense_[0], dense_[1]);
  counted_ += std::exchange(listed_, 0);
}

void PendingCounts::FlushInto(TensorHistogram& histogram, uint32_t weight, int shift) {
  if (counted_ > 0) {
    CountListed();
    histogram.AddDense(dense_[0], dense_[1], reach_, counted_, weight, shift);
  } else if (listed_ > 0) {
    histogram.AddIndices({list_, listed_}, reach_, weight, shift);
  }
  listed_ = counted_ = reach_[0] = reach_[1] = 0;
  cleared_ = kFirstBins;
}

}  // namespace preon

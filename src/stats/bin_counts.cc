#include "stats/bin_counts.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace preon {

namespace {
constexpr size_t kCountGranule = 64;  // memory grows by that many bins

template <typename Count>
void WriteCounts(const std::vector<Count>& counts, WireWriter& out) {
  out.Varint(counts.size() - static_cast<size_t>(std::count(counts.begin(), counts.end(), 0)));
  uint64_t gap = 0;
  for (const Count count : counts) {
    if (count == 0) {
      ++gap;
      continue;
    }
    out.Varint(std::exchange(gap, 0));
    out.Varint(count);
  }
}
}  // namespace

uint64_t BinCounts::Total(size_t end) const {
  uint64_t total = 0;
  for (size_t bin = base_; bin < std::min(end, this->end()); ++bin) total += (*this)[bin];
  return total;
}

void BinCounts::Reserve(size_t end, uint64_t added) {
  values_ += added;
  const bool widen = wide_.empty() && values_ > std::numeric_limits<uint32_t>::max();
  if (end <= this->end() && !widen) return;
  const size_t bins = std::max(end, this->end()) - base_;
  const size_t size = (bins + kCountGranule - 1) / kCountGranule * kCountGranule;
  if (widen) {
    wide_.assign(narrow_.begin(), narrow_.end());
    std::vector<uint32_t>().swap(narrow_);
  }
  if (wide_.empty() && !widen) {
    narrow_.resize(size);
  } else {
    wide_.resize(size);
  }
}

void BinCounts::AddReserved(size_t bin, uint64_t count) {
  if (bin < base_) return;
  if (wide_.empty()) {
    narrow_[bin - base_] += static_cast<uint32_t>(count);
  } else {
    wide_[bin - base_] += count;
  }
}

void BinCounts::Add(size_t bin, uint64_t count) {
  if (bin < base_) return;
  Reserve(bin + 1, count);
  AddReserved(bin, count);
}

void BinCounts::AddDense(const uint16_t* a, const uint16_t* b, size_t count, uint32_t weight, int shift) {
  if (shift == 0 && wide_.empty()) {
    if (count > base_) FoldCounts(a + base_, b + base_, count - base_, weight, narrow_.data());
    return;
  }
  for (size_t bin = base_; bin < count; ++bin)
    AddReserved(bin >> shift, uint64_t{weight} * (uint64_t{a[bin]} + b[bin]));
}

void BinCounts::AddAll(const BinCounts& other, int shift) {
  if (other.end() == other.base_) return;
  Reserve(std::max(base_, (other.end() - 1) >> shift) + 1, other.values_);
  for (size_t bin = other.base_; bin < other.end(); ++bin) AddReserved(bin >> shift, other[bin]);
}

void BinCounts::Coarsen(int shift) {
  BinCounts coarse(base_);
  coarse.AddAll(*this, shift);
  *this = std::move(coarse);
}

void BinCounts::Write(WireWriter& out) const {
  if (wide_.empty()) return WriteCounts(narrow_, out);
  WriteCounts(wide_, out);
}

bool BinCounts::Read(WireReader& in) {
  size_t next = base_;
  for (uint64_t used = in.Varint(); used > 0; --used) {
    const uint64_t gap = in.Varint();
    const uint64_t count = in.Varint();
    if (!in.ok() || gap >= kBinsPerSign - next || count == 0 || count > ~values_) return false;
    next += gap;
    Add(next++, count);
  }
  return in.ok();
}

}  // namespace preon

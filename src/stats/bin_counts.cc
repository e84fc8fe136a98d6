#include "stats/bin_counts.h"

#include <algorithm>
#include <limits>

namespace preon {

namespace {
constexpr size_t kGranule = 64;  // memory grows by that many bins
}  // namespace

uint64_t BinCounts::operator[](size_t bin) const {
  if (bin < base_ || bin >= end()) return 0;
  return wide_.empty() ? narrow_[bin - base_] : wide_[bin - base_];
}

void BinCounts::Reserve(size_t end, uint64_t added) {
  const size_t size = std::max(narrow_.size(), wide_.size());
  const size_t wanted = std::max(size, (end - base_ + kGranule - 1) / kGranule * kGranule);
  total_ += added;
  if (!wide_.empty() || total_ > std::numeric_limits<uint32_t>::max()) {
    if (wide_.empty()) wide_.assign(narrow_.begin(), narrow_.end());
    std::vector<uint32_t>().swap(narrow_);
    wide_.resize(wanted);
  } else {
    narrow_.resize(wanted);
  }
}

void BinCounts::Add(size_t bin, uint64_t count) {
  if (bin < base_ || count == 0) return;
  Reserve(bin + 1, count);
  if (wide_.empty()) {
    narrow_[bin - base_] += static_cast<uint32_t>(count);
  } else {
    wide_[bin - base_] += count;
  }
}

void BinCounts::AddDense(const uint16_t* a, const uint16_t* b, size_t count, uint32_t weight, int shift) {
  uint64_t added = 0;
  for (size_t bin = base_; bin < count; ++bin) added += uint64_t{a[bin]} + b[bin];
  if (added == 0) return;
  if (shift == 0) Reserve(count, added * weight);
  if (shift == 0 && wide_.empty()) {
    FoldCounts(a + base_, b + base_, count - base_, weight, narrow_.data());
    return;
  }
  if (shift == 0) total_ -= added * weight;
  for (size_t bin = 0; bin < count; ++bin) Add(bin >> shift, uint64_t{weight} * (uint64_t{a[bin]} + b[bin]));
}

void BinCounts::AddAll(const BinCounts& other, int shift) {
  for (size_t bin = other.base_; bin < other.end(); ++bin) Add(bin >> shift, other[bin]);
}

void BinCounts::Coarsen(int shift) {
  BinCounts coarse(base_);
  coarse.AddAll(*this, shift);
  *this = std::move(coarse);
}

void BinCounts::Write(WireWriter& out) const {
  uint64_t used = 0;
  for (size_t bin = base_; bin < end(); ++bin) used += (*this)[bin] != 0;
  out.Varint(used);
  size_t next = base_;
  for (size_t bin = base_; bin < end(); ++bin) {
    if ((*this)[bin] == 0) continue;
    out.Varint(bin - next);
    out.Varint((*this)[bin]);
    next = bin + 1;
  }
}

bool BinCounts::Read(WireReader& in) {
  size_t next = base_;
  for (uint64_t used = in.Varint(); used > 0; --used) {
    const uint64_t gap = in.Varint();
    const uint64_t count = in.Varint();
    if (!in.ok() || gap >= kBinsPerSign - next || count == 0 || count > ~total_) return false;
    next += gap;
    Add(next++, count);
  }
  return in.ok();
}

}  // namespace preon

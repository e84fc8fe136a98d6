#include "stats/pending_values.h"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

namespace preon {

namespace {
constexpr uint32_t kSignBit = 0x80000000;
}  // namespace

void PendingValues::SetBound(float bound) {
  bound_ = bound;
  limit_ = bound == OuterValues::kNoBound ? OuterValues::kFew : 2 * OuterValues::kOuter;
}

PendingValues::Slot& PendingValues::Find(uint32_t bits) {
  // Multiplied by the golden ratio, even values that differ in few bits differ in the upper ones.
  size_t slot = (bits * uint32_t{0x9E3779B9}) >> (32 - std::countr_zero(slots_.size()));
  while (slots_[slot].bits != bits && slots_[slot].bits != 0) slot = (slot + 1) & (slots_.size() - 1);
  return slots_[slot];
}

void PendingValues::Reserve(size_t more) {
  const size_t wanted = std::bit_ceil(2 * (used_ + more));
  if (wanted <= slots_.size()) return;
  const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(wanted));
  for (const Slot& slot : old) {
    if (slot.bits != 0) Find(slot.bits) = slot;
  }
}

void PendingValues::Add(const float* x, size_t count) {
  const size_t selected = SelectLarge(x, count, bound_, selected_);
  if (selected == 0) return;
  Reserve(selected);
  for (const float value : std::span(selected_, selected)) {
    const auto bits = std::bit_cast<uint32_t>(value);
    Slot& slot = Find(bits & ~kSignBit);
    if (slot.bits == 0) {
      slot.bits = bits & ~kSignBit;
      ++used_;
    }
    ++slot.counts[bits / kSignBit];
  }
  added_ += selected;
}

OuterValues PendingValues::Take() {
  std::vector<OuterValues::Entry> entries;
  entries.reserve(used_);
  for (const Slot& slot : slots_) {
    if (slot.bits != 0) entries.push_back({std::bit_cast<float>(slot.bits), slot.counts[0], slot.counts[1]});
  }
  slots_.clear();
  used_ = added_ = 0;
  return OuterValues(std::move(entries));
}

}  // namespace preon

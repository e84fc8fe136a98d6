#include "stats/fixed_sum.h"

#include <bit>
#include <cmath>

namespace preon {

void FixedSum::AddWord(size_t first, uint64_t value) {
  for (size_t word = first; word < kWords && value != 0; ++word) {
    words_[word] += value;
    value = words_[word] < value;
  }
}

void FixedSum::SubtractWord(size_t first, uint64_t value) {
  for (size_t word = first; word < kWords && value != 0; ++word) {
    const uint64_t before = words_[word];
    words_[word] -= value;
    value = before < value;
  }
}

void FixedSum::Add(double value) {
  if (value == 0) return;
  int exponent;
  auto mantissa = static_cast<uint64_t>(std::ldexp(std::frexp(std::fabs(value), &exponent), 53));
  int shift = exponent - 53 - kLowestBit;
  if (shift < 0) {
    mantissa >>= -shift;  // only zeros leave
    shift = 0;
  }
  const size_t word = static_cast<size_t>(shift) / 64;
  const int bit = shift % 64;
  const uint64_t low = mantissa << bit;
  const uint64_t high = bit > 11 ? mantissa >> (64 - bit) : 0;
  if (value > 0) {
    AddWord(word, low);
    AddWord(word + 1, high);
  } else {
    SubtractWord(word, low);
    SubtractWord(word + 1, high);
  }
}

void FixedSum::Merge(const FixedSum& other) {
  uint64_t carry = 0;
  for (size_t word = 0; word < kWords; ++word) {
    const uint64_t partial = words_[word] + carry;
    carry = partial < carry;
    words_[word] = partial + other.words_[word];
    carry += words_[word] < partial;
  }
}

FixedSum FixedSum::Negated() const {
  FixedSum result;
  for (size_t word = 0; word < kWords; ++word) result.words_[word] = ~words_[word];
  result.AddWord(0, 1);
  return result;
}

double FixedSum::ToDouble() const {
  if (negative()) return -Negated().ToDouble();
  size_t top = kWords;
  while (top > 0 && words_[top - 1] == 0) --top;
  if (top == 0) return 0;
  // The 64 leading bits, the last one set if anything is below them: enough for one correct rounding.
  const int lead = std::countl_zero(words_[top - 1]);
  const uint64_t below = top > 1 ? words_[top - 2] : 0;
  uint64_t leading = words_[top - 1] << lead | (lead > 0 ? below >> (64 - lead) : 0);
  bool sticky = lead > 0 ? (below << lead) != 0 : below != 0;
  for (size_t word = 0; word + 2 < top; ++word) sticky |= words_[word] != 0;
  leading |= sticky;
  return std::ldexp(static_cast<double>(leading), static_cast<int>(top - 1) * 64 - lead + kLowestBit);
}

void FixedSum::Write(WireWriter& out) const {
  // Sign extension is dropped: `used` words say all.
  const uint64_t filler = negative() ? ~uint64_t{0} : 0;
  size_t used = kWords;
  while (used > 0 && words_[used - 1] == filler) --used;
  out.Varint(used * 2 + (filler != 0));
  for (size_t word = 0; word < used; ++word) out.Varint(words_[word]);
}

FixedSum FixedSum::Read(WireReader& in) {
  FixedSum sum;
  const uint64_t head = in.Varint();
  sum.words_.fill(head % 2 != 0 ? ~uint64_t{0} : 0);
  for (size_t word = 0; word < kWords && word < head / 2; ++word) sum.words_[word] = in.Varint();
  return sum;
}

}  // namespace preon

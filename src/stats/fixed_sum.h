// FixedSum: a sum of doubles that does not depend on the order, as one big fixed-point integer.
#pragma once

#include <array>
#include <cstdint>

#include "stats/wire.h"

namespace preon {

/// Holds multiples of 2^-298 (the square of the smallest float denormal) up to 2^405: more than 2^64 squares of the
/// largest float. Sums and squares of floats, and double roundings of such sums, are multiples of it; so adding is
/// exact, hence associative.
class FixedSum {
 public:
  /// `value` finite, a multiple of 2^-298, |value| < 2^300.
  void Add(double value);
  void Merge(const FixedSum& other);
  /// Correctly rounded.
  double ToDouble() const;
  void Write(WireWriter& out) const;
  static FixedSum Read(WireReader& in);

 private:
  static constexpr int kLowestBit = -298;
  static constexpr size_t kWords = 11;
  bool negative() const { return words_[kWords - 1] >> 63 != 0; }
  FixedSum Negated() const;
  /// Adds or subtracts `value` at word `first`, carrying on upwards.
  void AddWord(size_t first, uint64_t value);
  void SubtractWord(size_t first, uint64_t value);

  std::array<uint64_t, kWords> words_{};  // two's complement, least significant first
};

}  // namespace preon

#include "algorithms/rotation.h"

#include <cmath>

#include "base/split_mix.h"

namespace preon {
namespace {

using SignMatrix = std::vector<std::vector<int8_t>>;

bool IsPrime(int64_t number) {
  if (number < 2) return false;
  for (int64_t divisor = 2; divisor * divisor <= number; ++divisor) {
    if (number % divisor == 0) return false;
  }
  return true;
}

// Is the difference a square modulo the prime? 1: yes, -1: no, 0: it is 0.
std::vector<int8_t> Characters(int64_t prime) {
  std::vector<int8_t> characters(static_cast<size_t>(prime), -1);
  characters[0] = 0;
  for (int64_t root = 1; root < prime; ++root) characters[static_cast<size_t>(root * root % prime)] = 1;
  return characters;
}

// Borders of ones around the characters of i - j; the left one is multiplied by `left`. Source: Paley 1933, "On
// orthogonal matrices".
SignMatrix Conference(int64_t prime, int8_t left) {
  const std::vector<int8_t> characters = Characters(prime);
  const auto size = static_cast<size_t>(prime) + 1;
  SignMatrix matrix(size, std::vector<int8_t>(size, 1));
  matrix[0][0] = 0;
  for (size_t i = 1; i < size; ++i) {
    matrix[i][0] = left;
    for (size_t j = 1; j < size; ++j) {
      const int64_t difference = (static_cast<int64_t>(i) - static_cast<int64_t>(j) + prime) % prime;
      matrix[i][j] = characters[static_cast<size_t>(difference)];
    }
  }
  return matrix;
}

SignMatrix FirstPaley(int64_t prime) {
  SignMatrix matrix = Conference(prime, -1);
  for (size_t i = 0; i < matrix.size(); ++i) matrix[i][i] = 1;
  return matrix;
}

SignMatrix SecondPaley(int64_t prime) {
  const SignMatrix conference = Conference(prime, 1);
  constexpr int8_t kOfOnes[2][2] = {{1, 1}, {1, -1}}, kOfZeros[2][2] = {{1, -1}, {-1, -1}};
  SignMatrix matrix(2 * conference.size(), std::vector<int8_t>(2 * conference.size()));
  for (size_t i = 0; i < matrix.size(); ++i) {
    for (size_t j = 0; j < matrix.size(); ++j) {
      const int8_t sign = conference[i / 2][j / 2];
      matrix[i][j] = sign == 0 ? kOfZeros[i % 2][j % 2] : static_cast<int8_t>(sign * kOfOnes[i % 2][j % 2]);
    }
  }
  return matrix;
}

std::optional<SignMatrix> PaleyOf(int64_t size) {
  if (size % 4 != 0) return std::nullopt;
  if (IsPrime(size - 1)) return FirstPaley(size - 1);  // 3 modulo 4
  const int64_t prime = size / 2 - 1;
  return IsPrime(prime) && prime % 4 == 1 ? std::optional(SecondPaley(prime)) : std::nullopt;
}

// The smallest that a power of two makes one of this size.
std::optional<SignMatrix> BaseOf(int64_t size) {
  if (size < 1) return std::nullopt;
  int64_t odd = size, power = 1;
  while (odd % 2 == 0) {
    odd /= 2;
    power *= 2;
  }
  if (odd == 1) return SignMatrix{{1}};
  for (int64_t twos = 4; twos <= power; twos *= 2) {
    std::optional<SignMatrix> base = PaleyOf(odd * twos);
    if (!base) continue;
    for (size_t column = 0; column < base->size(); ++column) {
      const int8_t sign = (*base)[0][column];
      for (auto& row : *base) row[column] = static_cast<int8_t>(row[column] * sign);
    }
    return base;
  }
  return std::nullopt;
}

// By Sylvester's matrix, whose rows are its columns.
void WalshTransform(std::span<double> vector) {
  for (size_t half = 1; half < vector.size(); half *= 2) {
    for (size_t first = 0; first < vector.size(); first += 2 * half) {
      for (size_t i = first; i < first + half; ++i) {
        const double sum = vector[i] + vector[i + half];
        vector[i + half] = vector[i] - vector[i + half];
        vector[i] = sum;
      }
    }
  }
}

}  // namespace

Rotation::Rotation(SignMatrix base, RotationKind kind, int64_t size)
    : base_(std::move(base)), kind_(kind), signs_(static_cast<size_t>(size), 1) {
  for (size_t i = 1; i < signs_.size() && kind != RotationKind::kHadamard; ++i)
    signs_[i] = SplitMix64((i + 1) * kSplitMixStep) >> 63 == 0 ? 1 : -1;
}

std::optional<Rotation> Rotation::Make(int64_t size, RotationKind kind) {
  std::optional<SignMatrix> base = BaseOf(size);
  if (!base) return std::nullopt;
  return Rotation(*std::move(base), kind, size);
}

void Rotation::Multiply(std::span<double> vector, bool transposed) const {
  const size_t parts = base_.size(), length = vector.size() / parts;
  for (size_t part = 0; part < parts; ++part) WalshTransform(vector.subspan(part * length, length));
  if (parts == 1) return;
  const std::vector<double> from(vector.begin(), vector.end());
  for (size_t to = 0; to < parts; ++to) {
    for (size_t i = 0; i < length; ++i) {
      double sum = 0;
      for (size_t part = 0; part < parts; ++part)
        sum += from[part * length + i] * (transposed ? base_[to][part] : base_[part][to]);
      vector[to * length + i] = sum;
    }
  }
}

void Rotation::Apply(std::span<double> vector) const {
  const bool keeps_means = kind_ == RotationKind::kKeepsMeans;
  if (keeps_means) Multiply(vector, true);
  for (size_t i = 0; i < vector.size() && keeps_means; ++i) vector[i] *= signs_[i];
  Multiply(vector, false);
  const auto size = static_cast<double>(vector.size());
  const double factor = keeps_means ? 1 / size : 1 / std::sqrt(size);
  for (size_t i = 0; i < vector.size(); ++i) vector[i] *= keeps_means ? factor : factor * signs_[i];
}

}  // namespace preon

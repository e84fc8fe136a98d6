#include "eval/values.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "base/half.h"

namespace preon {
namespace {

double FromBFloat16(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

template <typename T>
std::vector<double> Widened(const Tensor& tensor) {
  const std::span<const T> values = tensor.As<T>();
  return {values.begin(), values.end()};
}

std::vector<double> Decoded(const Tensor& tensor, double (*decode)(uint16_t)) {
  std::vector<double> values;
  for (const uint16_t bits : tensor.As<uint16_t>()) values.push_back(decode(bits));
  return values;
}

// Of each element 1 where both tensors have the same, bit for bit, else 0.
std::vector<double> Matches(const Tensor& a, const Tensor& b) {
  const auto bits = static_cast<size_t>(DataTypeBits(a.type()));
  // Elements of less than a byte: the first lies in the lowest bits.
  const auto code = [bits](const Tensor& tensor, size_t index) {
    return std::to_integer<unsigned>(tensor.bytes()[index * bits / 8]) >> (index * bits % 8) & ((1u << bits) - 1);
  };
  const auto is_same = [&](size_t index) {
    if (a.type() == DataType::kString) return a.strings()[index] == b.strings()[index];
    if (bits < 8) return code(a, index) == code(b, index);
    const size_t size = bits / 8;
    return std::ranges::equal(a.bytes().subspan(index * size, size), b.bytes().subspan(index * size, size));
  };
  std::vector<double> matches(static_cast<size_t>(a.count()));
  for (size_t index = 0; index < matches.size(); ++index) matches[index] = is_same(index) ? 1 : 0;
  return matches;
}

}  // namespace

int64_t ArgMax(std::span<const double> values) {
  int64_t best = -1;
  for (int64_t index = 0; index < std::ssize(values); ++index) {
    if (!std::isnan(values[index]) && (best < 0 || values[index] > values[best])) best = index;
  }
  return best;
}

int64_t RankOf(std::span<const double> values, int64_t index) {
  if (std::isnan(values[index])) return std::numeric_limits<int64_t>::max();
  int64_t rank = 0;
  for (int64_t other = 0; other < std::ssize(values); ++other)
    rank += values[other] > values[index] || (values[other] == values[index] && other < index);
  return rank;
}

bool HasNumbers(DataType type) {
  constexpr std::array kIntegers = {DataType::kBool,   DataType::kUInt8,  DataType::kInt8,
                                    DataType::kUInt16, DataType::kInt16,  DataType::kUInt32,
                                    DataType::kInt32,  DataType::kUInt64, DataType::kInt64};
  return IsFloatingType(type) || std::ranges::find(kIntegers, type) != kIntegers.end();
}

std::pair<std::vector<double>, std::vector<double>> ComparedValues(const Tensor& a, const Tensor& b) {
  if (HasNumbers(a.type())) return {ToDoubles(a), ToDoubles(b)};
  return {Matches(a, a), Matches(a, b)};
}

std::vector<double> ToDoubles(const Tensor& tensor) {
  switch (tensor.type()) {
    case DataType::kFloat:
      return Widened<float>(tensor);
    case DataType::kDouble:
      return Widened<double>(tensor);
    case DataType::kFloat16:
      return Widened<Half>(tensor);
    case DataType::kBFloat16:
      return Decoded(tensor, FromBFloat16);
    case DataType::kBool:
    case DataType::kUInt8:
      return Widened<uint8_t>(tensor);
    case DataType::kInt8:
      return Widened<int8_t>(tensor);
    case DataType::kUInt16:
      return Widened<uint16_t>(tensor);
    case DataType::kInt16:
      return Widened<int16_t>(tensor);
    case DataType::kUInt32:
      return Widened<uint32_t>(tensor);
    case DataType::kInt32:
      return Widened<int32_t>(tensor);
    case DataType::kUInt64:
      return Widened<uint64_t>(tensor);
    case DataType::kInt64:
      return Widened<int64_t>(tensor);
    default:
      return {};
  }
}

}  // namespace preon

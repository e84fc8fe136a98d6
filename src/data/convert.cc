#include "data/convert.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>
#include <utility>

#include "base/half.h"

namespace preon {
namespace {

// As stored; read only.
struct BFloat16 {
  uint16_t bits;
  operator float() const { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }  // NOLINT
};

template <typename T>
struct TypeTag {
  using type = T;
};

// Calls `visit(TypeTag<T>{})` with the C++ type of `type`'s elements; false if data files have no such type.
template <typename Visitor>
bool VisitType(DataType type, const Visitor& visit) {
  switch (type) {
    case DataType::kFloat:
      visit(TypeTag<float>{});
      return true;
    case DataType::kDouble:
      visit(TypeTag<double>{});
      return true;
    case DataType::kFloat16:
      visit(TypeTag<Half>{});
      return true;
    case DataType::kBFloat16:
      visit(TypeTag<BFloat16>{});
      return true;
    case DataType::kBool:
      visit(TypeTag<bool>{});
      return true;
    case DataType::kInt8:
      visit(TypeTag<int8_t>{});
      return true;
    case DataType::kInt16:
      visit(TypeTag<int16_t>{});
      return true;
    case DataType::kInt32:
      visit(TypeTag<int32_t>{});
      return true;
    case DataType::kInt64:
      visit(TypeTag<int64_t>{});
      return true;
    case DataType::kUInt8:
      visit(TypeTag<uint8_t>{});
      return true;
    case DataType::kUInt16:
      visit(TypeTag<uint16_t>{});
      return true;
    case DataType::kUInt32:
      visit(TypeTag<uint32_t>{});
      return true;
    case DataType::kUInt64:
      visit(TypeTag<uint64_t>{});
      return true;
    default:
      return false;
  }
}

template <typename From, typename To>
constexpr bool Convertible() {
  if constexpr (std::is_same_v<From, To>)
    return true;
  else if constexpr (std::is_same_v<To, Half>)
    return !std::is_integral_v<From> || sizeof(From) == 1;
  else if constexpr (std::is_floating_point_v<To>)
    return !std::is_integral_v<From> || sizeof(From) <= 2;
  else
    return std::is_integral_v<From> && std::is_integral_v<To>;
}

template <typename To, typename From>
bool Fits(From value) {
  if constexpr (std::is_same_v<To, bool>)
    return value == From{0} || value == From{1};
  else if constexpr (std::is_same_v<From, bool>)
    return true;
  else
    return std::in_range<To>(value);
}

template <typename From, typename To>
Status ConvertInto(std::span<const From> from, std::span<To> to, const Shape& shape) {
  for (size_t index = 0; index < from.size(); ++index) {
    if constexpr (std::is_integral_v<To>) {
      if (!Fits<To>(from[index])) {
        return Error(ErrorId::kDataType, "value ", +from[index], " at flat index ", index, " of shape ",
                     ShapeToString(shape), " does not fit the input's type");
      }
    }
    if constexpr (std::is_same_v<To, Half>) {
      const auto value = static_cast<float>(from[index]);
      to[index] = Half(value);
      if (std::isfinite(value) && !std::isfinite(static_cast<float>(to[index]))) {
        return Error(ErrorId::kDataType, "value ", value, " at flat index ", index, " of shape ", ShapeToString(shape),
                     " does not fit the input's type, float16");
      }
    } else {
      to[index] = static_cast<To>(from[index]);
    }
  }
  return Status::Ok();
}

// All exponent bits set = NaN or infinity. Whole blocks first: a loop without an exit runs in vectors.
template <typename Bits>
std::optional<int64_t> FindExponent(std::span<const Bits> values, Bits exponent) {
  constexpr size_t kBlock = 1024;
  for (size_t begin = 0; begin < values.size(); begin += kBlock) {
    const std::span<const Bits> block = values.subspan(begin, std::min(kBlock, values.size() - begin));
    Bits found = 0;
    if (block.size() == kBlock) {
      for (size_t index = 0; index < kBlock; ++index) found |= (block[index] & exponent) == exponent;
      if (found == 0) continue;
    }
    for (size_t index = 0; index < block.size(); ++index) {
      if ((block[index] & exponent) == exponent) return static_cast<int64_t>(begin + index);
    }
  }
  return std::nullopt;
}

}  // namespace

bool IsConvertible(DataType from, DataType to) {
  if (from == to) return true;
  bool convertible = false;
  VisitType(from, [&](auto from_tag) {
    VisitType(to, [&](auto to_tag) {
      convertible = Convertible<typename decltype(from_tag)::type, typename decltype(to_tag)::type>();
    });
  });
  return convertible;
}

Result<Tensor> ConvertElements(const Tensor& tensor, DataType to, const TensorPool& pool) {
  PREON_CHECK(IsConvertible(tensor.type(), to));
  if (tensor.type() == to) return tensor;
  Tensor converted = pool.Allocate(to, tensor.shape());
  Status status = Status::Ok();
  VisitType(tensor.type(), [&](auto from_tag) {
    VisitType(to, [&](auto to_tag) {
      using From = typename decltype(from_tag)::type;
      using To = typename decltype(to_tag)::type;
      if constexpr (Convertible<From, To>()) {
        status = ConvertInto(tensor.As<From>(), converted.Mutable<To>(), tensor.shape());
      }
    });
  });
  PREON_RETURN_IF_ERROR(std::move(status));
  return converted;
}

std::optional<int64_t> FindNotFinite(const Tensor& tensor) {
  switch (tensor.type()) {
    case DataType::kFloat:
      return FindExponent<uint32_t>(tensor.As<uint32_t>(), 0x7f800000);
    case DataType::kDouble:
      return FindExponent<uint64_t>(tensor.As<uint64_t>(), 0x7ff0000000000000);
    case DataType::kFloat16:
      return FindExponent<uint16_t>(tensor.As<uint16_t>(), 0x7c00);
    case DataType::kBFloat16:
      return FindExponent<uint16_t>(tensor.As<uint16_t>(), 0x7f80);
    default:
      return std::nullopt;
  }
}

Status CheckFinite(const Tensor& tensor, const std::string& where) {
  const std::optional<int64_t> found = FindNotFinite(tensor);
  if (!found) return Status::Ok();
  Shape index(tensor.shape().size());
  int64_t rest = *found;
  for (size_t axis = index.size(); axis-- > 0; rest /= tensor.shape()[axis]) index[axis] = rest % tensor.shape()[axis];
  bool is_nan = false;
  VisitType(tensor.type(), [&](auto tag) {
    is_nan = std::isnan(static_cast<double>(tensor.As<typename decltype(tag)::type>()[static_cast<size_t>(*found)]));
  });
  return Error(ErrorId::kDataNotFinite, where, " holds ", is_nan ? "NaN" : "infinity", " at index ",
               ShapeToString(index));
}

}  // namespace preon

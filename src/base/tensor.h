// Tensor: element type, shape and shared, immutable, row-major bytes (owned, or borrowed from a mapped file).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/data_type.h"
#include "base/shape.h"

namespace preon {

/// Cheap to copy: the bytes are shared and never change. 4-bit types are packed low nibble first.
class Tensor {
 public:
  Tensor() = default;
  /// Takes bytes that `owner` keeps alive. `bytes.size()` must be PackedSizeBytes(type, count).
  Tensor(DataType type, Shape shape, std::span<const std::byte> bytes, std::shared_ptr<const void> owner);

  /// Copies `values`; T must match `type` in size.
  template <typename T>
  static Tensor From(DataType type, Shape shape, std::span<const T> values) {
    Tensor tensor = Unwritten(type, std::move(shape));
    PREON_CHECK(tensor.bytes_.size() == values.size_bytes());
    CopyBytes(tensor.MutableBytes(), values.data(), values.size_bytes());
    return tensor;
  }
  static Tensor FromFloats(Shape shape, std::span<const float> values) {
    return From(DataType::kFloat, std::move(shape), values);
  }
  static Tensor FromInt64s(Shape shape, std::span<const int64_t> values) {
    return From(DataType::kInt64, std::move(shape), values);
  }
  static Tensor FromStrings(Shape shape, std::vector<std::string> values);
  static Tensor ScalarFloat(float value) { return FromFloats({}, {&value, 1}); }

  /// Zeroed, 64-byte aligned, to be filled through MutableBytes() before it is shared.
  static Tensor Allocate(DataType type, Shape shape);
  /// Only for a tensor made by Allocate that is not shared yet.
  std::span<std::byte> MutableBytes();
  template <typename T>
  std::span<T> Mutable() {
    std::span<std::byte> bytes = MutableBytes();
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }

  DataType type() const { return type_; }
  const Shape& shape() const { return shape_; }
  int64_t count() const { return ElementCount(shape_); }
  std::span<const std::byte> bytes() const { return bytes_; }
  /// The elements as T; T's size must be the element's.
  template <typename T>
  std::span<const T> As() const {
    PREON_CHECK(DataTypeBits(type_) == static_cast<int>(sizeof(T) * 8));
    return {reinterpret_cast<const T*>(bytes_.data()), bytes_.size() / sizeof(T)};
  }
  std::span<const float> floats() const {
    PREON_CHECK(type_ == DataType::kFloat);
    return As<float>();
  }
  const std::vector<std::string>& strings() const {
    PREON_CHECK(strings_ != nullptr);
    return *strings_;
  }

  /// The same bytes under another shape of the same element count.
  Tensor Reshaped(Shape shape) const;
  /// Rows [begin, end) along axis 0, sharing the bytes. Not for 4-bit types.
  Tensor Slice(int64_t begin, int64_t end) const;

 private:
  // Its bytes are those that happened to be in memory; what pads them is 0.
  static Tensor Unwritten(DataType type, Shape shape);
  static void CopyBytes(std::span<std::byte> to, const void* from, size_t size_bytes);

  DataType type_ = DataType::kUndefined;
  Shape shape_;
  std::span<const std::byte> bytes_;
  std::shared_ptr<const void> owner_;
  std::shared_ptr<const std::vector<std::string>> strings_;
};

/// A float matrix whose rows are the columns of this one.
Tensor TransposedMatrix(const Tensor& matrix);

/// A tensor under the name of a graph input or output.
struct NamedTensor {
  std::string name;
  Tensor tensor;
};

}  // namespace preon

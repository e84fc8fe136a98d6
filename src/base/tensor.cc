#include "base/tensor.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace preon {
namespace {

constexpr size_t kAlignmentBytes = 64;

}  // namespace

Tensor::Tensor(DataType type, Shape shape, std::span<const std::byte> bytes, std::shared_ptr<const void> owner)
    : type_(type), shape_(std::move(shape)), bytes_(bytes), owner_(std::move(owner)) {
  PREON_CHECK(bytes_.size() == PackedSizeBytes(type_, count()));
}

Tensor Tensor::Unwritten(DataType type, Shape shape) {
  PREON_CHECK(IsStatic(shape));
  const size_t size_bytes = PackedSizeBytes(type, ElementCount(shape));
  const size_t allocated = (size_bytes + kAlignmentBytes) / kAlignmentBytes * kAlignmentBytes;
  auto* memory = static_cast<std::byte*>(std::aligned_alloc(kAlignmentBytes, allocated));
  if (memory == nullptr) throw std::bad_alloc();
  std::memset(memory + size_bytes, 0, allocated - size_bytes);
  std::shared_ptr<const void> owner(memory, [](void* p) { std::free(p); });
  return Tensor(type, std::move(shape), {memory, size_bytes}, std::move(owner));
}

Tensor Tensor::Allocate(DataType type, Shape shape) {
  Tensor tensor = Unwritten(type, std::move(shape));
  std::ranges::fill(tensor.MutableBytes(), std::byte{0});
  return tensor;
}

std::span<std::byte> Tensor::MutableBytes() {
  PREON_CHECK(owner_.use_count() == 1);
  return {const_cast<std::byte*>(bytes_.data()), bytes_.size()};
}

Tensor Tensor::FromStrings(Shape shape, std::vector<std::string> values) {
  Tensor tensor;
  tensor.type_ = DataType::kString;
  tensor.shape_ = std::move(shape);
  PREON_CHECK(tensor.count() == static_cast<int64_t>(values.size()));
  tensor.strings_ = std::make_shared<const std::vector<std::string>>(std::move(values));
  return tensor;
}

Tensor Tensor::Reshaped(Shape shape) const {
  PREON_CHECK(ElementCount(shape) == count());
  Tensor tensor = *this;
  tensor.shape_ = std::move(shape);
  return tensor;
}

Tensor Tensor::Slice(int64_t begin, int64_t end) const {
  PREON_CHECK(!shape_.empty() && 0 <= begin && begin <= end && end <= shape_[0]);
  Shape shape = shape_;
  shape[0] = end - begin;
  const int64_t row_elements = shape_[0] == 0 ? 0 : count() / shape_[0];
  if (type_ == DataType::kString) {
    const auto first = strings_->begin() + begin * row_elements;
    return FromStrings(std::move(shape), {first, first + (end - begin) * row_elements});
  }
  PREON_CHECK(DataTypeBits(type_) % 8 == 0);
  const size_t row_bytes = PackedSizeBytes(type_, row_elements);
  return Tensor(type_, std::move(shape), bytes_.subspan(begin * row_bytes, (end - begin) * row_bytes), owner_);
}

void Tensor::CopyBytes(std::span<std::byte> to, const void* from, size_t size_bytes) {
  if (size_bytes > 0) std::memcpy(to.data(), from, size_bytes);
}

Tensor TransposedMatrix(const Tensor& matrix) {
  const auto rows = static_cast<size_t>(matrix.shape()[0]), columns = static_cast<size_t>(matrix.shape()[1]);
  Tensor result = Tensor::Allocate(DataType::kFloat, {matrix.shape()[1], matrix.shape()[0]});
  const std::span<const float> from = matrix.floats();
  const std::span<float> to = result.Mutable<float>();
  for (size_t row = 0; row < rows; ++row) {
    for (size_t column = 0; column < columns; ++column) to[column * rows + row] = from[row * columns + column];
  }
  return result;
}

}  // namespace preon

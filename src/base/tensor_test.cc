#include "base/tensor.h"

#include <gmock/gmock.h>

#include <limits>

namespace preon {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

const std::vector<float> kValues = {1, 2, 3, 4, 5, 6};

TEST(Shape, CountsElements) {
  EXPECT_EQ(ElementCount({}), 1);
  EXPECT_EQ(ElementCount({2, 3}), 6);
  EXPECT_EQ(ElementCount({2, 0, 3}), 0);
  EXPECT_EQ(ElementCount({2, kDynamicDim}), kDynamicDim);
  EXPECT_EQ(ElementCount({0, kDynamicDim}), kDynamicDim);
  const int64_t huge = int64_t{1} << 40;
  EXPECT_EQ(ElementCount({huge, huge}), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(ElementCount({huge, huge, 0}), 0);
  EXPECT_EQ(ShapeToString({2, kDynamicDim}), "[2, ?]");
  EXPECT_EQ(ShapeToString({}), "[]");
}

TEST(DataType, NamesAndSizes) {
  for (int number = 1; number <= static_cast<int>(DataType::kInt2); ++number) {
    const DataType type = static_cast<DataType>(number);
    EXPECT_NE(DataTypeName(type), "undefined") << number;
    EXPECT_EQ(DataTypeBits(type) == 0, type == DataType::kString) << number;
  }
  EXPECT_EQ(DataTypeName(static_cast<DataType>(99)), "undefined");
  EXPECT_EQ(DataTypeBits(static_cast<DataType>(99)), 0);
  EXPECT_EQ(PackedSizeBytes(DataType::kFloat, 3), 12u);
  EXPECT_EQ(PackedSizeBytes(DataType::kInt4, 3), 2u);
  EXPECT_EQ(PackedSizeBytes(DataType::kUInt2, 5), 2u);
  EXPECT_EQ(PackedSizeBytes(DataType::kComplex128, 1), 16u);
  EXPECT_EQ(PackedSizeBytes(DataType::kFloat, int64_t{1} << 32), size_t{1} << 34);
}

TEST(Tensor, HoldsTypeShapeAndValues) {
  const Tensor tensor = Tensor::FromFloats({2, 3}, kValues);
  EXPECT_EQ(tensor.type(), DataType::kFloat);
  EXPECT_EQ(tensor.shape(), (Shape{2, 3}));
  EXPECT_EQ(tensor.count(), 6);
  EXPECT_THAT(tensor.floats(), ElementsAreArray(kValues));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.bytes().data()) % 64, 0u);
  EXPECT_THROW(tensor.As<int64_t>(), InternalError);
  EXPECT_THROW(tensor.strings(), InternalError);
  EXPECT_THROW(Tensor::FromFloats({7}, kValues), InternalError);
}

TEST(Tensor, CopiesShareTheirBytes) {
  Tensor tensor = Tensor::Allocate(DataType::kInt32, {4});
  EXPECT_THAT(tensor.As<int32_t>(), ElementsAre(0, 0, 0, 0));
  tensor.Mutable<int32_t>()[1] = 7;
  const Tensor copy = tensor;
  EXPECT_EQ(copy.bytes().data(), tensor.bytes().data());
  EXPECT_THROW(tensor.MutableBytes(), InternalError);  // they are shared now
  EXPECT_EQ(copy.As<int32_t>()[1], 7);
}

TEST(Tensor, SlicesAndReshapesShareTheirBytes) {
  const Tensor tensor = Tensor::FromFloats({3, 2}, kValues);
  const Tensor rows = tensor.Slice(1, 3);
  EXPECT_EQ(rows.shape(), (Shape{2, 2}));
  EXPECT_THAT(rows.floats(), ElementsAre(3, 4, 5, 6));
  EXPECT_EQ(rows.bytes().data(), tensor.bytes().data() + 8);
  EXPECT_EQ(tensor.Slice(1, 1).count(), 0);
  EXPECT_EQ(Tensor::Allocate(DataType::kFloat, {0, 2}).Slice(0, 0).count(), 0);
  EXPECT_EQ(tensor.Reshaped({6}).shape(), Shape{6});
  EXPECT_THROW(tensor.Reshaped({5}), InternalError);
  EXPECT_THROW(tensor.Slice(1, 4), InternalError);
  EXPECT_THROW(Tensor::Allocate(DataType::kInt4, {2, 3}).Slice(0, 1), InternalError);
}

TEST(Tensor, BorrowedBytesLiveAsLongAsTheirOwner) {
  auto owner = std::make_shared<std::vector<float>>(kValues);
  const std::weak_ptr<std::vector<float>> watch = owner;
  const std::span<const std::byte> bytes = std::as_bytes(std::span(*owner));
  {
    const Tensor tensor(DataType::kFloat, {6}, bytes, std::move(owner));
    const Tensor part = Tensor(tensor).Slice(2, 3);
    EXPECT_FALSE(watch.expired());
    EXPECT_THAT(part.floats(), ElementsAre(3));
  }
  EXPECT_TRUE(watch.expired());
  EXPECT_THROW(Tensor(DataType::kFloat, {5}, bytes, nullptr), InternalError);
}

TEST(Tensor, Strings) {
  const Tensor tensor = Tensor::FromStrings({2, 2}, {"a", "b", "c", "d"});
  EXPECT_THAT(tensor.Slice(1, 2).strings(), ElementsAre("c", "d"));
  EXPECT_THROW(Tensor::FromStrings({3}, {"a"}), InternalError);
}

}  // namespace
}  // namespace preon

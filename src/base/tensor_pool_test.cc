#include "base/tensor_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

namespace preon {
namespace {

constexpr int64_t kLarge = 1 << 20;

TEST(TensorPool, MemoryServesAgainOnceNobodyHoldsIt) {
  TensorPool pool;
  Tensor first = pool.Allocate(DataType::kFloat, {2, kLarge});
  const std::byte* memory = first.bytes().data();
  std::ranges::fill(first.Mutable<float>(), 1.0f);
  const Tensor shared = first;
  first = Tensor();
  const Tensor second = pool.Allocate(DataType::kFloat, {2, kLarge});
  EXPECT_NE(second.bytes().data(), memory) << "`shared` still has it";
  EXPECT_EQ(shared.floats()[7], 1.0f);
  { const Tensor last = shared.Reshaped({kLarge, 2}); }
  const_cast<Tensor&>(shared) = Tensor();
  const Tensor third = pool.Allocate(DataType::kInt32, {kLarge * 2});
  EXPECT_EQ(third.bytes().data(), memory) << "of the same size";
  EXPECT_EQ(third.shape(), (Shape{kLarge * 2}));
  EXPECT_EQ(third.type(), DataType::kInt32);
}

TEST(TensorPool, SizesDoNotAddUp) {
  TensorPool pool;
  pool.Allocate(DataType::kUInt8, {kLarge});
  const std::byte* larger = pool.Allocate(DataType::kUInt8, {2 * kLarge}).bytes().data();  // in place of the first
  EXPECT_EQ(pool.Allocate(DataType::kUInt8, {2 * kLarge}).bytes().data(), larger);
  EXPECT_EQ(pool.Allocate(DataType::kUInt8, {8}).bytes()[0], std::byte{0}) << "small ones are Tensor::Allocate's";
}

TEST(TensorPool, TensorsOutliveThePoolAndMoveBetweenThreads) {
  Tensor kept;
  {
    TensorPool pool;
    kept = pool.Allocate(DataType::kUInt8, {kLarge});
    std::ranges::fill(kept.MutableBytes(), std::byte{3});
    std::thread other([gone = pool.Allocate(DataType::kUInt8, {kLarge})] {});
    pool.Allocate(DataType::kUInt8, {kLarge});
    other.join();
  }
  EXPECT_EQ(kept.bytes()[kLarge - 1], std::byte{3});
}

}  // namespace
}  // namespace preon

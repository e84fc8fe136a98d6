#include "base/tensor_pool.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace preon {
namespace {

// What is smaller stays in the process's heap anyway.
constexpr size_t kLargeBytes = size_t{128} << 10;

}  // namespace

struct TensorPool::Blocks {
  std::mutex mutex;
  std::vector<Tensor> free;
  size_t count = 0;  // in use or free: room in `free` for all, so that giving one back allocates nothing
};

TensorPool::TensorPool() : blocks_(std::make_shared<Blocks>()) {}

Tensor TensorPool::Allocate(DataType type, Shape shape) const {
  PREON_CHECK(IsStatic(shape));
  const size_t size_bytes = PackedSizeBytes(type, ElementCount(shape));
  if (size_bytes < kLargeBytes) return Tensor::Allocate(type, std::move(shape));
  Tensor block;
  {
    const std::lock_guard lock(blocks_->mutex);
    std::vector<Tensor>& free = blocks_->free;
    const auto found = std::ranges::find(free, size_bytes, [](const Tensor& one) { return one.bytes().size(); });
    if (found != free.end()) block = std::move(*found);
    if (!free.empty()) {
      free.erase(found != free.end() ? found : free.begin());
    } else {
      free.reserve(++blocks_->count);
    }
  }
  if (block.type() == DataType::kUndefined)
    block = Tensor::Allocate(DataType::kUInt8, {static_cast<int64_t>(size_bytes)});
  const std::span<const std::byte> bytes = block.bytes();
  auto give_back = [block = std::move(block), pool = std::weak_ptr(blocks_)](const void*) mutable {
    const std::shared_ptr<Blocks> blocks = pool.lock();
    if (blocks == nullptr) return;
    const std::lock_guard lock(blocks->mutex);
    blocks->free.push_back(std::move(block));
  };
  return {type, std::move(shape), bytes, std::shared_ptr<const void>(bytes.data(), std::move(give_back))};
}

}  // namespace preon

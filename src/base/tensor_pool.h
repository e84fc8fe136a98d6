// TensorPool: memory for tensors that come and go, as samples do.
#pragma once

#include <memory>

#include "base/tensor.h"

namespace preon {

/// The memory of a large tensor that nobody holds any more serves the next one of its size: fresh pages cost the system
/// more time than reading a sample into them. Never more blocks than were in use at once. Any thread may allocate and
/// let go; copies of a pool share its memory, and tensors may outlive them.
class TensorPool {
 public:
  TensorPool();
  /// As Tensor::Allocate, but the bytes may be any.
  Tensor Allocate(DataType type, Shape shape) const;

 private:
  struct Blocks;
  std::shared_ptr<Blocks> blocks_;
};

}  // namespace preon

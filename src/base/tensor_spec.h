// TensorSpec: name, type and shape of an input or output.
#pragma once

#include <string>

#include "base/data_type.h"
#include "base/shape.h"

namespace preon {

/// An input or output as the runtime sees it.
struct TensorSpec {
  std::string name;
  DataType type;
  Shape shape;  ///< kDynamicDim where symbolic
};

}  // namespace preon

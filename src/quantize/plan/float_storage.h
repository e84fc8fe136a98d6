// How the weights of nodes that compute in float are stored.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "base/status.h"

namespace preon {

/// From the exact to the small one. The runtime turns codes into floats once, when it loads the model.
enum class FloatStorage : uint8_t {
  kFloat32,
  kFloat16,
  kInt8,  ///< with a scale per output channel
};
/// float32/float16/int8. Errors: kUnknownOption.
Result<FloatStorage> ParseFloatStorage(std::string_view name);
std::string_view FloatStorageName(FloatStorage storage);

/// What weights of float nodes may become (docs/design/float-weights.md).
struct FloatWeights {
  FloatStorage smallest = FloatStorage::kFloat32;
  std::set<std::string> at_least_half = {};  ///< nodes whose weights are not stored as int8
  bool excluded_too = false;                 ///< int8 also for nodes that the user excluded: else float16 at most
  std::string why = "";                      ///< one clause; "": nobody asked for another storage
};

/// Where nothing was measured: half the bytes, and an error below what float results differ by between machines.
FloatWeights SafeFloatWeights();

}  // namespace preon

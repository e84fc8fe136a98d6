// How the weights of nodes that compute in float are stored.
#pragma once

#include <cstdint>
#include <optional>
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
  /// The only nodes whose weights may become int8; absent: all. What is measured holds for those that were in float
  /// then: others that a later plan leaves in float have float16.
  std::optional<std::set<std::string>> int8_nodes = {};
  std::set<std::string> costly = {};  ///< measured, and not among `int8_nodes`
  bool excluded_too = false;          ///< int8 also for nodes that the user excluded: else float16 at most
  std::string why = "";               ///< `smallest`, one clause; "": nobody asked for another storage
  std::string why_costly = "";        ///< `costly` have no int8
};

/// Where nothing was measured: half the bytes, and an error below what float results differ by between machines.
FloatWeights SafeFloatWeights();

}  // namespace preon

#include "quantize/plan/float_storage.h"

#include "quantize/plan/named_values.h"

namespace preon {
namespace {

constexpr std::array kStorages = {std::pair(FloatStorage::kFloat32, "float32"),
                                  std::pair(FloatStorage::kFloat16, "float16"), std::pair(FloatStorage::kInt8, "int8")};

}  // namespace

Result<FloatStorage> ParseFloatStorage(std::string_view name) { return ValueOfName(kStorages, "storage", name); }

std::string_view FloatStorageName(FloatStorage storage) { return NameOfValue(kStorages, storage); }

FloatWeights SafeFloatWeights() {
  return {.smallest = FloatStorage::kFloat16, .why = "its rounding is far below that of integer nodes"};
}

}  // namespace preon

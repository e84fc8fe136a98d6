#include "quantize/plan/float_storage.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/spelling.h"
#include "base/text.h"

namespace preon {
namespace {

constexpr std::array kStorages = {std::pair(FloatStorage::kFloat32, "float32"),
                                  std::pair(FloatStorage::kFloat16, "float16"), std::pair(FloatStorage::kInt8, "int8")};

}  // namespace

Result<FloatStorage> ParseFloatStorage(std::string_view name) {
  std::vector<std::string> names;
  for (const auto& [storage, known] : kStorages) {
    if (ToLower(name) == known) return storage;
    names.emplace_back(known);
  }
  return Error(ErrorId::kUnknownOption, "unknown storage '", name, "'", DidYouMean(name, names),
               " (known: ", JoinNames(names), ")");
}

std::string_view FloatStorageName(FloatStorage storage) {
  return std::ranges::find(kStorages, storage, &std::pair<FloatStorage, const char*>::first)->second;
}

FloatWeights SafeFloatWeights() {
  return {.smallest = FloatStorage::kFloat16, .why = "its rounding is far below that of integer nodes"};
}

}  // namespace preon

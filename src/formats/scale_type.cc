#include "formats/scale_type.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/spelling.h"

namespace preon {
namespace {

struct ScaleTypeRow {
  ScaleType type;
  std::string_view name;   ///< ours
  std::string_view quark;  ///< ScaleType member of Quark
};

constexpr std::array kScaleTypes = {
    ScaleTypeRow{ScaleType::kFloat32, "float32", "Float32"},
    ScaleTypeRow{ScaleType::kPowerOfTwo, "power-of-two", "PowerOf2"},
    ScaleTypeRow{ScaleType::kInt16, "int16", "Int16"},
};

}  // namespace

Result<ScaleType> ParseScaleType(std::string_view name) {
  constexpr std::string_view kPrefix = "scaletype.";
  std::string wanted = ToLower(name);
  if (wanted.starts_with(kPrefix)) wanted.erase(0, kPrefix.size());
  for (const ScaleTypeRow& row : kScaleTypes) {
    if (wanted == row.name || wanted == ToLower(row.quark)) return row.type;
  }
  const std::vector<std::string> names = ScaleTypeNames();
  return Error(ErrorId::kUnknownOption, "unknown scale type '", name, "'", DidYouMean(name, names),
               " (known: ", JoinNames(names), ")");
}

std::vector<std::string> ScaleTypeNames() {
  std::vector<std::string> names;
  names.reserve(kScaleTypes.size());
  for (const ScaleTypeRow& row : kScaleTypes) names.emplace_back(row.name);
  return names;
}

std::string_view ScaleTypeName(ScaleType type) {
  const auto row =
      std::find_if(kScaleTypes.begin(), kScaleTypes.end(), [&](const ScaleTypeRow& r) { return r.type == type; });
  PREON_CHECK(row != kScaleTypes.end());
  return row->name;
}

Int16Scale NearestInt16Scale(float scale) {
  constexpr double kLargest = 32767;
  if (scale < std::ldexp(1.0, -15)) return {1, 15};
  if (scale > kLargest) return {32767, 0};
  Int16Scale nearest;
  double smallest = std::numeric_limits<double>::infinity();
  for (int32_t shift = 0; shift <= 15; ++shift) {
    const double wanted = std::ldexp(static_cast<double>(scale), shift);
    if (wanted > kLargest) break;
    for (double multiplier : {std::max(1.0, std::floor(wanted)), std::ceil(wanted)}) {
      const double distance = std::abs(std::ldexp(multiplier, -shift) - scale);
      if (distance >= smallest) continue;
      nearest = {static_cast<int32_t>(multiplier), shift};
      smallest = distance;
    }
  }
  return nearest;
}

float RoundScale(float scale, ScaleType type) {
  switch (type) {
    case ScaleType::kFloat32:
      return scale;
    case ScaleType::kPowerOfTwo:
      return std::ldexp(1.0f, -static_cast<int>(std::nearbyint(-std::log2(static_cast<double>(scale)))));
    case ScaleType::kInt16: {
      const Int16Scale nearest = NearestInt16Scale(scale);
      return std::ldexp(static_cast<float>(nearest.multiplier), -nearest.shift);
    }
  }
  PREON_CHECK(false);
}

float RoundScaleUp(float scale, ScaleType type) {
  const float nearest = RoundScale(scale, type);
  if (nearest >= scale) return nearest;
  if (type == ScaleType::kPowerOfTwo) return 2 * nearest;
  const Int16Scale below = NearestInt16Scale(scale);
  if (below == Int16Scale{32767, 0}) return nearest;
  return std::ldexp(static_cast<float>(below.multiplier + 1), -below.shift);
}

bool IsScaleOf(float scale, ScaleType type) { return RoundScale(scale, type) == scale; }

bool ReachesScale(float scale, ScaleType type) {
  return type != ScaleType::kInt16 || (scale >= 0x1p-15f && scale <= 32767);
}

Result<QuantParams> ComputeQuantParams(Range range, const IntFormat& format, ScaleType type) {
  PREON_ASSIGN_OR_RETURN(QuantParams params, ComputeQuantParams(range, format));
  params.scale = RoundScale(params.scale, type);
  return params;
}

}  // namespace preon

// Scale and zero point of floating types, and of float16 models, as Quark 0.13 computes them, against all its stored
// runs, bit for bit. The rules are here only, until --compat has floating types (docs/compat.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "differential/quark_vectors.h"
#include "formats/compat/compat_params.h"
#include "formats/compat/numpy_math.h"
#include "formats/tensor_type.h"
#include "kernels/mini_float.h"

namespace preon {
namespace {

using compat::Codes;
using compat::CodesOf;
using compat::Params;
using compat::RoundToHalf;
using Json = nlohmann::json;

Range Widened(Range range, bool symmetric, float largest) {
  range = {std::max(std::min(range.min, 0.0f), -largest), std::min(std::max(range.max, 0.0f), largest)};
  if (!symmetric) return range;
  const float magnitude = std::max(-range.min, range.max);
  return {-magnitude, magnitude};
}

float LargestCode(DataType type, bool scaled) {
  if (type == DataType::kFloat16) return kE5M10.largest();
  if (type == DataType::kBFloat16) return scaled ? 2 : kE8M7.largest();
  return 3.4e38f;
}

struct FloatParams {
  float scale = 1;
  float zero_point = 0;  ///< may be infinite where it is not read (block formats)
};

/// Codes of float16 and bfloat16; kUndefined stands for block formats, whose operators ignore the result. With `scaled`
/// (ActivationScaled, WeightScaled) the range covers the type's values, of bfloat16 -2 to 2; without, the scale is 1.
/// @param range  no NaN; infinite bounds count as half of the largest float
FloatParams FloatParamsOf(Range range, DataType type, bool symmetric, bool scaled) {
  const Range widened = Widened(range, symmetric, FLT_MAX / 2);
  const float largest = LargestCode(type, scaled);
  double scale = 1;
  if (scaled) scale = (double{widened.max} - double{widened.min}) / (2 * double{largest});
  if (scale < FLT_MIN) return {};
  FloatParams params{static_cast<float>(scale), 0};
  if (!symmetric) params.zero_point = std::nearbyint(-largest - widened.min / params.scale);
  return params;
}

/// Integer codes in a model of float16: the width of the range and the scale are float16 values, and a scale that would
/// be denormal is 1.
Params HalfParamsOf(Range range, const IntFormat& format) {
  const Range widened = Widened({RoundToHalf(range.min), RoundToHalf(range.max)}, format.symmetric, kE5M10.largest());
  const Codes codes = CodesOf(format);
  const double scale = RoundToHalf(widened.max - widened.min) / static_cast<double>(codes.max - codes.min);
  if (scale < PowerOfTwo(kE5M10.min_exponent())) return {};
  const auto zero_point = static_cast<int64_t>(std::nearbyint(static_cast<double>(codes.min) - widened.min / scale));
  const bool between = format.symmetric && format.type == DataType::kUInt8 && zero_point == 127;
  return {RoundToHalf(static_cast<float>(scale)), between ? 128 : zero_point};
}

/// Calls check(at) for the rows of a table; at(name) is a cell.
template <typename Check>
void ForEachRow(const char* table_name, const Check& check) {
  std::ifstream file(QuarkVectors() / "scales.json");
  const Json tables = Json::parse(file);
  const Json& table = tables[table_name];
  std::map<std::string, size_t> column;
  for (const Json& name : table["columns"]) column.emplace(name, column.size());
  for (const Json& row : table["rows"]) {
    SCOPED_TRACE(row);
    check([&](const char* name) { return row[column.at(name)]; });
  }
}

double NumberOrInfinity(const Json& cell) {
  return cell == "Inf" ? std::numeric_limits<double>::infinity() : cell.get<double>();
}

TEST(FloatParamsOfQuark, AllStoredRuns) {
  const std::map<std::string, DataType> types = {
      {"FLOAT16", DataType::kFloat16}, {"BFLOAT16", DataType::kBFloat16}, {"UNDEFINED", DataType::kUndefined}};
  int compared = 0;
  ForEachRow("float_types", [&](const auto& at) {
    const Range range{FloatFromHex(at("rmin_hex")), FloatFromHex(at("rmax_hex"))};
    const FloatParams ours = FloatParamsOf(range, types.at(at("type")), at("symmetric"), at("scaled"));
    EXPECT_EQ(ours.scale, FloatFromHex(at("scale_hex")));
    EXPECT_EQ(ours.zero_point, static_cast<float>(NumberOrInfinity(at("zero_point"))));
    ++compared;
  });
  EXPECT_EQ(compared, 516);
}

TEST(HalfParamsOfQuark, AllStoredRuns) {
  int compared = 0;
  ForEachRow("integer_float16_range", [&](const auto& at) {
    const IntFormat format{ParseTensorType(at("type").template get<std::string>())->type(), at("symmetric")};
    const Range range{at("rmin").template get<float>(), at("rmax").template get<float>()};
    const Params ours = HalfParamsOf(range, format);
    EXPECT_EQ(ours.scale, at("scale").template get<float>());
    EXPECT_EQ(ours.zero_point, at("zero_point").template get<int64_t>());
    ++compared;
  });
  EXPECT_EQ(compared, 80);
}

}  // namespace
}  // namespace preon

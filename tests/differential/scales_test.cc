// Scales and zero points against all stored runs of Quark, but for the rules that are ours on purpose.
#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "differential/quark_vectors.h"
#include "formats/scale_type.h"
#include "formats/tensor_type.h"

namespace preon {
namespace {

struct ScaleRow {
  Range range;
  std::string type, scale_type;
  bool symmetric, reduce_range;
  double scale;
  int64_t zero_point;
};

std::vector<ScaleRow> ReadRows(const std::filesystem::path& path) {
  std::ifstream file(path);
  const nlohmann::json table = nlohmann::json::parse(file)["integer"];
  std::map<std::string, size_t> column;
  for (const auto& name : table["columns"]) column.emplace(name, column.size());
  std::vector<ScaleRow> rows;
  for (const auto& row : table["rows"]) {
    rows.push_back({.range = {FloatFromHex(row[column["rmin_hex"]]), FloatFromHex(row[column["rmax_hex"]])},
                    .type = row[column["type"]],
                    .scale_type = row[column["scale_type"]],
                    .symmetric = row[column["symmetric"]],
                    .reduce_range = row[column["reduce_range"]],
                    .scale = row[column["scale"]],
                    .zero_point = row[column["zero_point"]]});
  }
  return rows;
}

/// Why our scale may be another; empty where it must be the same.
std::string_view ScaleException(const ScaleRow& row, float float_scale) {
  if (row.symmetric && !row.reduce_range && (row.type == "UINT8" || row.type == "UINT16" || row.type == "UINT32"))
    return "unsigned symmetric codes are the signed ones shifted";
  if (row.scale_type == "Int16" && (float_scale < 0x1p-15f || float_scale > 32767))
    return "scales out of reach become the nearest in reach, not 2^-14";
  if (row.scale_type == "Int16" && row.scale * 0x1p15 != std::nearbyint(row.scale * 0x1p15))
    return "2^16 does not fit into uint16";
  return "";
}

/// The same of the zero point.
std::string_view ZeroPointException(const ScaleRow& row, const IntFormat& format) {
  if (row.symmetric && format.q_min() != -format.q_max()) return "a symmetric zero point does not depend on the scale";
  if ((row.type == "INT32" || row.type == "UINT32") && row.scale_type != "Float32")
    return "32-bit zero points keep their digits";
  return "";
}

TEST(ScalesOfQuark, AllStoredRuns) {
  const std::filesystem::path path = QuarkVectors() / "scales.json";
  std::map<std::string_view, int> exceptions;
  int compared = 0;
  for (const ScaleRow& row : ReadRows(path)) {
    SCOPED_TRACE(testing::Message() << row.type << ' ' << row.scale_type << (row.symmetric ? " symmetric " : " ")
                                    << row.range.min << ' ' << row.range.max);
    const IntFormat format{ParseTensorType(row.type)->type(), row.symmetric, row.reduce_range};
    const Result<QuantParams> params = ComputeQuantParams(row.range, format, *ParseScaleType(row.scale_type));
    if (!std::isfinite(row.range.min) || !std::isfinite(row.range.max)) {
      EXPECT_EQ(params.status().id(), ErrorId::kRangeInvalid);
      ++exceptions["infinite ranges are refused"];
      continue;
    }
    ASSERT_TRUE(params.ok()) << params.status().ToString();
    const QuantParams of_float = *ComputeQuantParams(row.range, format);
    EXPECT_EQ(params->zero_point, of_float.zero_point);
    const std::string_view other_scale = ScaleException(row, of_float.scale);
    const std::string_view other_zero_point = ZeroPointException(row, format);
    if (other_scale.empty()) {
      EXPECT_EQ(params->scale, static_cast<float>(row.scale));
    }
    if (other_zero_point.empty()) {
      EXPECT_EQ(params->zero_point, row.zero_point);
    }
    for (std::string_view exception : {other_scale, other_zero_point}) {
      if (!exception.empty()) ++exceptions[exception];
    }
    if (other_scale.empty() && other_zero_point.empty()) ++compared;
  }
  EXPECT_GT(compared, 1000);
  for (const auto& [rule, count] : exceptions)
    std::printf("%5d rows: %.*s\n", count, static_cast<int>(rule.size()), rule.data());
  std::printf("%5d rows compared\n", compared);
}

TEST(ScalesOfTheRuntime, AllStoredRuns) {
  const std::filesystem::path path = QuarkVectors() / "scales.json";
  std::ifstream file(path);
  const nlohmann::json table = nlohmann::json::parse(file)["onnxruntime"];
  std::map<std::string, size_t> column;
  for (const auto& name : table["columns"]) column.emplace(name, column.size());
  int compared = 0, shifted = 0, refused = 0, huge = 0;
  for (const auto& row : table["rows"]) {
    const auto at = [&](const char* name) { return row[column.at(name)]; };
    Range range{FloatFromHex(at("rmin_hex")), FloatFromHex(at("rmax_hex"))};
    const IntFormat format{ParseTensorType(at("type").get<std::string>())->type(), at("symmetric"), at("reduce_range")};
    if (format.q_min() != at("qmin").get<int64_t>()) {  // unsigned symmetric codes are the signed ones shifted
      ++shifted;
      continue;
    }
    if (!std::isfinite(range.min) || !std::isfinite(range.max)) {
      EXPECT_EQ(ComputeQuantParams(range, format).status().id(), ErrorId::kRangeInvalid);
      ++refused;
      continue;
    }
    if (std::max(-range.min, range.max) > FLT_MAX / 2) {  // there the width is infinite
      ++huge;
      continue;
    }
    if (!at("min_real_range").is_null()) {
      range.min = std::min(range.min, 0.0f);
      range.max = std::max(std::max(range.max, 0.0f), range.min + at("min_real_range").get<float>());
    }
    const QuantParams params = *ComputeQuantParams(range, format);
    EXPECT_EQ(params.scale, FloatFromHex(at("scale_hex"))) << row;
    EXPECT_EQ(params.zero_point, at("zero_point").get<int64_t>()) << row;
    ++compared;
  }
  EXPECT_GE(compared, 1000);
  std::printf("%5d rows compared; left out: %d unsigned symmetric, %d infinite, %d huge\n", compared, shifted, refused,
              huge);
}

}  // namespace
}  // namespace preon

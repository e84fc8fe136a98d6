// Parameters and weights of compat/ against all stored runs of Quark, bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "differential/quark_vectors.h"
#include "formats/axis_view.h"
#include "formats/compat/compat_weights.h"
#include "formats/tensor_type.h"

namespace preon {
namespace {

using Json = nlohmann::json;

Json ReadVectors(const char* name) {
  std::ifstream file(QuarkVectors() / name);
  return Json::parse(file);
}

TEST(ParamsOfQuark, AllStoredRuns) {
  const Json table = ReadVectors("scales.json")["integer"];
  std::map<std::string, size_t> column;
  for (const Json& name : table["columns"]) column.emplace(name, column.size());
  int compared = 0;
  for (const Json& row : table["rows"]) {
    const auto at = [&](const char* name) { return row[column.at(name)]; };
    const Range range{FloatFromHex(at("rmin_hex")), FloatFromHex(at("rmax_hex"))};
    const compat::Params ours = compat::ParamsOf(range, compat::Codes{at("qmin"), at("qmax")}, at("symmetric"),
                                                 *ParseScaleType(at("scale_type").get<std::string>()));
    EXPECT_EQ(ours.scale, at("scale").get<float>()) << row;
    EXPECT_EQ(ours.zero_point, at("zero_point").get<int64_t>()) << row;
    ++compared;
  }
  EXPECT_EQ(compared, 2208);
}

// Where the runtime's scale is infinite the product has none; its zero point means nothing.
TEST(ParamsOfTheRuntime, AllStoredRuns) {
  const Json table = ReadVectors("scales.json")["onnxruntime"];
  std::map<std::string, size_t> column;
  for (const Json& name : table["columns"]) column.emplace(name, column.size());
  int compared = 0, infinite = 0;
  for (const Json& row : table["rows"]) {
    const auto at = [&](const char* name) { return row[column.at(name)]; };
    Range range{FloatFromHex(at("rmin_hex")), FloatFromHex(at("rmax_hex"))};
    if (!at("min_real_range").is_null()) {
      range.min = std::min(range.min, 0.0f);
      range.max = std::max(std::max(range.max, 0.0f), range.min + at("min_real_range").get<float>());
    }
    const compat::Params ours = compat::ParamsOf(range, compat::Codes{at("qmin"), at("qmax")}, at("symmetric"),
                                                 ScaleType::kFloat32, Compat::kOnnxRuntime);
    EXPECT_EQ(ours.scale, FloatFromHex(at("scale_hex"))) << row;
    const IntFormat format{ParseTensorType(at("type").get<std::string>())->type(), at("symmetric"), at("reduce_range")};
    const auto product = compat::QuantParamsOf(range, format, ScaleType::kFloat32, Compat::kOnnxRuntime);
    if (std::isinf(ours.scale)) {
      EXPECT_EQ(product.status().id(), ErrorId::kRangeInvalid);
      ++infinite;
      continue;
    }
    EXPECT_EQ(ours.zero_point, at("zero_point").get<int64_t>()) << row;
    EXPECT_EQ(product->zero_point, ours.zero_point);
    EXPECT_EQ(product->scale, ours.scale);
    ++compared;
  }
  EXPECT_EQ(compared + infinite, 1248);
  EXPECT_GE(compared, 1100);
}

TEST(ScaleRoundingOfQuark, AllStoredRuns) {
  const Json table = ReadVectors("scales.json")["scale_rounding"];
  int compared = 0;
  for (const Json& row : table["rows"]) {
    const auto scale = row[1].get<float>();
    EXPECT_EQ(compat::PositionOf(scale), row[2].get<int>()) << row;
    const compat::Int16Fraction fraction = compat::Int16FractionNear(scale);
    EXPECT_EQ(fraction.multiplier, row[3].get<int64_t>()) << row;
    EXPECT_EQ(fraction.shift, row[4].get<int64_t>()) << row;
    EXPECT_EQ(fraction.scale, fraction.multiplier > 0 ? std::ldexp(static_cast<float>(fraction.multiplier),
                                                                   -static_cast<int>(fraction.shift))
                                                      : 0x1p-14f);
    ++compared;
  }
  EXPECT_EQ(compared, 50);
}

Tensor ReadTensor(const Json& tensor) {
  std::vector<float> values;
  for (const Json& bits : tensor["hex"]) values.push_back(FloatFromHex(bits));
  return Tensor::FromFloats(tensor["shape"].get<Shape>(), values);
}

/// Parameters and codes of one stored weight.
void CompareWeight(const Json& run, const Tensor& values, int axis, const IntFormat& format,
                   const compat::WeightOptions& options) {
  const auto params = *compat::WeightParams(values, axis, format, options);
  const AxisView view = *ViewAlong(values.shape(), axis);
  const auto at = [&](const char* key, size_t channel) { return axis < 0 ? run[key] : run[key][channel]; };
  for (size_t channel = 0; channel < params.size(); ++channel) {
    EXPECT_EQ(params[channel].scale, FloatFromHex(at("scale_hex", channel))) << channel;
    EXPECT_EQ(params[channel].zero_point, at("zero_point", channel).get<int64_t>()) << channel;
  }
  const compat::Codes cut = compat::WeightCodes(format, options.tool);
  std::vector<int64_t> codes;
  for (size_t place = 0; place < values.floats().size(); ++place) {
    const size_t channel = place / static_cast<size_t>(view.inner) % static_cast<size_t>(view.channels);
    codes.push_back(compat::WeightCode(values.floats()[place], params[channel], cut));
  }
  EXPECT_EQ(codes, run["codes"].get<std::vector<int64_t>>());
  const auto encoded = compat::EncodeWeight(values, params, axis, format, options.tool);
  if (format.type == DataType::kInt4 || format.type == DataType::kUInt4) {
    EXPECT_EQ(encoded.status().id(), ErrorId::kNotYetSupported);
  } else if (format.type == DataType::kInt8) {
    EXPECT_TRUE(std::equal(codes.begin(), codes.end(), encoded->codes.As<int8_t>().begin()));
  } else if (format.type == DataType::kUInt8) {
    EXPECT_TRUE(std::equal(codes.begin(), codes.end(), encoded->codes.As<uint8_t>().begin()));
  } else {
    EXPECT_TRUE(encoded.ok());
  }
}

void CompareCompatWeight(const Json& run, const Json& tensor) {
  const IntFormat format{ParseTensorType(run["type"].get<std::string>())->type(), run["symmetric"],
                         run["reduce_range"]};
  compat::WeightOptions options;
  const std::string scale_type = run["scale_type"];
  const bool searched = scale_type == "PowerOf2_MinMSE" || run.contains("minmse_mode");
  options.scale_type = scale_type == "PowerOf2_MinMSE" ? ScaleType::kPowerOfTwo : *ParseScaleType(scale_type);
  options.method = searched ? WeightMethod::kMinMse : WeightMethod::kMinMax;
  if (run.contains("minmse_mode")) options.search = *ParseWeightSearch(run["minmse_mode"].get<std::string>());
  CompareWeight(run, ReadTensor(tensor), run["axis"].is_null() ? -1 : run["axis"].get<int>(), format, options);
}

TEST(WeightsOfTheRuntime, AllStoredRuns) {
  const Json table = ReadVectors("weights.json");
  int compared = 0;
  for (const Json& run : table["onnxruntime_runs"]) {
    Json brief = run;
    brief.erase("codes");
    SCOPED_TRACE(brief.dump());
    const IntFormat format{ParseTensorType(run["type"].get<std::string>())->type(), run["symmetric"],
                           run["reduce_range"]};
    CompareWeight(run, ReadTensor(table["tensors"][run["tensor"].get<std::string>()]), -1, format,
                  {.tool = Compat::kOnnxRuntime});
    ++compared;
  }
  EXPECT_EQ(compared, 112);
}

TEST(WeightsOfQuark, AllStoredRuns) {
  const Json table = ReadVectors("weights.json");
  int compared = 0;
  for (const Json& run : table["function_runs"]) {
    Json brief = run;
    brief.erase("codes");
    SCOPED_TRACE(brief.dump());
    CompareCompatWeight(run, table["tensors"][run["tensor"].get<std::string>()]);
    ++compared;
  }
  EXPECT_EQ(compared, 378);
}

}  // namespace
}  // namespace preon

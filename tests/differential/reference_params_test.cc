// Parameters and weights of compat/ against all stored runs of the reference tool, bit for bit.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "differential/reference_vectors.h"
#include "formats/axis_view.h"
#include "ranges/compat/reference_weights.h"

namespace preon {
namespace {

using Json = nlohmann::json;

Json ReadVectors(const char* name) {
  std::ifstream file(ReferenceVectors() / name);
  return Json::parse(file);
}

TEST(ParamsOfTheReference, AllStoredRuns) {
  if (!std::filesystem::exists(ReferenceVectors())) GTEST_SKIP() << ReferenceVectors() << " is not there (set PREON_DATA)";
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

/// One stored weight, slice by slice.
void CompareWeight(const Json& run, const Json& tensor) {
  std::vector<float> values;
  for (const Json& bits : tensor["hex"]) values.push_back(FloatFromHex(bits));
  const IntFormat format{*ParseIntType(run["type"].get<std::string>()), run["symmetric"], run["reduce_range"]};
  compat::WeightOptions options;
  const std::string scale_type = run["scale_type"];
  const bool searched = scale_type == "PowerOf2_MinMSE" || run.contains("minmse_mode");
  options.scale_type = scale_type == "PowerOf2_MinMSE" ? ScaleType::kPowerOfTwo : *ParseScaleType(scale_type);
  options.method = searched ? WeightMethod::kMinMse : WeightMethod::kMinMax;
  if (run.contains("minmse_mode")) options.search = *ParseWeightSearch(run["minmse_mode"].get<std::string>());
  const int axis = run["axis"].is_null() ? -1 : run["axis"].get<int>();
  const AxisView view = *ViewAlong(tensor["shape"].get<Shape>(), axis);
  const auto scale_hex = [&](int64_t channel) { return axis < 0 ? run["scale_hex"] : run["scale_hex"][channel]; };
  const auto zero_point = [&](int64_t channel) { return axis < 0 ? run["zero_point"] : run["zero_point"][channel]; };
  for (int64_t channel = 0; channel < view.channels; ++channel) {
    std::vector<float> slice;
    std::vector<int64_t> codes;
    for (int64_t outer = 0; outer < view.outer; ++outer) {
      for (int64_t inner = 0; inner < view.inner; ++inner) {
        const auto place = static_cast<size_t>((outer * view.channels + channel) * view.inner + inner);
        slice.push_back(values[place]);
        codes.push_back(run["codes"][place]);
      }
    }
    const compat::ReferenceWeight ours = compat::EncodeWeight(slice, format, options);
    EXPECT_EQ(ours.params.scale, FloatFromHex(scale_hex(channel))) << channel;
    EXPECT_EQ(ours.params.zero_point, zero_point(channel).get<int64_t>()) << channel;
    EXPECT_EQ(ours.codes, codes) << channel;
  }
}

TEST(WeightsOfTheReference, AllStoredRuns) {
  if (!std::filesystem::exists(ReferenceVectors())) GTEST_SKIP() << ReferenceVectors() << " is not there (set PREON_DATA)";
  const Json table = ReadVectors("weights.json");
  int compared = 0;
  for (const Json& run : table["function_runs"]) {
    Json brief = run;
    brief.erase("codes");
    SCOPED_TRACE(brief.dump());
    CompareWeight(run, table["tensors"][run["tensor"].get<std::string>()]);
    ++compared;
  }
  EXPECT_EQ(compared, 378);
}

}  // namespace
}  // namespace preon

// Parameters of floating types and of float16 models against all stored runs of Quark, bit for bit.
#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "differential/quark_vectors.h"
#include "formats/compat/compat_float_params.h"
#include "formats/tensor_type.h"

namespace preon {
namespace {

using Json = nlohmann::json;

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
    const compat::FloatParams ours = compat::FloatParamsOf(range, types.at(at("type")), at("symmetric"), at("scaled"));
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
    const compat::Params ours = compat::HalfParamsOf(range, format);
    EXPECT_EQ(ours.scale, at("scale").template get<float>());
    EXPECT_EQ(ours.zero_point, at("zero_point").template get<int64_t>());
    ++compared;
  });
  EXPECT_EQ(compared, 80);
}

}  // namespace
}  // namespace preon

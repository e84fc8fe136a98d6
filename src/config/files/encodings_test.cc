#include "config/files/encodings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <tuple>

#include "base/output/temp_dir.h"

namespace preon {
namespace {

using ::testing::HasSubstr;

Result<std::map<std::string, TensorOverride>> LoadText(const std::string& text) {
  const TempDir folder = *TempDir::Create(::testing::TempDir());
  const std::string path = folder.File("encodings.json");
  std::ofstream(path) << text;
  return LoadEncodings(path);
}

TEST(Encodings, SecondVersion) {
  const auto read = LoadText(R"({"version": "2.0.0", "encodings": [
      {"name": "x", "output_dtype": "uint8", "y_scale": 0.5, "y_zero_point": 3},
      {"name": "w", "output_dtype": "int3", "y_scale": [0.5, 0.25], "axis": 0},
      {"name": "v", "output_dtype": "int4", "y_scale": [[1, 2], [3, 4]], "axis": -1, "block_size": 16},
      {"name": "h", "output_dtype": "float16"}]})");
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->size(), 3u);
  EXPECT_EQ(read->at("x").params, (QuantParams{0.5f, 3}));
  EXPECT_EQ(read->at("w").type->bits(), 3);
  EXPECT_EQ(read->at("w").channel_params, (std::vector<QuantParams>{{0.5f, 0}, {0.25f, 0}}));
  EXPECT_EQ(read->at("v").block_size, 16);
  EXPECT_EQ(read->at("v").axis, -1);
  EXPECT_EQ(read->at("v").channel_params.size(), 4u);
}

TEST(Encodings, OffsetsBecomeZeroPoints) {
  const auto first = LoadText(R"({"version": "1.0.0", "activation_encodings": [
      {"name": "x", "dtype": "INT", "enc_type": "PER_TENSOR", "bw": 8, "scale": [0.5], "offset": [-3]}],
      "param_encodings": [
      {"name": "w", "dtype": "INT", "enc_type": "PER_CHANNEL", "bw": 8, "is_sym": true, "scale": [1, 2],
       "offset": [-128, -128]}]})");
  const auto oldest = LoadText(R"({"version": "0.6.1", "activation_encodings": {
      "x": [{"dtype": "int", "bitwidth": 8, "is_symmetric": "False", "scale": 0.5, "offset": -3}]}, "param_encodings": {
      "w": [{"dtype": "int", "bitwidth": 8, "scale": 1, "offset": -128},
            {"dtype": "int", "bitwidth": 8, "scale": 2, "offset": -128}]}})");
  for (const auto* read : {&first, &oldest}) {
    ASSERT_TRUE(read->ok()) << read->status().message();
    EXPECT_EQ((*read)->at("x").type, TensorType(DataType::kUInt8));
    EXPECT_EQ((*read)->at("x").params, (QuantParams{0.5f, 3}));
    EXPECT_EQ((*read)->at("w").type, TensorType(DataType::kInt8));
    EXPECT_EQ((*read)->at("w").channel_params, (std::vector<QuantParams>{{1, 0}, {2, 0}}));
  }
}

TEST(Encodings, ErrorsNameTheTensor) {
  const std::tuple<const char*, ErrorId, const char*> rows[] = {
      {"[]", ErrorId::kBadConfig, "got array, wanted an object"},
      {R"({"version": "3"})", ErrorId::kBadConfig, "version: got '3', wanted 2.0.0, 1.0.0 or 0.6.1"},
      {R"({"version": "2.0.0"})", ErrorId::kBadConfig, "has no encodings"},
      {R"({"version": "2.0.0", "encodings": []})", ErrorId::kBadConfig, "has no encodings of integer types"},
      {R"({"version": "2.0.0", "encodings": [{"name": "x", "y_scale": 1}]})", ErrorId::kBadConfig,
       "x: has no output_dtype"},
      {R"({"version": "2.0.0", "encodings": [{"name": "x", "output_dtype": "int8"}]})", ErrorId::kBadConfig,
       "x: has no y_scale"},
      {R"({"version": "2.0.0", "encodings": [{"name": "x", "output_dtype": "int8", "y_scale": -1}]})",
       ErrorId::kBadConfig, "x: scale: got -1, wanted a number above 0"},
      {R"({"version": "2.0.0", "encodings": [
           {"name": "x", "output_dtype": "int8", "y_scale": 1, "y_zero_point": 200}]})",
       ErrorId::kBadConfig, "x: zero_point: got 200"},
      {R"({"version": "2.0.0", "encodings": [{"name": "x", "output_dtype": "int8", "y_scale": 1},
                                             {"name": "x", "output_dtype": "int8", "y_scale": 1}]})",
       ErrorId::kBadConfig, "x: got two entries"},
      {R"({"version": "2.0.0", "encodings": [{"name": "x", "output_dtype": "int4", "per_block_int_scale": [1]}]})",
       ErrorId::kNotYetSupported, "x: per_block_int_scale: scales of two levels"},
      {R"({"version": "1.0.0", "activation_encodings": [], "param_encodings": [
           {"name": "w", "dtype": "INT", "enc_type": "VECTOR", "bw": 8, "scale": [1], "offset": [0]}]})",
       ErrorId::kNotYetSupported, "w: enc_type: got \"VECTOR\""},
      {R"({"version": "1.0.0", "activation_encodings": [], "param_encodings": [
           {"name": "w", "dtype": "INT", "enc_type": "PER_CHANNEL", "bw": 8, "scale": [1, 2], "offset": [0]}]})",
       ErrorId::kBadConfig, "w: got 2 scales and 1 zero points"},
  };
  for (const auto& [text, id, says] : rows) {
    const auto read = LoadText(text);
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_EQ(read.status().id(), id) << text;
    EXPECT_THAT(read.status().message(), HasSubstr(says));
  }
  EXPECT_EQ(LoadEncodings("/nowhere/at/all.json").status().id(), ErrorId::kFileNotFound);
}

}  // namespace
}  // namespace preon

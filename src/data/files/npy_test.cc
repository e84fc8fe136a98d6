#include "data/files/npy.h"

#include <gtest/gtest.h>

#include "data/files/test_files.h"

namespace preon {
namespace {

using test::Npy;
using test::NpyWithHeader;

Result<NpyHeader> Parse(const std::string& file) { return ParseNpyHeader(std::as_bytes(std::span(file)), "x.npy"); }

TEST(NpyTest, ReadsTypeShapeAndOrder) {
  const auto header = Parse(Npy("<f4", {2, 3}, ""));
  ASSERT_TRUE(header.ok()) << header.status().ToString();
  EXPECT_EQ(header->type, DataType::kFloat);
  EXPECT_EQ(header->shape, (Shape{2, 3}));
  EXPECT_FALSE(header->fortran_order);
  EXPECT_FALSE(header->big_endian);
  EXPECT_EQ(header->data_bytes(), 24u);
  EXPECT_EQ(header->header_bytes, Npy("<f4", {2, 3}, "").size());
}

TEST(NpyTest, ReadsVersions2And3AndFortranOrder) {
  for (const char version : {2, 3}) {
    const auto header = Parse(Npy(">i8", {4}, "", /*fortran=*/true, version));
    ASSERT_TRUE(header.ok()) << header.status().ToString();
    EXPECT_EQ(header->type, DataType::kInt64);
    EXPECT_TRUE(header->fortran_order);
    EXPECT_TRUE(header->big_endian);
  }
}

TEST(NpyTest, ReadsEveryNumericTypeAndScalars) {
  const std::pair<const char*, DataType> types[] = {
      {"<f2", DataType::kFloat16}, {"<f8", DataType::kDouble}, {"|i1", DataType::kInt8},   {"<i2", DataType::kInt16},
      {"<i4", DataType::kInt32},   {"|u1", DataType::kUInt8},  {"<u2", DataType::kUInt16}, {"<u4", DataType::kUInt32},
      {"<u8", DataType::kUInt64},  {"|b1", DataType::kBool}};
  for (const auto& [descr, type] : types) {
    const auto header = Parse(Npy(descr, {}, ""));
    ASSERT_TRUE(header.ok()) << descr << ": " << header.status().ToString();
    EXPECT_EQ(header->type, type);
    EXPECT_TRUE(header->shape.empty());
  }
}

TEST(NpyTest, TakesKeysInAnyOrderAndPython2Numbers) {
  const auto header = Parse(NpyWithHeader("{\"shape\": (3L, 4L), \"fortran_order\": False, \"descr\": \"<f4\"}", ""));
  ASSERT_TRUE(header.ok()) << header.status().ToString();
  EXPECT_EQ(header->shape, (Shape{3, 4}));
}

TEST(NpyTest, RefusesWhatIsNotNumbers) {
  for (const char* descr : {"|O", "<U7", "|S3", "<M8[ns]", "<c8", "|V4", ""}) {
    EXPECT_EQ(Parse(Npy(descr, {1}, "")).status().id(), ErrorId::kDataUnsupported) << descr;
  }
  EXPECT_EQ(Parse(NpyWithHeader("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "")).status().id(),
            ErrorId::kDataUnsupported);
  EXPECT_NE(Parse(Npy("|O", {1}, "")).status().message().find("pickled"), std::string::npos);
  EXPECT_EQ(Parse(Npy("<f4", {1}, "", false, 4)).status().id(), ErrorId::kDataUnsupported);
}

TEST(NpyTest, RefusesDamagedHeaders) {
  for (const char* header :
       {"", "{}", "{'descr': '<f4', 'shape': (1,)}", "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1 2)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 4611686018427387904, 4)}"}) {
    EXPECT_EQ(Parse(NpyWithHeader(header, "")).status().id(), ErrorId::kDataMalformed) << header;
  }
  EXPECT_EQ(Parse("").status().id(), ErrorId::kDataMalformed);
  EXPECT_EQ(Parse("hello, I am a text file").status().id(), ErrorId::kDataMalformed);
}

TEST(NpyTest, SurvivesDamage) {
  int accepted = 0;
  test::Damage(Npy("<f4", {2, 3}, ""), [&](const std::string& bytes) { accepted += Parse(bytes).ok(); });
  test::Damage(Npy("<f4", {2, 3}, "", false, 2), [&](const std::string& bytes) { accepted += Parse(bytes).ok(); });
  EXPECT_GT(accepted, 0);  // a digit may become another digit
  EXPECT_LT(accepted, 200);
}

}  // namespace
}  // namespace preon

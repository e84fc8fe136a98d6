#include "data/test_set.h"

#include <gtest/gtest.h>

#include <cmath>

#include "data/files/test_files.h"

namespace preon {
namespace {

using test::TestFolder;

// A serialized TensorProto: fields 1 dims, 2 data_type, 8 name, 9 raw_data; all lengths below 128.
std::string TensorPb(const std::string& name, DataType type, const Shape& shape, const std::string& raw) {
  std::string bytes;
  for (int64_t dim : shape) bytes += std::string{0x08, static_cast<char>(dim)};
  bytes += std::string{0x10, static_cast<char>(type)};
  bytes += std::string{0x42, static_cast<char>(name.size())} + name;
  return bytes + std::string{0x4a, static_cast<char>(raw.size())} + raw;
}

std::string FloatPb(const std::string& name, std::vector<float> values) {
  return TensorPb(name, DataType::kFloat, {static_cast<int64_t>(values.size())}, test::RawAll(values));
}

class TestSetTest : public ::testing::Test {
 protected:
  Result<std::unique_ptr<SampleSet>> Open() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
      names.push_back(entry.path().filename().string());
    EXPECT_TRUE(HasTestSets(names));
    return OpenTestSets(folder_.path(), names, inputs_);
  }

  const TestFolder folder_;
  const std::vector<TensorSpec> inputs_ = {{"a", DataType::kFloat, {2}}, {"b", DataType::kFloat, {kDynamicDim}}};
};

TEST_F(TestSetTest, FeedsByNameElseByNumberAndKeepsOutputs) {
  folder_.Write("test_data_set_10/input_0.pb", FloatPb("", {7, 8}));
  folder_.Write("test_data_set_10/input_1.pb", FloatPb("", {9}));
  folder_.Write("test_data_set_2/input_0.pb", FloatPb("b", {1, 2, 3}));  // named: the other way round
  folder_.Write("test_data_set_2/input_1.pb", FloatPb("a", {4, 5}));
  folder_.Write("test_data_set_2/output_1.pb", FloatPb("second", {2}));
  folder_.Write("test_data_set_2/output_0.pb", FloatPb("first", {1}));
  const auto sets = Open();
  ASSERT_TRUE(sets.ok()) << sets.status().ToString();
  EXPECT_EQ((*sets)->size(), 2);
  EXPECT_EQ((*sets)->Key(0), "test_data_set_2");  // by number, not by letters
  const auto sample = (*sets)->Read(0);
  ASSERT_TRUE(sample.ok());
  EXPECT_EQ(sample->feeds[0].input, "b");
  EXPECT_EQ(sample->feeds[0].kind, FeedKind::kWhole);
  EXPECT_EQ(sample->feeds[1].tensor.floats()[0], 4);
  ASSERT_EQ(sample->expected.size(), 2u);
  EXPECT_EQ(sample->expected[0].name, "first");
  EXPECT_EQ((*sets)->Read(1)->feeds[0].input, "a");
}

TEST_F(TestSetTest, ASetItselfIsASource) {
  folder_.Write("input_0.pb", FloatPb("a", {1, 2}));
  folder_.Write("input_1.pb", FloatPb("b", {1}));
  const auto sets = Open();
  ASSERT_TRUE(sets.ok()) << sets.status().ToString();
  EXPECT_EQ((*sets)->size(), 1);
}

TEST_F(TestSetTest, ErrorsNameTheFile) {
  const auto status_of = [&](const std::string& first, const std::string& second) {
    folder_.Write("input_0.pb", first);
    folder_.Write("input_1.pb", second);
    return Open().status();
  };
  const std::string b = FloatPb("b", {1});
  EXPECT_EQ(status_of(FloatPb("a", {1, 2, 3}), b).id(), ErrorId::kDataShape);
  EXPECT_EQ(status_of(TensorPb("a", DataType::kInt32, {2}, std::string(8, '\0')), b).id(), ErrorId::kDataType);
  EXPECT_EQ(status_of(FloatPb("a", {1, HUGE_VALF}), b).id(), ErrorId::kDataNotFinite);
  EXPECT_EQ(status_of(b, b).id(), ErrorId::kDataInputName);
  EXPECT_EQ(status_of("", b).id(), ErrorId::kDataMalformed);
  EXPECT_NE(status_of("", b).message().find("input_0.pb: "), std::string::npos);
}

TEST_F(TestSetTest, AMissingInputIsNamed) {
  folder_.Write("input_0.pb", FloatPb("a", {1, 2}));
  const Status status = Open().status();
  EXPECT_EQ(status.id(), ErrorId::kDataInputName);
  EXPECT_NE(status.message().find("no input_K.pb for input 'b'"), std::string::npos) << status.message();
}

}  // namespace
}  // namespace preon

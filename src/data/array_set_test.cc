#include "data/array_set.h"

#include <gtest/gtest.h>

#include "data/files/test_files.h"

namespace preon {
namespace {

using test::FloatNpy;
using test::Iota;
using test::Npy;
using test::NpyOf;
using test::TestFolder;
using test::Zip;
using test::ZipOf;

class ArraySetTest : public ::testing::Test {
 protected:
  Result<std::unique_ptr<SampleSet>> Open(const std::string& name, const std::string& bytes,
                                          std::vector<TensorSpec> inputs) {
    return OpenArrayFile(folder_.Write(name, bytes), name, inputs, {});
  }

  const TestFolder folder_;
  const TensorSpec x_{"x", DataType::kFloat, {kDynamicDim, 3}}, y_{"y", DataType::kFloat, {kDynamicDim, 2}},
      state_{"state", DataType::kFloat, {2, kDynamicDim, 4}}, rate_{"rate", DataType::kInt64, {}};
};

std::vector<float> Floats(const Tensor& tensor) { return {tensor.floats().begin(), tensor.floats().end()}; }

TEST_F(ArraySetTest, ReadsRowsOfEveryStorage) {
  const std::string npy = FloatNpy({4, 3});
  const std::pair<const char*, std::string> files[] = {{"x.npy", npy},
                                                       {"a.npz", ZipOf({{"x.npy", npy}})},
                                                       {"b.npz", ZipOf({{"x.npy", npy}}, Zip::kDeflated)},
                                                       {"c.npz", ZipOf({{"x.npy", npy}}, Zip::kZip64)},
                                                       {"d.npz", ZipOf({{"arr_0.npy", npy}})}};
  for (const auto& [name, bytes] : files) {
    const auto set = Open(name, bytes, {x_});
    ASSERT_TRUE(set.ok()) << set.status().ToString();
    EXPECT_EQ((*set)->size(), 4);
    for (const int64_t index : {1, 3, 0}) {
      const auto sample = (*set)->Read(index);
      ASSERT_TRUE(sample.ok()) << sample.status().ToString();
      EXPECT_EQ(sample->feeds[0].input, "x");
      EXPECT_EQ(sample->feeds[0].tensor.shape(), (Shape{1, 3}));
      EXPECT_EQ(Floats(sample->feeds[0].tensor), Iota<float>(3, 3 * index));
      (*set)->Close();  // reading goes on after it
    }
    EXPECT_EQ((*set)->Key(2), std::string(name) + "[2]");
  }
}

TEST_F(ArraySetTest, ReadsFortranOrderAndBigEndian) {
  // Columns one after the other: [[0, 2, 4], [1, 3, 5]].
  const auto fortran = Open("f.npy", Npy("<f4", {2, 3}, test::RawAll(Iota<float>(6)), true), {x_});
  ASSERT_TRUE(fortran.ok());
  EXPECT_EQ(Floats((*fortran)->Read(0)->feeds[0].tensor), (std::vector<float>{0, 2, 4}));
  EXPECT_EQ(Floats((*fortran)->Read(1)->feeds[0].tensor), (std::vector<float>{1, 3, 5}));
  const auto big = Open("b.npy", Npy(">f4", {1, 3}, std::string("\x3f\x80\0\0\x40\0\0\0\xc0\x40\0\0", 12)), {x_});
  ASSERT_TRUE(big.ok());
  EXPECT_EQ(Floats((*big)->Read(0)->feeds[0].tensor), (std::vector<float>{1, 2, -3}));
}

TEST_F(ArraySetTest, LabelsAndConversions) {
  const auto set = Open("a.npz",
                        ZipOf({{"x.npy", NpyOf<uint8_t>("|u1", {2, 3}, {1, 2, 3, 4, 5, 6})},
                               {"labels.npy", NpyOf<int32_t>("<i4", {2, 1}, {7, 9})}}),
                        {x_});
  ASSERT_TRUE(set.ok()) << set.status().ToString();
  const auto sample = (*set)->Read(1);
  EXPECT_EQ(sample->label, 9);
  EXPECT_EQ(Floats(sample->feeds[0].tensor), (std::vector<float>{4, 5, 6}));
  EXPECT_EQ(Open("b.npz", ZipOf({{"x.npy", FloatNpy({2, 3})}, {"label.npy", FloatNpy({2})}}), {x_}).status().id(),
            ErrorId::kLabels);
  EXPECT_EQ(
      Open("c.npz", ZipOf({{"x.npy", FloatNpy({2, 3})}, {"label.npy", NpyOf<int64_t>("<i8", {3}, {1, 2, 3})}}), {x_})
          .status()
          .id(),
      ErrorId::kLabels);
}

TEST_F(ArraySetTest, StatesAndConstants) {
  const auto set = Open("a.npz",
                        ZipOf({{"x.npy", FloatNpy({5, 3})},
                               {"state.npy", FloatNpy({5, 2, 1, 4})},
                               {"rate.npy", NpyOf<int64_t>("<i8", {}, {16000})}}),
                        {x_, state_, rate_});
  ASSERT_TRUE(set.ok()) << set.status().ToString();
  EXPECT_TRUE((*set)->single());
  const auto sample = (*set)->Read(2);
  EXPECT_EQ(sample->feeds[1].tensor.shape(), (Shape{2, 1, 4}));
  EXPECT_EQ(Floats(sample->feeds[1].tensor), Iota<float>(8, 16));
  EXPECT_EQ(sample->feeds[2].kind, FeedKind::kRepeated);
  EXPECT_EQ(sample->feeds[2].tensor.As<int64_t>()[0], 16000);
  EXPECT_EQ(sample->feeds[2].tensor.bytes().data(), (*set)->Read(3)->feeds[2].tensor.bytes().data());  // read once
}

TEST_F(ArraySetTest, AnArrayOfTheWholeShapeIsAConstantBesideMoreSamples) {
  const TensorSpec mask{"mask", DataType::kFloat, {1, 3}};
  const auto set = Open("a.npz", ZipOf({{"mask.npy", FloatNpy({1, 3})}, {"x.npy", FloatNpy({5, 3})}}), {mask, x_});
  ASSERT_TRUE(set.ok()) << set.status().ToString();
  EXPECT_EQ((*set)->size(), 5);
  EXPECT_EQ((*set)->Read(4)->feeds[0].kind, FeedKind::kRepeated);
  const auto other = Open("b.npz", ZipOf({{"y.npy", FloatNpy({1, 2})}, {"x.npy", FloatNpy({5, 3})}}), {x_, y_});
  EXPECT_EQ(other.status().id(), ErrorId::kDataShape) << other.status().ToString();
}

TEST_F(ArraySetTest, ErrorsNameWhatIsThereAndWhatIsWanted) {
  const auto status = [&](const std::string& bytes, std::vector<TensorSpec> inputs) {
    const Status error = Open("a.npz", bytes, std::move(inputs)).status();
    const std::string prefix = folder_.path() + "/a.npz: ";
    EXPECT_TRUE(error.message().starts_with(prefix)) << error.message();
    return std::make_pair(error.id(), error.message().substr(prefix.size()));
  };
  const std::string x = FloatNpy({2, 3}), y = FloatNpy({2, 2});
  using Pair = std::pair<ErrorId, std::string>;
  EXPECT_EQ(status(ZipOf({{"x.npy", x}, {"img.npy", y}}), {x_, y_}),
            Pair(ErrorId::kDataInputName, "array 'img' matches no input of the model; it has: 'x', 'y'"));
  EXPECT_EQ(status(ZipOf({{"img.npy", x}}), {x_}),
            Pair(ErrorId::kDataInputName, "array 'img' matches no input of the model; it has: 'x'"));
  EXPECT_EQ(status(ZipOf({{"x.npy", x}}), {x_, y_}),
            Pair(ErrorId::kDataInputName, "no array for input 'y'; it has: 'x'"));
  EXPECT_EQ(status(ZipOf({{"x.npy", x}, {"x.npy", x}}), {x_, y_}),
            Pair(ErrorId::kDataInputName, "array 'x' occurs twice"));
  EXPECT_EQ(status(ZipOf({}), {x_}), Pair(ErrorId::kDataInputName, "no array for input 'x'; it has: none"));
  EXPECT_EQ(status(ZipOf({{"x.npy", y}}), {x_}), Pair(ErrorId::kDataShape, "'x': shape [2, 2], wanted [samples, 3]"));
  EXPECT_EQ(status(ZipOf({{"x.npy", NpyOf<int64_t>("<i8", {1, 3}, {1, 2, 3})}}), {x_}),
            Pair(ErrorId::kDataType, "'x': type int64, wanted float"));
  EXPECT_EQ(status(ZipOf({{"x.npy", x}, {"y.npy", FloatNpy({3, 2})}}), {x_, y_}),
            Pair(ErrorId::kDataShape, "'y' has 3 samples, 'x' has 2; wanted the same number"));
  EXPECT_EQ(status(ZipOf({{"x.npy", x.substr(0, x.size() - 1)}}), {x_}).first, ErrorId::kDataMalformed);
}

TEST_F(ArraySetTest, NotFiniteValuesAreNamed) {
  std::vector<float> values = Iota<float>(12);
  values[10] = std::numeric_limits<float>::quiet_NaN();
  const auto set = Open("x.npy", NpyOf("<f4", {4, 3}, values), {x_});
  ASSERT_TRUE(set.ok());
  EXPECT_TRUE((*set)->Read(2).ok());
  const Status status = (*set)->Read(3).status();
  EXPECT_EQ(status.id(), ErrorId::kDataNotFinite);
  EXPECT_EQ(status.message(), folder_.path() + "/x.npy: 'x': sample 3 holds NaN at index [0, 1]");
}

TEST_F(ArraySetTest, SurvivesDamage) {
  int good = 0, refused = 0;
  for (const Zip kind : {Zip::kStored, Zip::kDeflated}) {
    test::Damage(ZipOf({{"x.npy", FloatNpy({2, 3})}}, kind), [&](const std::string& bytes) {
      const auto set = Open("x.npz", bytes, {x_});
      const bool read = set.ok() && (*set)->size() > 0 && (*set)->Read((*set)->size() - 1).ok();
      read ? ++good : ++refused;
    });
  }
  EXPECT_GT(good, 50);
  EXPECT_GT(refused, 200);
}

}  // namespace
}  // namespace preon

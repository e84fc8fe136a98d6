#include "eval/compare_models.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace preon {
namespace {

std::vector<NamedTensor> Output(Shape shape, std::vector<float> values) {
  return {{"y", Tensor::FromFloats(std::move(shape), values)}};
}

Comparison CompareOnce(const std::vector<NamedTensor>& a, const std::vector<NamedTensor>& b,
                       const std::vector<std::optional<int64_t>>& labels = {},
                       const std::vector<NamedTensor>& feeds = {}) {
  Comparer comparer;
  EXPECT_TRUE(comparer.Add(a, b, std::max<int64_t>(1, static_cast<int64_t>(labels.size())), labels, feeds).ok());
  return comparer.Finish();
}

TEST(CompareModels, OutputsStandInTheModelsOrder) {
  const Tensor value = Tensor::FromFloats({1}, std::vector<float>{1});
  const std::vector<NamedTensor> outputs = {{"z", value}, {"a", value}, {"m", value}};
  std::vector<std::string> names;
  for (const auto& [name, output] : CompareOnce(outputs, outputs).outputs) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"z", "a", "m"}));
}

TEST(Compare, FiguresOfAKnownDifference) {
  const Comparison result = CompareOnce(Output({4}, {3, 4, 0, 0}), Output({4}, {3, 4, 0, 0.5f}));
  const OutputComparison& y = result.outputs.at("y");
  EXPECT_DOUBLE_EQ(y.sqnr_db, 20);  // 25 against 0.25
  EXPECT_DOUBLE_EQ(y.cosine, 5 / std::sqrt(25.25));
  EXPECT_DOUBLE_EQ(y.l2, 0.5);
  EXPECT_DOUBLE_EQ(y.max_abs, 0.5);
  EXPECT_FALSE(y.argmax_agreement.has_value());
}

TEST(Compare, EveryFigureIsFinite) {
  EXPECT_EQ(CompareOnce(Output({2}, {1, 2}), Output({2}, {1, 2})).outputs.at("y").sqnr_db, kExactSqnrDb);
  EXPECT_EQ(CompareOnce(Output({2}, {0, 0}), Output({2}, {0, 2})).outputs.at("y").sqnr_db, -kExactSqnrDb);
  EXPECT_EQ(CompareOnce(Output({2}, {0, 0}), Output({2}, {0, 0})).outputs.at("y").cosine, 1);
}

TEST(Compare, CountsValuesThatAreFiniteOnlyInTheReference) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const OutputComparison y = CompareOnce(Output({3}, {1, nan, 2}), Output({3}, {nan, nan, 2})).outputs.at("y");
  EXPECT_EQ(y.not_finite, 1);
  EXPECT_EQ(y.sqnr_db, kExactSqnrDb);
}

TEST(Compare, TextsAreEqualOrNot) {
  const auto texts = [](std::vector<std::string> values) {
    return std::vector<NamedTensor>{{"y", Tensor::FromStrings({2, 2}, std::move(values))}};
  };
  const Comparison result = CompareOnce(texts({"cat", "dog", "cat", "cow"}), texts({"cat", "dog", "dog", "cow"}));
  EXPECT_EQ(result.outputs.at("y").equal_share, 0.75);
  EXPECT_FALSE(SameOutputs(result));
  EXPECT_TRUE(SameOutputs(CompareOnce(texts({"cat", "dog", "cat", ""}), texts({"cat", "dog", "cat", ""}))));
  const auto id = [](const std::vector<NamedTensor>& a, const std::vector<NamedTensor>& b) {
    return Comparer().Add(a, b, 2, {}).id();
  };
  EXPECT_EQ(id(Output({2, 2}, {1, 2, 3, 4}), texts({"1", "2", "3", "4"})), ErrorId::kVerifyOutput);
  EXPECT_EQ(id(texts({"1", "2", "3", "4"}), Output({2, 2}, {1, 2, 3, 4})), ErrorId::kVerifyOutput);
}

TEST(Compare, CodesOfFourBitsAreEqualOrNot) {
  const auto codes = [](std::vector<uint8_t> bytes) {
    Tensor tensor = Tensor::Allocate(DataType::kUInt4, {3});
    std::ranges::transform(bytes, tensor.MutableBytes().begin(), [](uint8_t byte) { return std::byte{byte}; });
    return std::vector<NamedTensor>{{"y", tensor}};
  };
  EXPECT_EQ(CompareOnce(codes({0x21, 0x03}), codes({0x51, 0x03})).outputs.at("y").equal_share, 2.0 / 3);
}

TEST(Compare, OutputsThatBecameNaNAreNotTheSame) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Comparer comparer;
  ASSERT_TRUE(comparer.Add(Output({2, 2}, {1, 2, 3, 4}), Output({2, 2}, {1, 2, nan, 4}), 2, {}).ok());
  const Comparison result = comparer.Finish();
  EXPECT_FALSE(SameOutputs(result));
  EXPECT_EQ(result.most_changed.at(0).index, 1);
  EXPECT_EQ(result.most_changed.at(0).sqnr_db, -kExactSqnrDb);
}

TEST(Compare, ClassScoresThatBecameNaNAreRightAboutNothing) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Comparison result =
      CompareOnce(Output({2, 3}, {3, 2, 1, 1, 2, 3}), Output({2, 3}, {nan, nan, nan, nan, 2, 3}), {0, 2});
  EXPECT_EQ(result.reference_accuracy->top1, 1);
  EXPECT_EQ(result.other_accuracy->top1, 0.5);
  EXPECT_EQ(result.other_accuracy->top5, 0.5);
  EXPECT_EQ(result.argmax_agreement, 0.5);
}

TEST(Compare, ValuesThatAreNotFiniteInTheReferenceAreTold) {
  const float inf = std::numeric_limits<float>::infinity();
  const Comparison some = CompareOnce(Output({3}, {1, inf, 2}), Output({3}, {1, 7, 2}));
  EXPECT_EQ(some.outputs.at("y").float_not_finite, 1);
  EXPECT_EQ(WarningsOf(some), (std::vector<std::string>{"output 'y': 1 value of the float model is NaN or infinite; "
                                                        "only the others are compared"}));
  const Comparison all = CompareOnce(Output({2}, {inf, -inf}), Output({2}, {1, 7}));
  EXPECT_TRUE(all.outputs.at("y").left_out);
  EXPECT_EQ(WarningsOf(all), (std::vector<std::string>{"output 'y': 2 values of the float model are NaN or infinite; "
                                                       "it is not compared"}));
}

TEST(Compare, LabelsThatAreNoClassesAreTold) {
  const std::vector<NamedTensor> output = Output({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(WarningsOf(CompareOnce(output, output, {7, 9})),
            (std::vector<std::string>{"output 'y': 2 labels are not a class of it; there is no accuracy"}));
  EXPECT_EQ(WarningsOf(CompareOnce(output, output, {0, 9})).at(0),
            "output 'y': 1 label is not a class of it; top-1 and top-5 are of the other samples");
}

TEST(Compare, BatchesAddUpToOneRun) {
  Comparer parts;
  ASSERT_TRUE(parts.Add(Output({1, 2}, {1, 2}), Output({1, 2}, {1, 3}), 1, {}).ok());
  ASSERT_TRUE(parts.Add(Output({1, 2}, {5, 4}), Output({1, 2}, {4, 5}), 1, {}).ok());
  Comparer whole;
  ASSERT_TRUE(whole.Add(Output({2, 2}, {1, 2, 5, 4}), Output({2, 2}, {1, 3, 4, 5}), 2, {}).ok());
  EXPECT_EQ(parts.Finish().samples, 2);
  EXPECT_EQ(parts.Finish().outputs.at("y").sqnr_db, whole.Finish().outputs.at("y").sqnr_db);
  EXPECT_EQ(parts.Finish().argmax_agreement, 0.5);
  EXPECT_EQ(whole.Finish().argmax_agreement, 0.5);
}

TEST(Compare, AgreementIsPerPositionOfASequence) {
  const std::vector<NamedTensor> tokens = {{"ids", Tensor::FromInt64s({1, 3}, std::vector<int64_t>{7, 8, 9})}};
  const Comparison result =
      CompareOnce(Output({1, 3, 2}, {1, 0, 0, 1, 1, 0}), Output({1, 3, 2}, {1, 0, 0, 1, 0, 1}), {}, tokens);
  EXPECT_DOUBLE_EQ(*result.argmax_agreement, 2.0 / 3);
  EXPECT_FALSE(result.reference_accuracy.has_value());
}

TEST(Compare, NoTopClassWhereThereAreNoClasses) {
  const auto agreement = [](const std::vector<NamedTensor>& output, const std::vector<NamedTensor>& feeds) {
    return CompareOnce(output, output, {}, feeds).argmax_agreement;
  };
  const std::vector<NamedTensor> image = {{"x", Tensor::Allocate(DataType::kFloat, {1, 3, 4, 4})}};
  const std::vector<NamedTensor> sound = {{"x", Tensor::Allocate(DataType::kFloat, {1, 4})}};
  EXPECT_EQ(agreement(Output({1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}), image), std::nullopt);  // boxes of a detector
  EXPECT_EQ(agreement(Output({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}), image), std::nullopt);     // boxes, one row each
  EXPECT_EQ(agreement(Output({1, 4}, {1, 2, 3, 4}), sound), std::nullopt);                 // sound from sound
  EXPECT_EQ(agreement(Output({1, 4}, {0.5f, -0.5f, 0.5f, 0.5f}), image), std::nullopt);    // an embedding
  EXPECT_EQ(agreement(Output({1, 4}, {1, 2, 3, 4}), image), 1);
}

TEST(Compare, AccuracyCountsRanksOfTheLabel) {
  const std::vector<float> a = {9, 8, 7, 6, 5, 4, /**/ 9, 8, 7, 6, 5, 4};
  const std::vector<float> b = {8, 9, 7, 6, 5, 4, /**/ 9, 8, 7, 6, 5, 4};
  const Comparison result = CompareOnce(Output({2, 6}, a), Output({2, 6}, b), {0, 5});
  EXPECT_EQ(result.reference_accuracy->top1, 0.5);
  EXPECT_EQ(result.reference_accuracy->top5, 0.5);
  EXPECT_EQ(result.other_accuracy->top1, 0);
  EXPECT_EQ(result.other_accuracy->top5, 0.5);
}

TEST(Compare, LabelsChooseTheOutputThatClassifies) {
  const std::vector<NamedTensor> outputs = {{"embedding", Tensor::FromFloats({1, 2}, std::vector<float>{9, 0})},
                                            {"logits", Tensor::FromFloats({1, 2}, std::vector<float>{0, 9})}};
  EXPECT_EQ(CompareOnce(outputs, outputs, {1}).class_output, "logits");
  EXPECT_EQ(CompareOnce(outputs, outputs).class_output, "embedding");
}

TEST(Compare, ShapesMayDifferButAreCounted) {
  EXPECT_EQ(CompareOnce(Output({2}, {1, 2}), Output({1}, {1})).outputs.at("y").shape_differs, 1);
}

TEST(Compare, RunsOfOtherShapesAndIndicesAreLeftOut) {
  const auto indices = [](std::vector<int64_t> values) {
    return NamedTensor{"i", Tensor::FromInt64s({static_cast<int64_t>(values.size())}, values)};
  };
  Comparer comparer;
  std::vector<NamedTensor> a = Output({2}, {1, 2}), b = Output({1}, {1});
  a.push_back(indices({1, 2}));
  b.push_back(indices({7}));
  ASSERT_TRUE(comparer.Add(a, b, 1, {}).ok());
  EXPECT_TRUE(comparer.Finish().outputs.at("y").left_out);  // no run of the same shape so far
  ASSERT_TRUE(comparer.Add(a, a, 1, {}).ok());
  const Comparison both = comparer.Finish();
  EXPECT_FALSE(both.outputs.at("y").left_out);
  EXPECT_EQ(both.outputs.at("y").sqnr_db, kExactSqnrDb);
  EXPECT_TRUE(both.outputs.at("i").left_out);
  EXPECT_EQ(WarningsOf(both).size(), 2u);
  EXPECT_TRUE(WarningsOf(CompareOnce(a, a)).empty());
}

TEST(Compare, CountsEqualIntegersAndLooksForTheWorstAmongFloats) {
  std::vector<NamedTensor> a = Output({2}, {1, 2}), b = Output({2}, {1, 2.1f});
  a.push_back({"i", Tensor::FromInt64s({4}, std::vector<int64_t>{1, 2, 3, 4})});
  b.push_back({"i", Tensor::FromInt64s({4}, std::vector<int64_t>{1, 2, 9, 4})});
  const Comparison compare = CompareOnce(a, b);
  EXPECT_EQ(compare.outputs.at("i").equal_share, 0.75);
  EXPECT_FALSE(compare.outputs.at("y").equal_share);
  EXPECT_LT(compare.outputs.at("i").sqnr_db, compare.outputs.at("y").sqnr_db);
  EXPECT_EQ(WorstSqnrDb(compare), compare.outputs.at("y").sqnr_db);
}

TEST(Compare, MissingOutputIsAnError) {
  Comparer comparer;
  const Status status = comparer.Add(Output({1}, {1}), {}, 1, {});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.id(), ErrorId::kNameNotInModel);
}

}  // namespace
}  // namespace preon

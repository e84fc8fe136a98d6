#include "analyze/analysis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ranges/range_methods.h"
#include "ranges/test_sketches.h"

namespace preon {
namespace {

using testing::ElementsAre;

std::vector<float> Scaled(std::vector<float> values, float factor) {
  for (float& x : values) x *= factor;
  return values;
}

class AnalysisTest : public testing::Test {
 protected:
  AnalysisTest() {
    methods_.Add(MakeAutoMethod());
    methods_.Add(MakeMinMaxMethod());
    methods_.Add(MakeLayerwisePercentileMethod());
  }

  /// "b" of a Relu, then "a" of an Add with an outlier; "c" has no place in the model, "never" no values.
  static CalibrationData Data(float factor = 1) {
    CalibrationData data{.origins = {{"b", "Relu"}, {"a", "Add"}}};
    data.shared = {{"view", "a"}};
    std::vector<float> far = test::Gaussian(20000);
    far[9] = 400;
    data.tensors.emplace("a", test::SketchOf(Scaled(far, factor)));
    data.tensors.emplace("b", test::SketchOf(test::Gaussian(2000)));
    data.tensors.emplace("c", test::SketchOf({1, 2, 3}));
    data.tensors.emplace("never", TensorSketch());
    return data;
  }

  Result<Analysis> Run(const CalibrationData& data, const CalibrationData* production = nullptr) {
    return Analyze(data, production, {.methods = methods_, .chosen = *methods_.entries()[0]});
  }

  RangeMethodRegistry methods_{"method"};
};

std::vector<std::string> Names(const Analysis& analysis, const std::vector<size_t>& indices) {
  std::vector<std::string> names;
  for (const size_t index : indices) names.push_back(analysis.tensors[index].name);
  return names;
}

TEST_F(AnalysisTest, TensorsComeInTheModelsOrder) {
  const Analysis analysis = *Run(Data());
  EXPECT_THAT(Names(analysis, {0, 1, 2}), ElementsAre("b", "a", "c"));
  EXPECT_EQ(analysis.tensors[0].op, "Relu");
  EXPECT_EQ(analysis.tensors[2].op, "");
  EXPECT_THAT(analysis.tensors[1].shared_by, ElementsAre("view"));
  EXPECT_THAT(analysis.not_reached, ElementsAre("never"));
}

TEST_F(AnalysisTest, AdviceFollowsOutliersAndTheWorstComesFirst) {
  const Analysis analysis = *Run(Data());
  EXPECT_EQ(analysis.tensors[1].method, "layerwise-percentile");
  EXPECT_EQ(analysis.tensors[2].method, "minmax");
  EXPECT_GT(analysis.tensors[1].values.outlier_ratio, 100);
  EXPECT_EQ(Names(analysis, analysis.by_outliers).front(), "a");
  EXPECT_TRUE(analysis.by_shift.empty());
  EXPECT_TRUE(analysis.gaps.empty());
  int64_t advised = 0;
  for (const auto& [method, count] : analysis.advice) advised += count;
  EXPECT_EQ(advised, 3);
}

TEST_F(AnalysisTest, EveryMethodHasARange) {
  const Analysis analysis = *Run(Data());
  for (const TensorAnalysis& tensor : analysis.tensors) {
    ASSERT_EQ(tensor.methods.size(), 3u);
    EXPECT_EQ(tensor.methods[0].range, tensor.chosen.range);
    EXPECT_EQ(tensor.methods[1].range.max, tensor.values.max);
  }
  EXPECT_EQ(analysis.methods[1].method, "minmax");
  EXPECT_EQ(analysis.methods[1].median_kept, 1);
  EXPECT_GE(analysis.methods[1].least_error, 1);  // of "c", where all keep everything
}

TEST_F(AnalysisTest, ProductionThatReachesFartherIsAGap) {
  const CalibrationData production = Data(8);
  const Analysis analysis = *Run(Data(), &production);
  EXPECT_THAT(Names(analysis, analysis.gaps), ElementsAre("a"));
  EXPECT_EQ(Names(analysis, analysis.by_shift).front(), "a");
  const TensorAnalysis& a = analysis.tensors[1];
  EXPECT_EQ(a.production->shift.coverage.max, 1.0 / 8);
  EXPECT_GT(a.production->shift.clipped_production, 0.2);
  EXPECT_EQ(a.picture.high, a.production->picture.high);
  EXPECT_EQ(a.picture.high, 3200);
  EXPECT_EQ(analysis.tensors[0].production->shift.coverage.worst(), 1);
}

TEST_F(AnalysisTest, WhatProductionNeverReachedIsNotCompared) {
  CalibrationData production = Data();
  production.tensors.erase("b");
  production.tensors.at("c") = TensorSketch();
  const Analysis analysis = *Run(Data(), &production);
  EXPECT_THAT(analysis.not_compared, ElementsAre("b", "c"));
  EXPECT_THAT(Names(analysis, analysis.by_shift), ElementsAre("a"));
  production.tensors.clear();
  EXPECT_EQ(Run(Data(), &production).status().id(), ErrorId::kCalibFileMismatch);
}

TEST_F(AnalysisTest, NothingWasReached) {
  CalibrationData data;
  data.tensors.emplace("never", TensorSketch());
  const Analysis analysis = *Run(data);
  EXPECT_TRUE(analysis.tensors.empty());
  EXPECT_THAT(analysis.not_reached, ElementsAre("never"));
}

}  // namespace
}  // namespace preon

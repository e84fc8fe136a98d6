#include "decide/requirement.h"

#include <gtest/gtest.h>

namespace preon {
namespace {

Comparison Measured() {
  Comparison compare;
  compare.samples = 20;
  OutputComparison& output = compare.outputs["y"];
  output.sqnr_db = 20.5;
  output.sqnr_interval = ConfidenceInterval{19, 22};
  compare.argmax_agreement = 0.95;
  compare.agreement_interval = ConfidenceInterval{0.76, 0.99};
  compare.reference_accuracy = Accuracy{0.8, 0.9};
  compare.other_accuracy = Accuracy{0.79, 0.9};
  compare.drop_interval = ConfidenceInterval{-0.02, 0.04};
  return compare;
}

Result<std::vector<RequirementOutcome>> Judge(const std::string& text, const Comparison& compare = Measured()) {
  PREON_ASSIGN_OR_RETURN(const std::vector<Requirement> requirements, ParseRequirements(text));
  LatencyPair latency;
  latency.other.p50 = 2;
  latency.speedup = {.median = 2, .low = 1.9, .high = 2.1};
  return JudgeRequirements(
      requirements,
      {.compare = compare, .latency = latency, .float_size_bytes = 16'000'000, .quantized_size_bytes = 4'000'000});
}

TEST(Requirement, HoldsOrNotAndHowSurely) {
  struct Case {
    const char* text;
    bool holds, sure;
  };
  for (const Case& one : {Case{"drop<=1%", true, false},
                          {"drop<=5%", true, true},
                          {"drop<=0.5%", false, false},
                          {"agreement>=95%", true, false},
                          {"agreement>=0.7", true, true},
                          {"sqnr>=20", true, false},
                          {"sqnr>=18dB", true, true},
                          {"sqnr>=25", false, true},
                          {"speed>=1.5", true, true},
                          {"speed>=2.05x", false, false},
                          {"latency<=5ms", true, true},
                          {"size<=4MB", true, true},
                          {"size<=3.9M", false, true},
                          {"size<=25%", true, true},
                          {"size<=20%", false, true}}) {
    const auto outcomes = Judge(one.text);
    ASSERT_TRUE(outcomes.ok()) << one.text << outcomes.status().ToString();
    EXPECT_EQ(outcomes->front().holds, one.holds) << one.text << " " << outcomes->front().measured;
    EXPECT_EQ(outcomes->front().sure, one.sure) << one.text;
    EXPECT_EQ(WhyNotMet(*outcomes).empty(), one.holds);
    EXPECT_EQ(WarningsOfUnsure(*outcomes).empty(), !one.holds || one.sure);
  }
}

TEST(Requirement, NamesWhatDoesNotHold) {
  const auto outcomes = Judge("drop <= 1%, sqnr >= 25, size<=3MB");
  ASSERT_TRUE(outcomes.ok());
  EXPECT_EQ(WhyNotMet(*outcomes),
            "required sqnr>=25, got 20.5 dB (19.0 dB to 22.0 dB); required size<=3MB, got 4000000 bytes");
}

std::string OfMetric(const std::string& text, MetricUnit unit) {
  const auto requirements = ParseRequirements(text);
  EXPECT_TRUE(requirements.ok()) << text;
  const Comparison compare = Measured();
  const auto outcomes = JudgeRequirements(
      *requirements, {.compare = compare, .metric_drop = MetricDrop{0.4, unit, ConfidenceInterval{0.2, 0.5}}});
  return outcomes.ok() ? WhyNotMet(*outcomes) : std::string(outcomes.status().message());
}

TEST(Requirement, ADropIsInTheUnitOfTheMetric) {
  EXPECT_EQ(OfMetric("drop<=0.5dB", MetricUnit::kDecibel), "");
  EXPECT_EQ(OfMetric("drop<=0.3dB", MetricUnit::kDecibel), "required drop<=0.3dB, got 0.4 dB (0.2 dB to 0.5 dB)");
  EXPECT_EQ(OfMetric("drop<=0.3", MetricUnit::kNats),
            "required drop<=0.3, got 0.4000 nats (0.2000 nats to 0.5000 nats)");
  EXPECT_EQ(OfMetric("drop<=40%", MetricUnit::kShare), "");
  EXPECT_EQ(OfMetric("drop<=1%", MetricUnit::kDecibel),
            "--require drop<=1%: the metric is measured in dB; wanted a drop in dB, for example drop<=0.3dB");
  EXPECT_EQ(OfMetric("drop<=1%", MetricUnit::kNats),
            "--require drop<=1%: the metric is measured in nats; wanted a drop in nats, for example drop<=0.01nats");
  EXPECT_EQ(OfMetric("drop<=0.3", MetricUnit::kNumber), "required drop<=0.3, got 0.4000 (0.2000 to 0.5000)");
  EXPECT_EQ(OfMetric("drop<=1%", MetricUnit::kNumber),
            "--require drop<=1%: the metric is a number without a unit; wanted a drop without one, for example "
            "drop<=0.5");
  EXPECT_EQ(Judge("drop<=0.3dB").status().id(), ErrorId::kBadOptionValue);
}

TEST(Requirement, OutputsThatAreEqualHaveNoFigure) {
  Comparison compare = Measured();
  compare.outputs["y"].sqnr_db = kExactSqnrDb;
  compare.outputs["y"].sqnr_interval.reset();
  const auto outcomes = Judge("sqnr>=20", compare);
  ASSERT_TRUE(outcomes.ok());
  EXPECT_EQ(outcomes->front().measured, "equal outputs");
}

TEST(Requirement, OutputsThatBecameNaNMissAnySqnr) {
  Comparison compare = Measured();
  compare.outputs["other"].not_finite = 1;
  EXPECT_FALSE(Judge("sqnr>=-100", compare)->at(0).holds);
}

TEST(Requirement, WhatIsNotMeasuredIsAnError) {
  for (const char* text : {"drop<=1%", "agreement>=90%", "sqnr>=3"})
    EXPECT_EQ(Judge(text, Comparison()).status().id(), ErrorId::kMissingOption) << text;
}

TEST(Requirement, WhatCannotBeReadIsAnError) {
  for (const char* text : {"", "drop", "drop<1%", "drop=1%", "dorp<=1%", "drop<=", "drop<=1MB", "size<=4TB",
                           "sqnr>=20%", "speed>=fast", "drop<=1%,", "sqnr>=nan"})
    EXPECT_EQ(ParseRequirements(text).status().id(), ErrorId::kBadOptionValue) << text;
}

}  // namespace
}  // namespace preon

#include "decide/verdict.h"

#include <gtest/gtest.h>

namespace preon {
namespace {

Comparison OfDb(double db) {
  Comparison compare;
  compare.outputs["y"].sqnr_db = db;
  return compare;
}

struct Case {
  Comparison compare;
  std::optional<MetricFigures> metric;
  LatencyPair latency;
  std::vector<Alarm> alarms;
};

size_t Reasons(const Case& of, const std::string& required = "") {
  const auto requirements =
      required.empty() ? std::vector<Requirement>() : std::move(ParseRequirements(required)).value();
  const auto reasons = WhyNotShip({of.compare, of.metric, of.latency, of.alarms, 400, 100}, requirements);
  EXPECT_TRUE(reasons.ok()) << reasons.status().ToString();
  return reasons.ok() ? reasons->size() : 99;
}

TEST(Verdict, ByErrorWhereThereAreNoClasses) {
  EXPECT_EQ(Reasons({OfDb(20.1)}), 0u);
  EXPECT_EQ(Reasons({OfDb(19.9)}), 1u);
}

TEST(Verdict, ByAgreementWhereThereAreNoLabels) {
  Comparison compare = OfDb(16);
  compare.argmax_agreement = 0.96;
  EXPECT_EQ(Reasons({compare}), 0u);
  compare.argmax_agreement = 0.93;
  compare.agreement_interval = ConfidenceInterval{0.8, 0.98};
  EXPECT_EQ(Reasons({compare}), 1u);
  compare.outputs["y"].sqnr_db = 22;
  EXPECT_EQ(Reasons({compare}), 0u);
}

TEST(Verdict, ByTheMetric) {
  const auto lost = [](MetricUnit unit, double loss, double low) {
    return MetricFigures{"m", unit, 2, 2 - loss, loss, ConfidenceInterval{low, loss + 1}};
  };
  EXPECT_EQ(Reasons({OfDb(5), lost(MetricUnit::kShare, 0.01, -1)}), 0u);
  EXPECT_EQ(Reasons({OfDb(15), lost(MetricUnit::kShare, 0.03, -0.01)}), 1u);
  EXPECT_EQ(Reasons({OfDb(25), lost(MetricUnit::kShare, 0.03, -0.01)}), 0u);
  EXPECT_EQ(Reasons({OfDb(25), lost(MetricUnit::kShare, 0.03, 0.01)}), 1u);
  EXPECT_EQ(Reasons({OfDb(25), lost(MetricUnit::kDecibel, 0.4, 0.1)}), 1u);
  EXPECT_EQ(Reasons({OfDb(25), lost(MetricUnit::kNats, 0.015, 0.01)}), 0u);
}

TEST(Verdict, ByRequirementsAlone) {
  EXPECT_EQ(Reasons({OfDb(12)}, "sqnr>=11,size<=30%"), 0u);
  EXPECT_EQ(Reasons({OfDb(50)}, "size<=20%"), 1u);
}

TEST(Verdict, AlarmsCount) {
  EXPECT_EQ(Reasons({.compare = OfDb(50), .alarms = {{"slower", "slower than float"}}}), 1u);
  EXPECT_EQ(Reasons({.compare = OfDb(50), .alarms = {{"large_file", "large"}}}), 0u);
}

TEST(Verdict, TheFirstStepThatIsEnoughDecides) {
  EXPECT_EQ(Decide({}, {}), Verdict::kShip);
  EXPECT_EQ(Decide({"far"}, {{.kind = "data"}, {.kind = "range_method", .enough = true}}), Verdict::kAdjust);
  EXPECT_EQ(Decide({"far"}, {{.kind = "training"}}), Verdict::kEscalate);
}

}  // namespace
}  // namespace preon

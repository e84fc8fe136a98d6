#include "data/run_plan.h"

#include <gtest/gtest.h>

#include "ir/test_models.h"

namespace preon {
namespace {

using test::EmptyModel;

/// x [N, channels, 10] -> Relu -> a -> Neg -> b -> Add(a, b) -> y.
Model Diamond(int64_t channels) {
  const ValueInfo info{.type = DataType::kFloat, .shape = Shape{kDynamicDim, channels, 10}};
  Model model = EmptyModel({kDynamicDim, channels, 10});
  model.graph.AddNode("Relu", {"x"}, {"a"});
  model.graph.AddNode("Neg", {"a"}, {"b"});
  model.graph.AddNode("Add", {"a", "b"}, {"sum"});
  model.graph.AddNode("Mul", {"sum", "sum"}, {"y"});
  for (const char* tensor : {"a", "b", "sum"}) model.graph.SetInfo(tensor, info);
  model.graph.AddOutput("y", info);
  return model;
}

TEST(ActivationBytes, CountsWhatIsAliveAtOnce) {
  EXPECT_EQ(ActivationBytes(Diamond(5).graph, 1), 3 * 5 * 10 * 4);  // a, b and their sum
  EXPECT_EQ(ActivationBytes(Diamond(5).graph, 8), 8 * 3 * 5 * 10 * 4);
}

TEST(ActivationBytes, OpenAxesAndUnknownShapes) {
  Model model = Diamond(5);
  model.graph.SetInfo("sum", {.type = DataType::kFloat, .shape = Shape{1, kDynamicDim, 2}});
  EXPECT_EQ(ActivationBytes(model.graph, 1), 2 * 5 * 10 * 4 + 128 * 2 * 4);
  EXPECT_EQ(ActivationBytes(EmptyModel({1}).graph, 1), 0);
}

class Samples final : public DataSource {
 public:
  explicit Samples(std::optional<int64_t> count, int64_t batch = 1) : count_(count), batch_(batch) {}
  Result<std::optional<Batch>> Next() override { return std::optional<Batch>(); }
  std::optional<int64_t> SampleCount() const override { return count_; }
  int64_t BatchSize() const override { return batch_; }

 private:
  std::optional<int64_t> count_;
  int64_t batch_;
};

void ExpectPlan(const RunPlan& plan, int at_once, int threads) {
  EXPECT_EQ(plan.at_once, at_once);
  EXPECT_EQ(plan.threads, threads);
}

TEST(PlanRuns, OneThreadPerRun) {
  ExpectPlan(PlanRuns(Diamond(5), 1, Samples(100)), 1, 1);
  ExpectPlan(PlanRuns(Diamond(5), 4, Samples(100)), 4, 1);
  ExpectPlan(PlanRuns(Diamond(5), 4, Samples(std::nullopt)), 4, 1);
}

TEST(PlanRuns, FewRunsLeaveThreadsToOperators) {
  ExpectPlan(PlanRuns(Diamond(5), 4, Samples(3)), 3, 2);
  ExpectPlan(PlanRuns(Diamond(5), 4, Samples(100, 50)), 2, 3);
  ExpectPlan(PlanRuns(Diamond(5), 4, Samples(1)), 1, 4);
  ExpectPlan(PlanRuns(Diamond(5), 4, Samples(0)), 1, 4);
}

TEST(PlanRuns, MemoryBoundsTheRunsAtOnce) {
  const Model large = Diamond(1 << 19);  // 3 * 20 MiB
  ExpectPlan(PlanRuns(large, 8, Samples(100)), 3, 6);
  ExpectPlan(PlanRuns(large, 8, Samples(100, 4)), 1, 8);
}

TEST(PlanRuns, MemoryUse) {
  const Model large = Diamond(int64_t{64} << 20);
  EXPECT_LT(PlanRuns(large, 8, Samples(100)).at_once, 8);
  ExpectPlan(PlanRuns(large, 8, Samples(100), MemoryUse::kFast), 8, 1);
  ExpectPlan(PlanRuns(Diamond(5), 8, Samples(100), MemoryUse::kLow), 1, 8);
}

}  // namespace
}  // namespace preon

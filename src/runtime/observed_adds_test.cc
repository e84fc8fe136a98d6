#include "runtime/observed_adds.h"

#include <gtest/gtest.h>

#include "ir/test_models.h"
#include "runtime/observe_add_op.h"

namespace preon {
namespace {

using test::EmptyModel;

/// Inputs "a" and "b" come from a convolution and a Relu, whose shapes are not known; "y" reads "sum".
struct Builder {
  Builder() {
    graph.AddNode("Conv", {"x", "w"}, {"a"}, "conv", "com.microsoft.nchwc");
    graph.AddNode("Relu", {"x"}, {"b"}, "relu");
    graph.SetInitializer("w", test::Wave({8, 8, 1, 1}));
  }
  /// Returns what the observer passes on.
  std::string Observe(const std::string& tensor, int64_t index, int64_t block = 16, int64_t channels = 24) {
    Node* node = graph.AddNode(kObserveOp, {tensor}, {tensor + "_observed"}, "", kObserveDomain);
    node->attributes = {{kIndexAttribute, index}, {kBlockAttribute, block}, {kChannelsAttribute, channels}};
    return node->output();
  }
  void Add(const std::string& a, const std::string& b) { graph.AddNode("Add", {a, b}, {"sum"}, "add"); }
  void Finish(const std::string& sum) {
    graph.AddNode("Neg", {sum}, {"y"}, "neg");
    graph.AddOutput("y", {.type = DataType::kFloat});
    FuseObservedAdds(graph);
    EXPECT_TRUE(graph.SortTopologically().ok());
    const Status integrity = graph.CheckIntegrity();
    EXPECT_TRUE(integrity.ok()) << integrity.ToString();
  }
  size_t Count(const std::string& type) const {
    return static_cast<size_t>(std::count_if(graph.nodes().begin(), graph.nodes().end(),
                                             [&](const auto& node) { return node->op_type == type; }));
  }
  void ExpectApart(size_t observers) const {
    EXPECT_EQ(Count("Add"), 1u);
    EXPECT_EQ(Count(kObserveOp), observers);
  }
  void ExpectFused(const std::string& type, const std::vector<std::string>& inputs, const std::vector<int64_t>& indices,
                   const std::string& output, size_t observers_left = 0) const {
    EXPECT_EQ(Count("Add"), 0u);
    EXPECT_EQ(Count(kObserveOp), observers_left);
    const Node* fused = graph.Producer(output);
    ASSERT_NE(fused, nullptr);
    EXPECT_EQ(fused->op_type, type);
    EXPECT_EQ(fused->domain, kObserveDomain);
    EXPECT_EQ(fused->inputs(), inputs);
    EXPECT_EQ(fused->Ints(kIndicesAttribute), indices);
  }
  Model model = EmptyModel({1, 8, 3, 3});
  Graph& graph = model.graph;
};

TEST(FuseObservedAdds, AllThreeObserved) {
  Builder build;
  build.Add(build.Observe("a", 5), build.Observe("b", 6));
  build.Finish(build.Observe("sum", 7));
  build.ExpectFused(kObserveAddInPlaceOp, {"a", "b"}, {5, 6, 7}, "sum_observed");
  EXPECT_EQ(build.graph.Producer("sum_observed")->Int(kBlockAttribute, 0), 16);
  EXPECT_EQ(build.graph.Producer("sum_observed")->Int(kChannelsAttribute, 0), 24);
}

TEST(FuseObservedAdds, TheSumGoesOverTheConvolutionOnEitherSide) {
  Builder build;
  build.Add(build.Observe("b", 6), build.Observe("a", 5));
  build.Finish("sum");
  build.ExpectFused(kObserveAddInPlaceOp, {"a", "b"}, {5, 6, kNotObserved}, "sum");
}

TEST(FuseObservedAdds, OnlyTheSumObserved) {
  Builder build;
  build.Add("a", "b");
  build.Finish(build.Observe("sum", 7));
  build.ExpectFused(kObserveAddInPlaceOp, {"a", "b"}, {kNotObserved, kNotObserved, 7}, "sum_observed");
}

TEST(FuseObservedAdds, AnInputThatSomebodyElseReadsKeepsItsMemory) {
  Builder build;
  build.Add("a", "b");
  build.graph.AddNode("Abs", {"a"}, {"other"});
  build.graph.AddOutput("other", {.type = DataType::kFloat});
  build.Finish(build.Observe("sum", 7));
  build.ExpectFused(kObserveAddOp, {"a", "b"}, {kNotObserved, kNotObserved, 7}, "sum_observed");
}

TEST(FuseObservedAdds, AnObserverForOthersTooStays) {
  Builder build;
  const std::string a = build.Observe("a", 5);
  build.Add(a, build.Observe("b", 6));
  build.graph.AddNode("Abs", {a}, {"other"});
  build.graph.AddOutput("other", {.type = DataType::kFloat});
  build.Finish("sum");
  build.ExpectFused(kObserveAddOp, {a, "b"}, {kNotObserved, 6, kNotObserved}, "sum", 1);
}

TEST(FuseObservedAdds, OnlyTheNearestOfSeveralObservers) {
  Builder build;
  build.Add(build.Observe(build.Observe("a", 4), 5), "b");
  build.Finish(build.Observe(build.Observe("sum", 6), 7));
  build.ExpectFused(kObserveAddOp, {"a_observed", "b"}, {5, kNotObserved, 6}, "sum_observed", 2);
}

TEST(FuseObservedAdds, TwiceTheSameInput) {
  Builder build;
  const std::string a = build.Observe("a", 5);
  build.Add(a, a);
  build.Finish(build.Observe("sum", 7));
  build.ExpectFused(kObserveAddOp, {a, a}, {kNotObserved, kNotObserved, 7}, "sum_observed", 1);
}

TEST(FuseObservedAdds, SumThatIsAGraphOutput) {
  Builder build;
  build.Add(build.Observe("a", 5), "b");
  build.graph.AddOutput("sum", {.type = DataType::kFloat});
  build.Finish("sum");
  build.ExpectFused(kObserveAddInPlaceOp, {"a", "b"}, {5, kNotObserved, kNotObserved}, "sum");
}

TEST(FuseObservedAdds, WithoutObservers) {
  Builder build;
  build.Add("a", "b");
  build.Finish("sum");
  build.ExpectApart(0);
}

TEST(FuseObservedAdds, PlainTensorsNeedShapesThatAreKnownToBeEqual) {
  const auto info = [](const Shape& shape, const std::vector<std::string>& names) {
    return ValueInfo{.type = DataType::kFloat, .shape = shape, .dim_names = names};
  };
  const ValueInfo fixed = info({2, 8, 3}, {"", "", ""}), row = info({1, 8, 3}, {"", "", ""}),
                  named = info({kDynamicDim, 8, 3}, {"N", "", ""}), other = info({kDynamicDim, 8, 3}, {"M", "", ""}),
                  unnamed = info({kDynamicDim, 8, 3}, {"", "", ""}), shorter = info({8, 3}, {"", ""});
  const auto fuses = [](const ValueInfo* a, const ValueInfo* b) {
    Builder build;
    if (a != nullptr) build.graph.SetInfo("a", *a);  // in front of the observer
    if (b != nullptr) build.graph.SetInfo("b", *b);
    build.Add(build.Observe("a", 5, 1, 0), "b");
    build.Finish(build.Observe("sum", 7, 1, 0));
    if (build.Count("Add") == 1) build.ExpectApart(2);
    return build.Count("Add") == 0;
  };
  EXPECT_TRUE(fuses(&fixed, &fixed));
  EXPECT_TRUE(fuses(&named, &named));
  EXPECT_FALSE(fuses(&fixed, &row));
  EXPECT_FALSE(fuses(&named, &fixed));
  EXPECT_FALSE(fuses(&named, &other));
  EXPECT_FALSE(fuses(&unnamed, &unnamed));
  EXPECT_FALSE(fuses(&fixed, &shorter));
  EXPECT_FALSE(fuses(&fixed, nullptr));
  EXPECT_FALSE(fuses(nullptr, nullptr));
}

TEST(FuseObservedAdds, ObserversThatReadDifferently) {
  for (const auto& [block, channels] : {std::pair<int64_t, int64_t>{1, 0}, {16, 32}}) {
    Builder build;
    build.Add(build.Observe("a", 5), build.Observe("b", 6, block, channels));
    build.Finish("sum");
    build.ExpectApart(2);
  }
}

TEST(FuseObservedAdds, AnObserverThatRunsWithoutTheAddStays) {
  Builder build;
  const std::string a = build.Observe("a", 5);
  build.graph.Producer(a)->home = IfBranch{};
  build.Add(a, build.Observe("b", 6));
  build.graph.Producer("sum")->home = IfBranch{"choice", 0};
  build.graph.Producer("b_observed")->home = IfBranch{"choice", 0};
  build.Finish("sum");
  build.ExpectFused(kObserveAddOp, {a, "b"}, {kNotObserved, 6, kNotObserved}, "sum", 1);
  EXPECT_EQ(build.graph.Producer("sum")->home, (IfBranch{"choice", 0}));
}

}  // namespace
}  // namespace preon

// Positions that a plan has by hand; the figures are those of docs/design/npu.md.
#include "quantize/params/refine_positions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ir/test_graphs.h"
#include "quantize/params/position_problem.h"

namespace preon {
namespace {

using test::GraphBuilder;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

QuantParams At(int position) { return {std::ldexp(1.0f, -position), 0}; }

/// A graph, positions by tensor, and what refinement makes of both.
class Case {
 public:
  explicit Case(GraphBuilder builder) : model_(std::move(builder.model)) { plan_.positions = PositionLimits{}; }

  PositionLimits& limits() { return *plan_.positions; }
  void ActAsQuark() { plan_.compat = Compat::kQuark; }
  void Set(const std::string& tensor, int position) {
    const IntFormat format{DataType::kInt8, true};
    if (model_.graph.Initializer(tensor) == nullptr) {
      plan_.activations[tensor] = {.format = format, .params = At(position)};
      return;
    }
    WeightPlan& weight = plan_.weights[tensor] = {.format = format, .params = At(position)};
    for (const Use& use : model_.graph.Uses(tensor)) weight.nodes.push_back(use.node->name);
  }
  void Share(const std::string& tensor, const std::string& owner) {
    plan_.activations[tensor] = {.format = {DataType::kInt8, true}, .shares = owner};
  }
  void Pairless(const std::string& tensor) { plan_.activations.erase(tensor); }

  /// Position of a tensor or constant afterwards.
  int operator[](const std::string& tensor) const {
    PlanParams params(model_.graph, plan_, {});
    EXPECT_TRUE(Refine(params).ok());
    if (const auto weight = plan_.weights.find(tensor); weight != plan_.weights.end())
      return *PositionOf(params.OfWeight(tensor, weight->second)->at(0).scale);
    return *PositionOf(params.Find(tensor)->params.scale);
  }
  PositionTable Table() const {
    PlanParams params(model_.graph, plan_, {});
    Result<PositionTable> table = Refine(params);
    EXPECT_TRUE(table.ok()) << table.status().ToString();
    return table.ok() ? *table : PositionTable{};
  }

 private:
  Result<PositionTable> Refine(PlanParams& params) const {
    PREON_RETURN_IF_ERROR(params.Compute());
    return RefinePositions(model_.graph, plan_, params, [&](const std::string& name, const WeightPlan& weight) {
      return params.OfWeight(name, weight);
    });
  }

  Model model_;
  QuantPlan plan_;
};

Case ConvCase(int input, int weight, int bias, int output, const char* reader = nullptr) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c");
  if (reader != nullptr) b.Op(reader, {"c"}, "r");
  b.Output(reader == nullptr ? "c" : "r");
  Case made(std::move(b));
  made.Set("x", input);
  made.Set("c_w", weight);
  made.Set("c_b", bias);
  made.Set(reader == nullptr ? "c" : "r", output);
  return made;
}

TEST(RefinePositions, WeightsAndBiasesOfKernels) {
  const Case cut = ConvCase(5, 18, -1, -1);
  EXPECT_EQ(cut["c_w"], 10);
  EXPECT_EQ(cut["c_b"], 0);
  Case bias_only = ConvCase(5, 18, -1, -1);
  bias_only.limits().cut = false;
  EXPECT_EQ(bias_only["c_w"], 17) << "values up to 1 do not fit codes at position 8";
  EXPECT_EQ(bias_only["c_b"], 7);
  bias_only.ActAsQuark();
  EXPECT_EQ(bias_only["c_w"], 18);
  EXPECT_EQ(bias_only["c_b"], 8);
  EXPECT_THAT(bias_only.Table().violations, IsEmpty()) << "a limit that is not asked for";
  EXPECT_EQ(ConvCase(2, 3, 0, 7)["c_w"], 5) << "no shift to the left";
}

// Behind an activation function that has no pair in front of it.
TEST(RefinePositions, ALeakyReluAllowsNoShiftOfTheBiasToTheRight) {
  EXPECT_EQ(ConvCase(5, 1, 15, 5, "LeakyRelu")["c_b"], 6);
  EXPECT_EQ(ConvCase(5, 1, 15, 5, "Relu")["c_b"], 15);
  EXPECT_EQ(ConvCase(5, 1, 40, 5, "Relu")["c_b"], 21) << "-15 = 8 + 1 - 24";
}

Case SumCase(const char* op, int a, int b_position, int output) {
  GraphBuilder b({1, 4, 8, 8});
  b.model.graph.AddInput("v", test::FloatInfo({1, 4, 8, 8}));
  b.Op(op, {"x", "v"}, "y");
  b.Output("y");
  Case made(std::move(b));
  made.Set("x", a);
  made.Set("v", b_position);
  made.Set("y", output);
  return made;
}

TEST(RefinePositions, SumsAndProducts) {
  EXPECT_EQ(SumCase("Add", 5, -5, -5)["x"], 2);
  EXPECT_EQ(SumCase("Sub", 5, -5, -5)["x"], 2);
  EXPECT_EQ(SumCase("Add", 5, 5, 16)["y"], 12);
  EXPECT_EQ(SumCase("Add", 30, 30, 0)["y"], 5);
  EXPECT_EQ(SumCase("Mul", 3, 4, 9)["y"], 7);
  EXPECT_EQ(SumCase("Mul", 20, 20, 0)["y"], 8);
  EXPECT_THAT(SumCase("Div", 20, 20, 0).Table().rows, IsEmpty());
}

TEST(RefinePositions, ConcatenatedTensorsAndTheirSharers) {
  GraphBuilder b({1, 4, 8, 8});
  b.Op("Relu", {"x"}, "r");
  b.Op("MaxPool", {"r"}, "p");
  b.Op("Concat", {"r", "p", "x"}, "y");
  b.Output("y");
  Case made(std::move(b));
  made.Set("x", 4);
  made.Set("r", 5);
  made.Share("p", "r");
  made.Set("y", 0);
  for (const char* tensor : {"x", "r", "p", "y"}) EXPECT_EQ(made[tensor], 0) << tensor;
  EXPECT_EQ(made.Table().rounds, 2) << "the second finds nothing to move";
  made.limits().moves = false;
  EXPECT_EQ(made["x"], 4);
  EXPECT_FALSE(made.Table().violations.empty());
}

TEST(RefinePositions, HardSigmoidsAndTheirProducts) {
  GraphBuilder b({1, 4, 8, 8});
  Node* gate = b.Op("HardSigmoid", {"x"}, "g");
  gate->attributes["alpha"] = 1.0f / 6;
  b.Op("Mul", {"x", "g"}, "y");
  b.Output("y");
  Case made(std::move(b));
  made.Set("x", -5);
  made.Set("g", 6);
  made.Set("y", -20);
  EXPECT_EQ(made["x"], 0);
  EXPECT_EQ(made["g"], 7);
  EXPECT_EQ(made["y"], -8) << "0 + 7 - 15";
  made.Set("x", 21);
  EXPECT_EQ(made["x"], 15);
}

// A pool whose input comes from padding without a pair, and one that writes into a product.
TEST(RefinePositions, PairsBehindOtherNodes) {
  GraphBuilder b({1, 4, 8, 8});
  b.Op("Pad", {"x"}, "padded");
  b.Op("AveragePool", {"padded"}, "y");
  b.Output("y");
  Case made(std::move(b));
  made.Set("x", 3);
  made.Set("y", 6);
  EXPECT_EQ(made["y"], 3);
  made.Pairless("x");
  EXPECT_EQ(made["y"], 6) << "there is nothing to align with";
}

// Rounds: an alignment moves the input of a sum, which moves its output, which is aligned in turn.
TEST(RefinePositions, EndsWithTheRounds) {
  GraphBuilder b({1, 4, 8, 8});
  b.model.graph.AddInput("v", test::FloatInfo({1, 4, 8, 8}));
  b.Op("Add", {"x", "v"}, "s");
  b.Op("MaxPool", {"s"}, "p");
  b.Output("p");
  Case made(std::move(b));
  made.Set("x", -10);
  made.Set("v", -10);
  made.Set("s", 20);
  made.Set("p", 20);
  EXPECT_EQ(made["p"], -3);
  EXPECT_EQ(made.Table().rounds, 3);
  made.limits().rounds = 1;
  const PositionTable table = made.Table();
  EXPECT_THAT(table.violations, ElementsAre(HasSubstr("MaxPool 'p_node': align 23 outside 0..0")));
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].before.output, 20);
  EXPECT_EQ(table.rows[0].after.output, -3);
}

// The sum can't be shifted as far to the right as the concatenation needs it.
TEST(RefinePositions, FindsCycles) {
  GraphBuilder b({1, 4, 8, 8});
  b.model.graph.AddInput("v", test::FloatInfo({1, 4, 8, 8}));
  b.Op("Add", {"x", "x"}, "s");
  b.Op("Concat", {"s", "v"}, "y");
  b.Output("y");
  Case made(std::move(b));
  made.Set("x", 10);
  made.Set("s", 0);
  made.Set("v", -20);
  made.Set("y", -20);
  const PositionTable table = made.Table();
  EXPECT_EQ(table.rounds, 2);
  EXPECT_THAT(table.cycle, ElementsAre("s_node", "y_node"));
  EXPECT_THAT(table.violations, ElementsAre(HasSubstr("Concat 'y_node': align 5 outside 0..0")));
}

// A square beside its own square root: no positions will do, and those that are tried stay scales of float32.
TEST(RefinePositions, RunsAwayNoFurtherThanFloat32) {
  GraphBuilder b({1, 4, 8, 8});
  b.Op("Mul", {"x", "x"}, "m");
  b.Op("Concat", {"x", "m"}, "y");
  b.Output("y");
  Case made(std::move(b));
  made.Set("x", -40);
  made.Set("m", 0);
  made.Set("y", 0);
  made.limits().rounds = 50;
  EXPECT_FALSE(made.Table().violations.empty());
  EXPECT_EQ(made["x"], -126);
}

TEST(RefinePositions, ABiasKeepsItsFreedomInsideTheLimits) {
  const PositionTable table = ConvCase(5, 10, 3, 4).Table();
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.rows[0].after.bias, 3);
  EXPECT_FALSE(table.moved);
  std::vector<std::string> names;
  for (const NpuShift& shift : table.rows[0].after.shifts) names.emplace_back(shift.name);
  EXPECT_THAT(names, ElementsAre("cut", "bias"));
  EXPECT_THAT(names, Contains("bias"));
}

}  // namespace
}  // namespace preon

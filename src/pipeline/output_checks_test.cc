#include "pipeline/output_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/half.h"
#include "ir/text_format.h"

namespace preon {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class CheckNhwcFormTest : public ::testing::Test {
 protected:
  Status Check(const std::string& output, const OutputComparison& compared) {
    Comparison comparison;
    comparison.outputs[output] = compared;
    return CheckNhwcForm(comparison, model_.graph, warnings_);
  }

  Model model_ = *ParseModelText(R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[N, 3, 8, 8] x) => (float[N, 3, 8, 8] image, int64[4, found] where) {
      image = Relu(x)
      where = NonZero(x)
    })");
  std::vector<std::string> warnings_;
};

TEST_F(CheckNhwcFormTest, TheSameOrNearlySo) {
  EXPECT_TRUE(Check("image", {.sqnr_db = 45, .max_abs = 0.1}).ok());
  EXPECT_TRUE(Check("where", {}).ok());
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(CheckNhwcFormTest, AShapeThatTheDataDecideOnMayDiffer) {
  EXPECT_TRUE(Check("where", {.shape_differs = 1, .left_out = true}).ok());
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("output 'where' depends on the data")));
  EXPECT_EQ(Check("image", {.shape_differs = 1, .left_out = true}).id(), ErrorId::kVerifyOutput);
}

TEST_F(CheckNhwcFormTest, OtherValuesAreAnError) {
  EXPECT_EQ(Check("image", {.sqnr_db = 30, .max_abs = 1}).id(), ErrorId::kVerifyOutput);
  EXPECT_EQ(Check("image", {.not_finite = 1}).id(), ErrorId::kVerifyOutput);
}

// A float16 model as it is quantized: in float32 between Casts.
Model Quantized(const std::string& opset, const std::string& scale) {
  return *ParseModelText(R"(<ir_version: 8, opset_import: ["" : )" + opset + R"(]>
    g (float16[2] x) => (float16[2] y) <float s = {)" +
                         scale + R"(}, uint8 z = {0}> {
      wide = Cast <to = 1>(x)
      q = QuantizeLinear(wide, s, z)
      d = DequantizeLinear(q, s, z)
      y = Cast <to = 10>(d)
    })");
}

class GiveFloat16Test : public ::testing::Test {
 protected:
  Status Give(Model& model, float first) {
    Tensor x = Tensor::Allocate(DataType::kFloat16, {2});
    x.Mutable<Half>()[0] = Half(first);
    x.Mutable<Half>()[1] = Half(1);
    const Batch batch{.feeds = {{"x", x}}, .samples = 1};
    FinalForm form{.outputs = {{"y", x}}, .warnings = warnings_};
    return GiveFloat16(model, batch, form, context_);
  }

  RunContext context_;
  std::vector<std::string> warnings_;
};

TEST_F(GiveFloat16Test, HasNoCastsWhereFloat16HoldsTheScale) {
  Model model = Quantized("19", "0.0625");
  ASSERT_TRUE(Give(model, 0.5).ok()) << Give(model, 0.5).message();
  EXPECT_EQ(model.graph.nodes().size(), 2u);
  EXPECT_EQ(model.graph.Initializer("s")->type(), DataType::kFloat16);
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(GiveFloat16Test, KeepsAScaleThatIsTooSmall) {
  Model model = Quantized("19", "0.00001");
  ASSERT_TRUE(Give(model, 0.5).ok());
  EXPECT_EQ(model.graph.nodes().size(), 4u);
  EXPECT_EQ(model.graph.Initializer("s")->type(), DataType::kFloat);
  ASSERT_EQ(warnings_.size(), 2u);  // its codes end at 0.00255, far from the outputs that were given
  EXPECT_THAT(warnings_[0], HasSubstr("1 scales are too small or too large for float16"));
  EXPECT_THAT(warnings_[1], HasSubstr("output 'y' differs from the form in float32"));
}

TEST_F(GiveFloat16Test, NeedsAnOpsetWithSuchQuantizers) {
  Model model = Quantized("17", "0.0625");
  const Status status = Give(model, 0.5);
  EXPECT_EQ(status.id(), ErrorId::kVerifyLoad);
  EXPECT_THAT(status.message(), HasSubstr("need opset 19, got 17"));
}

PositionRow HardSigmoid(int before, int after) {
  return {.node = "n",
          .op = "HardSigmoid",
          .before = {.inputs = {before}},
          .after = {.inputs = {after}, .shifts = {{kHardSigmoidInput, after, 0, 15}}}};
}

TEST(WarningsOfPositions, NodesWhoseInputsTheNpuCutsOff) {
  PositionRow other = HardSigmoid(-5, 0);
  other.after.shifts[0].name = "read";
  const PositionTable table{
      .rows = {HardSigmoid(-5, 0), HardSigmoid(21, 15), HardSigmoid(4, 3), HardSigmoid(3, 3), other}};
  EXPECT_EQ(
      WarningsOfPositions(table),
      (std::vector<std::string>{
          "HardSigmoid 'n': the NPU takes no scale above 1 for its input: values beyond -128 to 127 saturate",
          "HardSigmoid 'n': the NPU takes no scale below 2^-15 for its input: values that are smaller become 0"}));
}

TEST(WarningsOfPositions, ShiftsThatAKeyLeavesOutside) {
  PositionTable table{.rows = {HardSigmoid(3, 3), HardSigmoid(17, 17), HardSigmoid(18, 18)}};
  EXPECT_EQ(
      WarningsOfPositions(table),
      std::vector<std::string>{
          "shifts outside the limits of the NPU: 2 (first: HardSigmoid 'n': " + std::string(kHardSigmoidInput) +
          " 17); this model does not run there. The keys NPULimitationCheck and AdjustShift... keep shifts inside"});
  table.violations = {"told as an error"};
  EXPECT_TRUE(WarningsOfPositions(table).empty());
}

}  // namespace
}  // namespace preon

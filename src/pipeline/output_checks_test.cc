#include "pipeline/output_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/text_format.h"

namespace preon {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

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

}  // namespace
}  // namespace preon

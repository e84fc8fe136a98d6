#include "config/ignored_options.h"

#include <gtest/gtest.h>

namespace preon {
namespace {

SettingOrigins Origins() {
  return {.key_of = {{"opset", "ConvertOpsetVersion"},
                     {"symmetric", "ActivationSymmetric"},
                     {"target", "EnableNPUCnn"},
                     {"weight", "MatMulNBitsParams"},
                     {"weight-method", "WeightCalibrateMethod"},
                     {"algorithm gptq", "UseGPTQ"},
                     {"overrides", "TensorQuantOverrides"}},
          .hints = {"opset"}};
}

TEST(NamedByKey, MessagesBeginWithWhatWasWritten) {
  const auto named = [](const char* message) { return NamedByKey(std::string(message), Origins()); };
  EXPECT_EQ(named("--opset: got 99"), "ConvertOpsetVersion: got 99 (here --opset)");
  EXPECT_EQ(named("--opset 17: kept"), "ConvertOpsetVersion 17: kept (here --opset)");
  EXPECT_EQ(named("--weight-method hqq: x"), "WeightCalibrateMethod hqq: x (here --weight-method)");
  EXPECT_EQ(named("--algorithm gptq: x"), "UseGPTQ: x (here --algorithm gptq)");
  EXPECT_EQ(named("overrides: x"), "TensorQuantOverrides: x");
  EXPECT_EQ(named("--target npu-cnn: got --symmetric false, wanted true: so"),
            "EnableNPUCnn: got ActivationSymmetric false, wanted true: so (here --target npu-cnn)");
  EXPECT_EQ(named("--target: x"), "EnableNPUCnn: x (here --target)");
  EXPECT_EQ(named("x: got --symmetric, y"), "x: got ActivationSymmetric, y");
  EXPECT_EQ(named("x: got --symmetrical 1"), "x: got --symmetrical 1");
  // Once is enough.
  EXPECT_EQ(named("EnableNPUCnn: got ActivationSymmetric false (here --target npu-cnn)"),
            "EnableNPUCnn: got ActivationSymmetric false (here --target npu-cnn)");
  // Of another option, of none, and of a tensor.
  for (const char* as_it_is : {"--opset-of: x", "--weights: x", "--float16: x", "weight: is NaN", "opset: x", ""})
    EXPECT_EQ(named(as_it_is), as_it_is);
}

TEST(NamedByKey, ErrorsKeepTheirNumberAndHint) {
  const Status status = NamedByKey(Error(ErrorId::kBadOptionValue, "--opset: got 99").WithHint("take 21"), Origins());
  EXPECT_EQ(status.id(), ErrorId::kBadOptionValue);
  EXPECT_EQ(status.message(), "ConvertOpsetVersion: got 99 (here --opset)");
  EXPECT_EQ(status.hint(), "take 21");
  EXPECT_TRUE(NamedByKey(Status::Ok(), Origins()).ok());
}

TEST(ReportIgnored, HintsAreWarnedOfOnce) {
  std::vector<std::string> warnings;
  EXPECT_TRUE(ReportIgnored(Origins(), "--opset", "here", &warnings).ok());
  EXPECT_TRUE(ReportIgnored(Origins(), "--opset", "there", &warnings).ok());
  EXPECT_EQ(warnings, std::vector<std::string>{"ConvertOpsetVersion: has no effect here (here --opset)"});
  EXPECT_EQ(ReportIgnored(Origins(), "--weight", "here", &warnings).message(),
            "MatMulNBitsParams: has no effect here (here --weight)");
}

}  // namespace
}  // namespace preon

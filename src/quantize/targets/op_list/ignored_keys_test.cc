#include "quantize/targets/op_list/op_list_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace preon {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string_view> Keys(const PlanOptions& options, const OpListRules& rules) {
  std::vector<std::string_view> keys;
  for (const IgnoredKey& ignored :
       rules.IgnoredKeys({options.op_list, options.activation, options.weight, options.activation_symmetric,
                          options.per_channel, options.settings, options.compat})) {
    EXPECT_FALSE(ignored.reason.empty()) << ignored.key;
    keys.push_back(ignored.key);
  }
  return keys;
}

OpListRules RulesOf(const PlanOptions& options) {
  const QuarkFormat format =
      QuarkFormatFor(options.op_list.format, options.activation, options.weight, options.settings.any());
  return QuarkRules(format, options.op_list.pairs.fold_relu, options.compat);
}

PlanOptions OptionsFor(void (*set)(OpListOptions&), TensorType activation = DataType::kUInt8) {
  PlanOptions options{.activation = activation};
  set(options.op_list);
  return options;
}

TEST(IgnoredKeys, OfTheExtendedLayout) {
  const auto set = [](OpListOptions& layout) {
    layout.align.concat = true;
    layout.pairs.align_elementwise = true;
    layout.align.rounds = 3;
  };
  PlanOptions base = OptionsFor(set), extended = OptionsFor(set, DataType::kUInt16);
  EXPECT_THAT(Keys(base, RulesOf(base)), ElementsAre("AlignEltwiseQuantType"));
  EXPECT_THAT(Keys(extended, RulesOf(extended)), IsEmpty());
  EXPECT_THAT(Keys(extended, OrtRules()), ElementsAre("AlignEltwiseQuantType"));
  base.compat = Compat::kQuark;
  EXPECT_THAT(Keys(base, RulesOf(base)), ElementsAre("AlignEltwiseQuantType", "AlignConcat", "MaxLoopNum"));
  extended.compat = Compat::kOnnxRuntime;
  EXPECT_THAT(Keys(extended, OrtRules()), ElementsAre("AlignEltwiseQuantType", "AlignConcat", "MaxLoopNum"));
}

// What is off is as it is where nothing reads the key.
TEST(IgnoredKeys, NoneThatIsOff) {
  const PlanOptions base = OptionsFor([](OpListOptions& layout) {
    layout.align = {.enabled = false,
                    .concat = false,
                    .pool = false,
                    .pad = false,
                    .slice = false,
                    .transpose = false,
                    .reshape = false};
    layout.shifts.read = false;
    layout.dpu.simulate = false;
  });
  EXPECT_THAT(Keys(base, RulesOf(base)), IsEmpty());
  EXPECT_THAT(Keys(base, OrtRules()), IsEmpty());
}

TEST(IgnoredKeys, OfFoldedClamps) {
  const auto set = [](OpListOptions& layout) { layout.pairs.fold_relu = true; };
  PlanOptions base = OptionsFor(set), extended = OptionsFor(set, DataType::kUInt16);
  EXPECT_THAT(Keys(base, RulesOf(base)), ElementsAre("FoldRelu"));  // they are folded anyway
  EXPECT_THAT(Keys(extended, RulesOf(extended)), IsEmpty());
  extended.activation_symmetric = true;
  EXPECT_THAT(Keys(extended, RulesOf(extended)), ElementsAre("FoldRelu"));
}

TEST(IgnoredKeys, OfBlocksUnsignedCodesAndChannels) {
  const auto fused = [](OpListOptions& layout) { layout.pairs.fused = true; };
  const PlanOptions words = OptionsFor(fused, DataType::kInt16), blocks = OptionsFor(fused, *ParseTensorType("bfp16"));
  EXPECT_THAT(Keys(words, RulesOf(words)), ElementsAre("RemoveFusedQDQ"));
  EXPECT_THAT(Keys(blocks, RulesOf(blocks)), IsEmpty());
  PlanOptions options = OptionsFor([](OpListOptions& layout) {
    layout.pairs.unsigned_relu = true;
    layout.pairs.channel_axis["Conv"] = 1;
  });
  EXPECT_THAT(Keys(options, RulesOf(options)), ElementsAre("UseUnsignedReLU"));
  options.per_channel = false;
  options.activation_symmetric = true;
  EXPECT_THAT(Keys(options, RulesOf(options)), ElementsAre("QDQOpTypePerChannelSupportToAxis"));
}

TEST(IgnoredKeys, OfIntegersWhereThereAreNone) {
  PlanOptions options = OptionsFor(
      [](OpListOptions& layout) {
        layout.pairs.unsigned_relu = layout.pairs.contrib_domain = layout.bias.int16 = true;
        layout.bias.int32 = layout.bias.protect = true;
      },
      DataType::kBFloat16);
  options.weight = DataType::kBFloat16;
  EXPECT_THAT(Keys(options, RulesOf(options)), ElementsAre("UseUnsignedReLU", "UseQDQContribOps", "Int16Bias",
                                                           "Int32Bias", "AdjustWeightScaleForInt32Bias"));
  options.weight = DataType::kInt8;
  EXPECT_THAT(Keys(options, RulesOf(options)),
              ElementsAre("UseUnsignedReLU", "Int16Bias", "Int32Bias", "AdjustWeightScaleForInt32Bias"));
}

TEST(DpuKeysWithoutNodes, TellsOfOperatorsThatAreNotThereOrFloat) {
  const std::vector<NodeDecision> nodes = {{.node = "s", .op_type = "Softmax", .reason = FloatReason::kTail},
                                           {.node = "p", .op_type = "GlobalAveragePool"}};
  const DpuOptions wanted{.average_pool = true, .softmax = true, .clip = false};
  EXPECT_THAT(DpuKeysWithoutNodes(wanted, nodes),
              ElementsAre("ConvertSoftmaxToDPUVersion: has no effect here: no Softmax node is quantized"));
}

}  // namespace
}  // namespace preon

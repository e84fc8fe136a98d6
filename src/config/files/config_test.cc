#include "config/files/config.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "config/files/presets.h"
#include "config/files/qconfig_target.h"
#include "config/option_table.h"
#include "config/resolve/resolve_options.h"

namespace preon {
namespace {

TEST(OptionTable, NamesAreUniqueAndEveryOptionHasAVerb) {
  for (const OptionSpec& option : OptionTable()) {
    EXPECT_NE(option.verbs, 0u) << option.name;
    EXPECT_EQ(std::ranges::count(OptionTable(), option.name, &OptionSpec::name), 1) << option.name;
    EXPECT_EQ(option.kind == OptionKind::kFlag, option.value_name.empty()) << option.name;
  }
}

TEST(OptionTable, SettersNameTheOption) {
  Options options;
  const Status status = SetOption(options, "shard", "0/4");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.id(), ErrorId::kBadOptionValue);
  EXPECT_EQ(status.message(), "--shard: got '0/4', wanted I/N with I from 1 to N");
  ASSERT_TRUE(SetOption(options, "shard", "4/4").ok());
  EXPECT_EQ(options.data.shard.index, 3);
  EXPECT_EQ(SetOption(options, "sampels", "1").message(), "unknown option 'sampels'; did you mean 'samples'?");
}

TEST(Config, SetsOptionsMethodOptionsAndOverrides) {
  Options options;
  const Status status = ApplyConfigText(options, R"({
      "method": "percentile", "samples": 20, "per_tensor": true, "exclude_types": ["Gemm", "Conv"], "data": "a.npz",
      "method_options": {"Percentile": 99.5},
      "overrides": {"t": {"type": "int8", "rmin": -1, "rmax": 2}, "u": {"scale": 0.5, "zero_point": 3}}})",
                                        "c.json");
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(options.ranges.method, "percentile");
  EXPECT_EQ(options.data.limit, 20);
  EXPECT_FALSE(options.plan.per_channel);
  EXPECT_EQ(options.plan.exclude.types, (std::vector<std::string>{"Gemm", "Conv"}));
  EXPECT_EQ(options.ranges.method_options.at("Percentile"), "99.5");
  EXPECT_EQ(options.plan.settings.overrides.at("t").type, DataType::kInt8);
  EXPECT_EQ(options.plan.settings.overrides.at("t").range, (Range{-1, 2}));
  EXPECT_EQ(options.plan.settings.overrides.at("u").params, (QuantParams{0.5f, 3}));
}

TEST(Config, EveryMistakeNamesFileAndKey) {
  const std::pair<const char*, const char*> rows[] = {
      {R"([])", "c.json: not a JSON object"},
      {R"({"methd": "minmax"})", "c.json: key 'methd' is unknown; did you mean 'method'?"},
      {R"({"samples": {}})", "c.json: samples: got object, wanted a string, a number, true or false"},
      {R"({"samples": [1, 2]})", "c.json: samples: got a list, wanted one value"},
      {R"({"overrides": {"t": {"rmin": 2, "rmax": 1}}})",
       "c.json: overrides: t: rmin: got 2 with rmax 1, wanted rmin <= rmax"},
      {R"({"overrides": {"t": {"rmin": 0, "rmax": 1e60}}})",
       "c.json: overrides: t: rmax: got 1e+60, wanted a number from -3.40282e+38 to 3.40282e+38"},
      {R"({"overrides": {"t": {"scale": 0, "zero_point": 0}}})",
       "c.json: overrides: t: scale: got 0, wanted a number from 1.17549e-38 to 3.40282e+38"},
      {R"({"overrides": {"t": {"scale": 1e-60, "zero_point": 0}}})",
       "c.json: overrides: t: scale: got 1e-60, wanted a number from 1.17549e-38 to 3.40282e+38"},
      {R"({"overrides": {"t": {"scale": 1e60, "zero_point": 0}}})",
       "c.json: overrides: t: scale: got 1e+60, wanted a number from 1.17549e-38 to 3.40282e+38"},
      {R"({"overrides": {"t": {"scale": 1, "zero_point": 1.5}}})",
       "c.json: overrides: t: zero_point: got 1.5, wanted an integer that the tensor's type can hold"},
      {R"({"overrides": {"t": {"scale": 1, "zero_point": 1e300}}})",
       "c.json: overrides: t: zero_point: got 1e+300, wanted an integer that the tensor's type can hold"},
      {R"({"overrides": {"t": {"type": "uint8", "scale": 1, "zero_point": -1}}})",
       "c.json: overrides: t: zero_point: got -1, wanted an integer from 0 to 255 (uint8)"},
      {R"({"overrides": {"t": {"type": "int8", "scale": 1, "zero_point": 128}}})",
       "c.json: overrides: t: zero_point: got 128, wanted an integer from -128 to 127 (int8)"},
      {R"({"overrides": {"t": {"scale": 2}}})", "c.json: overrides: t: got one of scale and zero_point, wanted both"},
      {R"({"overrides": {"t": {"axis": 18446744073709551615, "tpye": 1}}})",
       "c.json: overrides: t: key 'tpye' is unknown; did you mean 'type'?; t: axis: got 18446744073709551615, wanted "
       "an integer from -16 to 15"},
      {R"({"samples": 1, "samples": 2})", "c.json: key 'samples' is given twice"},
      {R"({"overrides": {"t": {"tpye": "int8"}}})",
       "c.json: overrides: t: key 'tpye' is unknown; did you mean 'type'?"},
  };
  for (const auto& [text, message] : rows) {
    Options options;
    const Status status = ApplyConfigText(options, text, "c.json");
    ASSERT_FALSE(status.ok()) << text;
    EXPECT_EQ(status.id(), ErrorId::kBadConfig) << text;
    EXPECT_EQ(status.message(), message);
  }
}

TEST(Presets, EachIsValidAndUnknownOnesAreTold) {
  for (const ConfigPreset& preset : ConfigPresets()) {
    Options options;
    EXPECT_TRUE(ApplyPreset(options, preset.name).ok()) << preset.name;
    EXPECT_TRUE(ApplyPreset(options, std::string(preset.name) + "_CONFIG").ok()) << preset.name;
    EXPECT_TRUE(Resolve(options, MakeBuiltins()).ok()) << preset.name;
  }
  Options options;
  EXPECT_EQ(ApplyPreset(options, "INT9").id(), ErrorId::kUnknownOption);
  EXPECT_TRUE(ApplyPreset(options, "XINT8_ADAROUND_QCONFIG").ok());
  EXPECT_EQ(ApplyPreset(options, "BF16_MIXED_BFP16").id(), ErrorId::kNotYetSupported);
}

// Quark's newer presets are its configurations, for target quark.
TEST(Presets, QConfigs) {
  Options options;
  ASSERT_TRUE(ApplyPreset(options, "A16W8_QCONFIG").ok());
  SettleTargetOfQConfig(options);
  EXPECT_EQ(options.plan.activation, TensorType(DataType::kInt16));
  EXPECT_EQ(options.target, "quark");
  EXPECT_EQ(options.ranges.method, "Percentile");
  EXPECT_FALSE(options.plan.per_channel);
  EXPECT_TRUE(options.plan.op_list.pairs.force_without_input && options.plan.op_list.pairs.fold_relu);
}

}  // namespace
}  // namespace preon

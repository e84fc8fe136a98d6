#include "config/keys/keys.h"

#include <gtest/gtest.h>

#include "config/compound_options.h"
#include "config/option_table.h"

namespace preon {
namespace {

Options With(std::initializer_list<std::pair<const char*, const char*>> settings) {
  Options options;
  for (const auto& [name, value] : settings) {
    const Status set = SetOption(options, name, value);
    EXPECT_TRUE(set.ok()) << set.ToString();
  }
  return options;
}

// Converting everything comes first, in whatever order the keys stand.
TEST(Keys, OfFloat16Models) {
  EXPECT_EQ(With({{"option", "QuantizeFP16=true"}}).prepare.float16, Float16::kKeepIo);
  EXPECT_EQ(With({{"option", "QuantizeFP16=false"}}).prepare.float16, Float16::kOff);
  EXPECT_EQ(With({{"option", "ConvertFP16ToFP32=false"}}).prepare.float16, std::nullopt);
  for (const auto& [first, second] : {std::pair("QuantizeFP16=true", "ConvertFP16ToFP32=true"),
                                      std::pair("ConvertFP16ToFP32=true", "QuantizeFP16=true")}) {
    EXPECT_EQ(With({{"option", first}, {"option", second}}).prepare.float16, Float16::kConvert);
  }
  EXPECT_EQ(With({{"option", "UseFP32Scale=false"}}).prepare.float32_scales, false);
  EXPECT_EQ(With({{"option", "UseFP32Scale=true"}}).prepare.float32_scales, true);
}

TEST(Keys, EachIsAnOptionOfOurs) {
  const Options options = With({{"option", "CalibDataSize=100"},
                                {"option", "calibworkernum=1"},
                                {"option", "CalibOptimizeMem=True"},
                                {"option", "TmpDir=tmp"},
                                {"option", "CalibPassthroughOpTypes=[\"Reshape\", \"Split\"]"},
                                {"option", "CalibPassthroughOpTypes=Gather"},
                                {"option", "SaveTensorHistFig=true"},
                                {"option", "SaveAndRestore=r.json"},
                                {"option", "PercentileCandidates=99,99.9"},
                                {"option", "RandomDataReaderInputShape={\"x\": [1, -1, 3]}"},
                                {"option", "RandomDataReaderInputDataRange={\"x\": [-1.5, 2]}"},
                                {"option", "UseRandomData=1"},
                                {"option", "RandomDataReaderNumSamples=3"}});
  EXPECT_EQ(options.calibration.samples, 100);
  EXPECT_EQ(options.resources.memory, MemoryUse::kLow);
  EXPECT_EQ(options.resources.tmp_dir, "tmp");
  EXPECT_EQ(options.plan.passthrough, (std::vector<std::string>{"Reshape", "Split", "Gather"}));
  EXPECT_EQ(options.outputs.histograms, "tensor_hist");
  EXPECT_EQ(options.outputs.ranges, "r.json");
  EXPECT_EQ(options.ranges.method_keys.at("PercentileCandidates"), "99,99.9");
  EXPECT_EQ(options.data.random.values.shapes.at("x"), (Shape{1, -1, 3}));
  EXPECT_EQ(options.data.random.values.ranges.at("x").low, -1.5);
  EXPECT_EQ(options.data.from.random_samples, 3);
  EXPECT_EQ(options.data.random.seed, 42u);
  EXPECT_TRUE(options.data.from.has_samples() && options.data.from.has_random());
  EXPECT_TRUE(options.given.warnings.empty());
}

TEST(Keys, NoneMeansTheDefault) {
  const Options options =
      With({{"option", "CalibDataSize=None"}, {"option", "SaveAndRestore=None"}, {"option", "UseRandomData=false"}});
  EXPECT_EQ(options.calibration.samples, -1);
  EXPECT_TRUE(options.outputs.ranges.empty());
  EXPECT_FALSE(options.data.from.has_samples());
}

TEST(Keys, WhatHasNoEffectSaysSo) {
  EXPECT_EQ(With({{"option", "LogSeverityLevel=1"}}).given.warnings.size(), 1u);
  EXPECT_EQ(With({{"option", "CalibDataSize=0"}}).given.warnings.size(), 1u);
  const Options many = With({{"option", "CalibWorkerNum=100000"}});
  EXPECT_EQ(many.given.warnings.size(), 1u);
  EXPECT_LT(many.calibration.workers.count, 100000);
}

Status Set(const std::string& name, const std::string& value) {
  Options options;
  return SetKey(options, name, value);
}

TEST(Keys, ValuesHaveToBeOfTheirType) {
  for (const auto& [name, value] :
       {std::pair("Percentile", "101"), std::pair("Percentile", "a"), std::pair("CalibDataSize", "-1"),
        std::pair("CalibDataSize", "1.5"), std::pair("LWPMetric", "mean"), std::pair("DedicatedQDQPair", "yes"),
        std::pair("PercentileCandidates", "[]"), std::pair("PercentileCandidates", "[99, 101]"),
        std::pair("OpTypesToQuantize", "[1]"), std::pair("OpTypesToQuantize", "a,,b"),
        std::pair("RemoveQDQBetweenOps", "[[\"Mul\"]]"), std::pair("BFPAttributes", "x"),
        std::pair("MatMulNBitsParams", "{\"Bits\": 3}"), std::pair("EvalDataReader", "x")}) {
    const Status set = Set(name, value);
    EXPECT_EQ(set.id(), ErrorId::kBadOptionValue) << name << "=" << value << ": " << set.ToString();
    EXPECT_NE(set.message().find(name), std::string::npos) << set.ToString();
  }
  EXPECT_EQ(Set("Percentle", "1").id(), ErrorId::kUnknownOption);
  EXPECT_NE(Set("Percentle", "1").message().find("'Percentile'"), std::string::npos);
  EXPECT_EQ(Set("MatMulNBitsParams", "{\"Bit\": 4}").id(), ErrorId::kUnknownOption);
  EXPECT_EQ(Set("FastFinetune", "{\"BatchSize\": 0}").id(), ErrorId::kBadOptionValue);
}

TEST(Keys, EachHasAMeaningAndASetter) {
  for (size_t group = 0; group < kKeyGroups.size(); ++group) {
    for (const KeySpec& key : KeysOf(static_cast<KeyGroup>(group))) {
      EXPECT_FALSE(key.meaning.empty()) << key.name;
      EXPECT_EQ(FindKey(key.name), &key) << key.name << " is there twice";
      EXPECT_FALSE(key.here.empty()) << key.name;
      if (key.name.find('.') == std::string_view::npos)
        EXPECT_TRUE(key.set != nullptr || key.of_algorithm) << key.name;
      else
        EXPECT_EQ(key.set, nullptr) << key.name;
    }
  }
}

TEST(Keys, OfLayoutsAreRemembered) {
  Options options;
  EXPECT_TRUE(SetKey(options, "DedicatedQDQPair", "true").ok());
  EXPECT_TRUE(SetKey(options, "RemoveQDQConvRelu", "true").ok());  // as it is anyway
  EXPECT_TRUE(options.plan.op_list.pairs.dedicated);
  EXPECT_EQ(options.given.op_list_settings, std::vector<std::string>{"DedicatedQDQPair"});
}

TEST(Keys, MessagesNameTheInnerKeyThatSetAnOption) {
  Options options;
  EXPECT_TRUE(SetKey(options, "MatMulNBitsParams", R"({"GroupSize": 64, "Algorithm": "GPTQ"})").ok());
  EXPECT_TRUE(SetKey(options, "UseMatMulNBits", "true").ok());
  EXPECT_EQ(options.given.origins.key_of.at("target"), "UseMatMulNBits");
  EXPECT_EQ(options.given.origins.key_of.at("block-size"), "MatMulNBitsParams");
  EXPECT_EQ(options.given.origins.key_of.at("algorithm gptq"), "MatMulNBitsParams");
}

}  // namespace
}  // namespace preon

#include "config/files/qconfig.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "config/files/config.h"
#include "config/files/qconfig_target.h"
#include "config/yaml.h"

namespace preon {
namespace {

using Json = nlohmann::json;

Json Spec(const char* type, const char* method = "MinMax", const char* scale = "Float32",
          const char* granularity = "Tensor") {
  return {{"symmetric", true},
          {"scale_type", scale},
          {"calibration_method", method},
          {"quant_granularity", granularity},
          {"data_type", type}};
}

Json Config() {
  return {
      {"global_config", {{"input_tensors", Spec("UInt8")}, {"weight", Spec("Int8", "MinMSE", "PowerOf2", "Channel")}}}};
}

Result<Options> Applied(const Json& json) {
  Options options;
  PREON_RETURN_IF_ERROR(ApplyQConfig(options, json));
  SettleTargetOfQConfig(options);
  return options;
}

TEST(QConfig, EachPartCountsForItself) {
  const Options options = *Applied(Config());
  EXPECT_EQ(options.plan.activation, TensorType(DataType::kUInt8));
  EXPECT_EQ(options.plan.activation_symmetric, true);
  EXPECT_EQ(options.plan.scale_type, ScaleType::kFloat32);
  EXPECT_EQ(options.ranges.method, "MinMax");
  EXPECT_EQ(options.types.weight, TensorType(DataType::kInt8));
  EXPECT_EQ(options.plan.weight_symmetric, true);
  EXPECT_EQ(options.plan.weight_scale_type, ScaleType::kPowerOfTwo);
  EXPECT_EQ(options.plan.weight_rule.method, WeightMethod::kMinMse);
  EXPECT_TRUE(options.plan.per_channel);
  EXPECT_EQ(options.target, "quark");
}

TEST(QConfig, AsksForAlgorithmsByTheNamesOfQuark) {
  Json config = Config();
  config["algo_config"] = Json::array({{{"name", "bias_correction"}}});
  EXPECT_TRUE(Applied(config)->algorithms.asked.contains("bias-correction"));
  EXPECT_TRUE(Applied(Config())->algorithms.asked.empty());
}

TEST(QConfig, ATargetThatIsNamedCounts) {
  Json config = Config();
  config["preon_options"] = {{"target", "ort-cpu"}};
  EXPECT_EQ(Applied(config)->target, "ort-cpu");
}

// EnableNPUCnn has an effect where Quark has its quantizer for CNNs on NPUs.
TEST(QConfig, TheTarget) {
  const auto told = [](const char* type, const char* scale, Json keys, Json format = {}) {
    Json config = {
        {"global_config", {{"input_tensors", Spec(type, "MinMax", scale)}, {"weight", Spec("Int8", "MinMax", scale)}}},
        {"extra_options", std::move(keys)}};
    if (!format.is_null()) config["preon_options"] = {{"format", format}};
    const Options options = *Applied(config);
    return std::pair(*options.target, options.given.warnings.empty() ? "" : options.given.warnings.back());
  };
  const std::pair<std::string, std::string> npu = {"npu-cnn", ""}, quark = {"quark", ""};
  const Json on = {{"EnableNPUCnn", true}}, off = {{"EnableNPUCnn", false}}, unset = Json::object();
  EXPECT_EQ(told("UInt8", "PowerOf2", on), npu);
  EXPECT_EQ(told("UInt8", "PowerOf2", unset), npu);
  EXPECT_EQ(told("UInt8", "PowerOf2", off), quark);
  EXPECT_EQ(told("UInt8", "Float32", off), quark);
  EXPECT_EQ(told("UInt8", "Int16", unset), quark);
  EXPECT_EQ(told("UInt8", "PowerOf2", unset, "extended"), quark);
  EXPECT_EQ(told("UInt8", "Float32", on).first, "quark");
  EXPECT_TRUE(told("UInt8", "Float32", on).second.starts_with("EnableNPUCnn: has no effect with float32 scales"));
  for (const auto& extended : {told("UInt8", "PowerOf2", on, "extended"), told("Int16", "PowerOf2", on)}) {
    EXPECT_EQ(extended.first, "quark");
    EXPECT_EQ(extended.second, "EnableNPUCnn: has no effect in Quark's extended format");
  }
  EXPECT_EQ(told("UInt8", "Int16", on).first, "npu-cnn");
  EXPECT_TRUE(told("UInt8", "Int16", on).second.starts_with("scale_type Int16: has no effect with EnableNPUCnn"));
}

TEST(QConfig, LayersTypesAndExclusions) {
  Json config = Config();
  config["global_config"]["bias"] = Spec("Int16");
  config["layer_type_config"] = {{nullptr, {"Gemm"}}, {{{"weight", Spec("Int4")}}, {"MatMul"}}};
  config["specific_layer_config"] = {{{{"input_tensors", Spec("Int16", "Percentile")}}, {"a", "^b.*", {{"c"}, {"d"}}}}};
  config["exclude"] = {"e", {{"f"}, {"g"}}};
  const PlanOptions plan = Applied(config)->plan;
  ASSERT_EQ(plan.settings.layers.size(), 3u);
  EXPECT_EQ(plan.settings.layers[0].bias->type, TensorType(DataType::kInt16));  // all nodes
  EXPECT_TRUE(plan.settings.layers[0].selectors.patterns.empty());
  EXPECT_EQ(plan.settings.layers[1].selectors.op_types, std::vector<std::string>{"MatMul"});
  EXPECT_EQ(plan.settings.layers[1].weight->per_channel, false);
  EXPECT_EQ(plan.settings.layers[2].input->method, "percentile");
  EXPECT_EQ(plan.settings.layers[2].selectors.patterns, (std::vector<std::string>{"a", "^b.*"}));
  EXPECT_EQ(plan.settings.layers[2].selectors.sub_graphs[0].ends, std::vector<std::string>{"d"});
  EXPECT_EQ(plan.exclude.types, std::vector<std::string>{"Gemm"});
  EXPECT_EQ(plan.exclude.names, std::vector<std::string>{"e"});
  EXPECT_EQ(plan.exclude.paths.sub_graphs[0].starts, std::vector<std::string>{"f"});
}

TEST(QConfig, MistakesNameTheField) {
  const auto with = [](const char* field, Json value) {
    Json config = Config();
    config[Json::json_pointer(field)] = std::move(value);
    return Applied(config).status();
  };
  const std::tuple<const char*, Json, ErrorId, const char*> rows[] = {
      {"/exclud", Json::array(), ErrorId::kBadConfig, "did you mean 'exclude'?"},
      {"/global_config/wieght", Spec("Int8"), ErrorId::kBadConfig, "did you mean 'weight'?"},
      {"/global_config/weight/data_type", "Int9", ErrorId::kUnknownOption, "weight: data_type"},
      {"/global_config/weight/scale_type", "Float64", ErrorId::kUnknownOption, "scale_type"},
      {"/global_config/weight/symmetric", 1, ErrorId::kBadConfig, "symmetric: got number"},
      {"/global_config/weight/quant_granularity", "Row", ErrorId::kBadConfig, "Tensor, Channel or Group"},
      {"/global_config/weight/quant_granularity", "Group", ErrorId::kBadConfig, "WeightBlockSize"},
      {"/global_config/weight/block_size", 8, ErrorId::kBadConfig, "without quant_granularity Group"},
      {"/extra_options", {{"WeightBlockSize", 8}}, ErrorId::kBadConfig, "no quant_granularity of weights is Group"},
      {"/global_config/input_tensors/quant_granularity", "Channel", ErrorId::kBadConfig, "activations have one scale"},
      {"/global_config/input_tensors/calibration_method", "MinMx", ErrorId::kUnknownOption, "calibration_method"},
      {"/global_config/activation", Spec("Int8"), ErrorId::kBadConfig, "Both `activation` and `input_tensors`"},
      {"/global_config/weight", nullptr, ErrorId::kBadConfig, "either `weight`"},
      {"/specific_layer_config", Json::array({Json::array({nullptr, {"a"}})}), ErrorId::kBadConfig, "got null"},
      {"/specific_layer_config", Json::array({Json::array({Json::object(), {7}})}), ErrorId::kBadConfig, "sub-graph"},
      {"/layer_type_config", Json::array({Json::array({nullptr, {7}})}), ErrorId::kBadConfig, "operator types"},
      {"/exclude", "a", ErrorId::kBadConfig, "a list of selectors"},
      {"/algo_config", Json::array({{{"name", "auto_mixprecision"}, {"metric_treshold", 1}}}), ErrorId::kUnknownOption,
       "did you mean 'metric_threshold'"},
      {"/algo_config", Json::array({{{"name", "adaroun"}}}), ErrorId::kBadConfig, "did you mean 'adaround'?"},
      {"/use_external_data_format", 1, ErrorId::kBadConfig, "true or false"},
      {"/extra_options", {{"Percentle", 1}}, ErrorId::kBadConfig, "did you mean 'Percentile'?"},
      {"/extra_options", {{"CryptoMode", 2}}, ErrorId::kBadConfig, "CryptoMode: got '2'"},
  };
  for (const auto& [field, value, id, says] : rows) {
    const Status status = with(field, value);
    EXPECT_EQ(status.id(), id) << field << ": " << status.ToString();
    EXPECT_NE(status.message().find(says), std::string::npos) << field << ": " << status.ToString();
  }
}

TEST(QConfig, NeedsItsGlobalPart) {
  Json config = Config();
  config.erase("global_config");
  config["layer_type_config"] = Json::array();
  EXPECT_TRUE(IsQConfig(config));
  EXPECT_EQ(Applied(config).status().message(), "QConfig dict must contain field 'global_config'.");
  EXPECT_FALSE(IsQConfig({{"exclude", Json::array()}, {"extra_options", Json::object()}}));  // fields of both
  EXPECT_FALSE(IsQConfig(Json::array({"global_config"})));
}

TEST(QConfig, GroupsHaveTheKeysSizeOrTheirOwn) {
  Json config = Config();
  Json of_key = Spec("Int4"), own = Spec("Int4");
  of_key["quant_granularity"] = own["quant_granularity"] = "Group";
  own["block_size"] = 32;
  config["extra_options"] = {{"WeightBlockSize", 16}};
  config["specific_layer_config"] = {{{{"weight", of_key}}, {"a"}}, {{{"weight", own}}, {"b"}}};
  const Result<Options> options = Applied(config);
  ASSERT_TRUE(options.ok()) << options.status().ToString();
  ASSERT_EQ(options->plan.settings.layers.size(), 2u);
  EXPECT_EQ(options->plan.settings.layers[0].weight->block_size, 16);
  EXPECT_EQ(options->plan.settings.layers[1].weight->block_size, 32);
  EXPECT_EQ(options->plan.block_size, std::nullopt);
}

TEST(QConfig, OlderNameOfTheRoleIsTaken) {
  Json config = Config();
  config["global_config"]["activation"] = config["global_config"]["input_tensors"];  // equal ones are no contradiction
  EXPECT_TRUE(Applied(config).ok());
  config["global_config"].erase("input_tensors");
  EXPECT_EQ(Applied(config)->plan.activation, TensorType(DataType::kUInt8));
}

TEST(Yaml, IsTheJsonItStandsFor) {
  const char* text = R"(
a: [1, 2.5, true, ~, text, "1", 'true']
b: {c: -3, d: 1e-3}
e:
  - f: null
)";
  EXPECT_EQ(*ParseYaml(text, "x.yaml"),
            Json::parse(
                R"({"a": [1, 2.5, true, null, "text", "1", "true"], "b": {"c": -3, "d": 1e-3}, "e": [{"f": null}]})"));
  for (const char* wrong : {"a: [1", "a: 1\na: 2", "[a]: 1", "a: {b: *c}"}) {
    const Status status = ParseYaml(wrong, "x.yaml").status();
    EXPECT_EQ(status.id(), ErrorId::kBadConfig) << wrong;
    EXPECT_NE(status.message().find("x.yaml: line"), std::string::npos) << status.message();
  }
}

// Aliases make graphs: a tree of what they stand for may have no end, or none that fits into memory.
TEST(Yaml, AliasesHaveAnEnd) {
  EXPECT_EQ(*ParseYaml("a: &x [1, 2]\nb: [*x, *x]", "x.yaml"), Json::parse(R"({"a": [1, 2], "b": [[1, 2], [1, 2]]})"));
  std::string bomb = "a0: &a0 [1]\n", text_bomb = "t: &t " + std::string(1 << 20, 'x') + "\nl: [";
  for (int level = 1; level < 40; ++level)
    bomb += StrCat("a", level, ": &a", level, " [*a", level - 1, ", *a", level - 1, "]\n");
  for (int copy = 0; copy < 1000; ++copy) text_bomb += copy == 0 ? "*t" : ", *t";
  std::string key_bomb = "m: &m {" + std::string(1000, 'k') + ": 1}\nl: [*m";
  for (int copy = 0; copy < 50000; ++copy) key_bomb += ", *m";
  std::string deep = "a: ";
  for (int level = 0; level < 70; ++level) deep += "[";
  deep += std::string(70, ']');
  for (const std::string& wrong :
       {std::string("a: &x [*x]"), std::string("&x a: {b: &y {c: *y}}"), bomb, text_bomb + "]", key_bomb + "]", deep}) {
    const Status status = ParseYaml(wrong, "x.yaml").status();
    EXPECT_EQ(status.id(), ErrorId::kBadConfig) << wrong.substr(0, 80);
    EXPECT_NE(status.message().find("x.yaml: line"), std::string::npos) << status.message();
  }
}

}  // namespace
}  // namespace preon

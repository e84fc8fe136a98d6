// The whole pass list on real models, raised to the opset that the pipeline prefers: outputs stay within 1e-4 of the
// largest value, nothing is undone, a second run changes nothing, and what quantization needs gone is gone.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "config/builtins.h"
#include "differential/real_models.h"
#include "graph/compare_models.h"
#include "ir/model_io.h"
#include "runtime/runtime_evaluator.h"

namespace preon {
namespace {

constexpr int64_t kOpset = 17;  // LayerNormalization

struct RealModel {
  std::string name;
  std::vector<std::string> gone;     ///< operators that must not be left
  std::vector<std::string> present;  ///< operators that must be there
  RandomInputs inputs = {};
  bool any_model = true;  ///< whether the operators are those of a stand-in, too
};
void PrintTo(const RealModel& model, std::ostream* out) { *out << model.name; }

class RealModelTest : public testing::TestWithParam<RealModel> {};

bool HasOp(const Graph& graph, const std::string& op_type) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(),
                     [&](const auto& node) { return node->op_type == op_type; });
}

TEST_P(RealModelTest, ComputesTheSame) {
  const RealModel& real = GetParam();
  const char* folder = std::getenv("PREON_DATA");
  const std::string path = StrCat(folder == nullptr ? "../shared/data" : folder, "/models/", real.name, ".onnx");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there (./dev data fetches it)";
  if (folder != nullptr && StandsIn(folder, real.name) && !real.any_model) {
    GTEST_SKIP() << path << " stands in for the model whose operators this test names";
  }
  const Result<Model> before = LoadModel(path);
  ASSERT_TRUE(before.ok()) << before.status().ToString();

  const Builtins builtins = MakeBuiltins();
  const RunContext context;
  RuntimeEvaluator evaluator(context);
  const PassEnv env{.evaluator = &evaluator, .context = &context};
  Model after = *before;
  if (after.opset() < kOpset) {
    const Status raised = ConvertOpset(after, kOpset);
    ASSERT_TRUE(raised.ok()) << raised.ToString();
  }
  for (const PassRecord& record : RunPasses(after, builtins.passes, env, {})) {
    EXPECT_EQ(record.problem, "");
    if (record.effect == Effect::kChanged) std::printf("  %-28s %6.1f ms\n", record.name.c_str(), record.seconds * 1e3);
  }
  EXPECT_TRUE(CheckModel(after).ok()) << CheckModel(after).ToString();
  EXPECT_EQ(after.graph.inputs(), before->graph.inputs());
  EXPECT_EQ(after.graph.outputs(), before->graph.outputs());
  for (const std::string& op_type : real.gone) EXPECT_FALSE(HasOp(after.graph, op_type)) << op_type;
  for (const std::string& op_type : real.present) EXPECT_TRUE(HasOp(after.graph, op_type)) << op_type;

  Model again = after;
  for (const PassRecord& record : RunPasses(again, builtins.passes, env, {})) {
    EXPECT_EQ(record.effect, Effect::kUnchanged) << record.name << " changed the result again";
  }
  const double difference = ExpectSameOutputs(*before, after, real.inputs, 1e-4);
  std::printf("  %zu -> %zu nodes, largest relative difference %.2g\n", before->graph.nodes().size(),
              after.graph.nodes().size(), difference);
}

const RandomInputs kText = {.dims = {{"N", 2}, {"T", 32}}, .max_int = 60};

INSTANTIATE_TEST_SUITE_P(
    Models, RealModelTest,
    testing::Values(
        RealModel{"chargpt_shakespeare", {"Constant", "Erf"}, {"Gelu"}, kText}, RealModel{"dtln_model_1", {}, {}},
        RealModel{"dtln_model_2", {"Sqrt"}, {"LayerNormalization"}},
        RealModel{"gtcrn_stream_simple", {"BatchNormalization"}, {"LayerNormalization"}},
        RealModel{"lenet_mnist", {}, {"Gemm"}},
        RealModel{"magika_standard_v3_3", {"Tanh"}, {"FastGelu"}, {.max_int = 255}}, RealModel{"mnist_cntk", {}, {}},
        RealModel{"mobilenetv2_1.0", {}, {"Clip"}},
        RealModel{"ppocr_v3_det", {"Constant", "BatchNormalization"}, {"HardSwish"}, {.dims = {}, .other = 64}, false},
        RealModel{"resnet20_cifar10", {"BatchNormalization"}, {}},
        RealModel{"resnet50v2_stage3_probe", {}, {"BatchNormalization"}, {}, false},
        RealModel{"silero_vad_op18_ifless", {}, {"If"}, {.dims = {{"sequence", 576}}, .max_int = 16000}},
        RealModel{"sst2_transformer", {"Constant", "Erf", "Sqrt"}, {"Gelu", "LayerNormalization"}, kText},
        RealModel{"super_resolution_10", {"Constant"}, {}},
        RealModel{"ultraface_rfb_320", {"BatchNormalization", "Shape"}, {}},
        RealModel{"vit_cifar10_ibp_3_3_8", {"Constant", "Cast"}, {"BatchNormalization"}, {}, false},
        RealModel{"yolox_nano", {}, {}}),
    [](const auto& test) {
      std::string name = test.param.name;
      std::replace(name.begin(), name.end(), '.', '_');
      return name;
    });

}  // namespace
}  // namespace preon

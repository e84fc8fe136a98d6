// Observers in the optimized graph see what the float graph holds: every tensor of real models, element by element,
// against the same model run with the runtime's optimizer off.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <set>

#include "differential/real_models.h"
#include "ir/model_io.h"
#include "runtime/observed_session.h"
#include "runtime/recording_observer.h"

namespace preon {
namespace {

using test::RecordingObserver;

/// Values of one input: uniform in [low, high], integers rounded down.
struct InputCase {
  Shape shape;  ///< empty = the model's, with 1 for unknown dimensions
  double low = 0, high = 1;
};

struct ModelCase {
  std::string file;
  std::map<std::string, InputCase> inputs;  ///< inputs not listed: the model's shape, values in [-1, 1]
  bool blocked = false;                     ///< has convolutions that the runtime blocks where it blocks any
};

void PrintTo(const ModelCase& model, std::ostream* out) { *out << model.file; }

const ModelCase kModels[] = {
    {"mobilenetv2_1.0", {{"input", {{2, 3, 224, 224}, -2, 2}}}, true},
    {"resnet50v2_stage3_probe", {{"data", {{1, 3, 224, 224}, -2, 2}}}, true},
    {"resnet20_cifar10", {{"input", {{3, 3, 32, 32}, -2, 2}}}, true},
    {"yolox_nano", {{"images", {{}, 0, 255}}}, true},
    {"ultraface_rfb_320", {}},
    {"ppocr_v3_det", {{"x", {{1, 3, 160, 224}, -2, 2}}}, true},
    {"super_resolution_10", {{"input", {{}, 0, 1}}}},
    {"vit_cifar10_ibp_3_3_8", {{"input", {{2, 3, 32, 32}, -2, 2}}}},
    {"mnist_cntk", {{"Input3", {{}, 0, 255}}}},
    {"lenet_mnist", {{"data", {{}, 0, 1}}}},
    {"sst2_transformer", {{"input_ids", {{2, 64}, 0, 1000}}, {"attention_mask", {{2, 64}, 0, 2}}}},
    {"chargpt_shakespeare", {{"tokens", {{1, 96}, 0, 65}}}},
    {"magika_standard_v3_3", {{"bytes", {{1, 2048}, 0, 256}}}},
    {"dtln_model_1", {}},
    {"dtln_model_2", {}},
    {"gtcrn_stream_simple", {}},
    {"silero_vad_op18_ifless",
     {{"state", {{2, 1, 128}, -1, 1}}, {"input", {{1, 576}, -1, 1}}, {"sr", {{}, 16000, 16000}}}},
};

std::string DataFolder() {
  const char* folder = std::getenv("PREON_DATA");
  return folder != nullptr ? folder : "../shared/data";
}

template <typename T>
Tensor Uniform(DataType type, const Shape& shape, const InputCase& values, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(values.low, values.high);
  std::vector<T> elements(static_cast<size_t>(ElementCount(shape)));
  for (T& element : elements) element = static_cast<T>(uniform(random));
  return Tensor::From(type, shape, std::span<const T>(elements));
}

std::vector<NamedTensor> MakeFeeds(const Graph& graph, const ModelCase& model) {
  std::mt19937 random(1);
  std::vector<NamedTensor> feeds;
  for (const std::string& name : graph.inputs()) {
    const auto listed = model.inputs.find(name);
    const InputCase values = listed != model.inputs.end() ? listed->second : InputCase{{}, -1, 1};
    Shape shape = values.shape.empty() ? *graph.ShapeOf(name) : values.shape;
    std::replace(shape.begin(), shape.end(), kDynamicDim, int64_t{1});
    const DataType type = graph.TypeOf(name);
    feeds.push_back({name, type == DataType::kInt64   ? Uniform<int64_t>(type, shape, values, random)
                           : type == DataType::kInt32 ? Uniform<int32_t>(type, shape, values, random)
                                                      : Uniform<float>(type, shape, values, random)});
  }
  return feeds;
}

bool IsVariableFloat(const Graph& graph, const std::string& tensor) {
  const Node* producer = graph.Producer(tensor);
  return graph.TypeOf(tensor) == DataType::kFloat && graph.Initializer(tensor) == nullptr &&
         (producer == nullptr || !producer->Is("Constant"));
}

/// Float tensors that nodes of these types read or write; of all nodes when `types` is empty.
std::vector<std::string> TensorsOf(const Graph& graph, const std::set<std::string>& types, bool read, bool written) {
  std::set<std::string> tensors;
  for (const auto& node : graph.nodes()) {
    if (!types.empty() && !types.contains(node->op_type)) continue;
    if (read) tensors.insert(node->inputs().begin(), node->inputs().end());
    if (written) tensors.insert(node->outputs().begin(), node->outputs().end());
  }
  std::erase_if(tensors, [&](const std::string& tensor) { return !IsVariableFloat(graph, tensor); });
  return {tensors.begin(), tensors.end()};
}

struct Observed {
  std::vector<RecordingObserver::Record> records;
  std::vector<ObserverPlace> places;
};

Observed Observe(const Model& model, const std::vector<std::string>& tensors, const std::vector<NamedTensor>& feeds,
                 bool optimize) {
  RecordingObserver observer(tensors.size());
  auto session =
      ObservedSession::Open(model, tensors, &observer, {.session = {.threads = 2}, .optimize = optimize}, {});
  EXPECT_TRUE(session.ok()) << session.status().ToString();
  if (!session.ok()) return {};
  const auto outputs = session.value().Run(feeds, {});
  EXPECT_TRUE(outputs.ok()) << outputs.status().ToString();
  return {std::move(observer.records), session.value().places()};
}

struct Summary {
  explicit Summary(const std::vector<float>& values) {
    const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
    if (!values.empty()) min = *lowest, max = *highest;
    for (const float value : values) mean += value / static_cast<double>(values.size());
  }
  double min = 0, max = 0, mean = 0;
};

void ExpectSame(const std::vector<float>& plain, const std::vector<float>& optimized) {
  ASSERT_EQ(plain.size(), optimized.size());
  const Summary want(plain), got(optimized);
  // Sums are rounded in another order in the optimized graph; deep in a network that adds up.
  const double range = std::max({want.max - want.min, std::abs(want.max), std::abs(want.min), 1e-30});
  EXPECT_NEAR(got.min, want.min, 1e-5 * range);
  EXPECT_NEAR(got.max, want.max, 1e-5 * range);
  EXPECT_NEAR(got.mean, want.mean, 1e-5 * range);
  double largest = 0;
  for (size_t element = 0; element < plain.size(); ++element) {
    largest = std::max(largest, std::abs(double{plain[element]} - double{optimized[element]}));
  }
  EXPECT_LE(largest, 1e-4 * range);
}

class ObserversTest : public ::testing::TestWithParam<ModelCase> {
 protected:
  void SetUp() override {
    const std::string path = DataFolder() + "/models/" + GetParam().file + ".onnx";
    if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there (./dev data fetches it)";
    // Noise grows in the trained layers of EfficientNet-Lite0 beyond the tolerance of these two.
    if (const std::string name = GetParam().file; name == "mobilenetv2_1.0" || name == "ultraface_rfb_320") {
      if (StandsIn(DataFolder(), name)) GTEST_SKIP() << path << " stands in for the model that this test measures";
    }
    Result<Model> loaded = LoadModel(path);
    ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
    model_ = std::move(loaded).value();
    InferShapes(model_);
  }

  Observed ExpectSameValues(const std::vector<std::string>& tensors) {
    const std::vector<NamedTensor> feeds = MakeFeeds(model_.graph, GetParam());
    const Observed plain = Observe(model_, tensors, feeds, false);
    Observed optimized = Observe(model_, tensors, feeds, true);
    const auto& nodes = model_.graph.nodes();
    const bool has_branches =
        std::any_of(nodes.begin(), nodes.end(), [](const auto& node) { return node->IsFlatIf(); });
    for (size_t index = 0; index < optimized.records.size(); ++index) {
      SCOPED_TRACE(tensors[index]);
      // Once; or never, in a branch that this input does not take.
      EXPECT_EQ(optimized.records[index].times, plain.records[index].times);
      EXPECT_TRUE(has_branches || plain.records[index].times == 1);
      EXPECT_EQ(optimized.records[index].shape, plain.records[index].shape);
      ExpectSame(plain.records[index].values, optimized.records[index].values);
    }
    return optimized;
  }

  Model model_;
};

TEST_P(ObserversTest, AllTensors) {
  const std::vector<std::string> tensors = TensorsOf(model_.graph, {}, true, true);
  ASSERT_FALSE(tensors.empty());
  ExpectSameValues(tensors);
}

// What a plan asks for first: most fusions stay, and with them what could go wrong in finding tensors.
TEST_P(ObserversTest, InputsOfMatrixProducts) {
  const std::vector<std::string> tensors = TensorsOf(model_.graph, {"Conv", "Gemm", "MatMul"}, true, false);
  ASSERT_FALSE(tensors.empty());
  const Observed optimized = ExpectSameValues(tensors);
  const auto blocked = std::count(optimized.places.begin(), optimized.places.end(), ObserverPlace::kBlocked);
#ifdef __x86_64__
  if (GetParam().blocked) {
    EXPECT_GT(blocked, 0);
  }
#endif
}

TEST_P(ObserversTest, TensorsRoundResidualsAndActivations) {
  const std::vector<std::string> tensors = TensorsOf(
      model_.graph, {"Conv", "Gemm", "MatMul", "Add", "Mul", "Concat", "Sigmoid", "Relu", "Clip"}, true, true);
  ASSERT_FALSE(tensors.empty());
  ExpectSameValues(tensors);
}

INSTANTIATE_TEST_SUITE_P(RealModels, ObserversTest, ::testing::ValuesIn(kModels), [](const auto& param) {
  std::string name = param.param.file;
  std::replace_if(name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

}  // namespace
}  // namespace preon

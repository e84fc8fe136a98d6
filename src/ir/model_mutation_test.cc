// Cut, flipped and overwritten models: whatever comes back, nothing crashes. Runs with sanitizers too.
#include <algorithm>
#include <random>

#include "base/file.h"
#include "ir/test_protos.h"

namespace preon {
namespace {

constexpr char kRich[] = R"(
  <ir_version: 4, opset_import: ["": 9, "com.microsoft": 1], producer_name: "tests">
  rich (float[N, 2, 4, 4] x, bool c) => (float[N, 2, 8, 8] y, float[N, 32] z)
      <float[2, 2, 1, 1] w = {1, 2, 3, 4}, float[4] scales = {1, 1, 2, 2}, int64[2] s = {0, -1}> {
    conv = Conv<pads = [0, 0, 0, 0]>(x, w)
    clipped = Clip<min = 0.0, max = 6.0>(conv)
    padded = Pad<pads = [0, 0, 0, 0, 0, 0, 0, 0], value = 1.0>(clipped)
    y = Upsample<mode = "nearest">(padded, scales)
    flat = Reshape(clipped, s)
    soft = Softmax(flat)
    z = If(c) <then_branch = t () => (float[N, 32] t) { t = Relu(soft) },
               else_branch = e () => (float[N, 32] e) { e = com.microsoft.Gelu(soft) }>
  })";

// Everything that a run does with a model before it meets the runtime.
void Exercise(std::string_view bytes) {
  Result<Model> model = LoadModel("mutated.onnx", {.bytes = bytes});
  if (!model.ok()) {
    EXPECT_FALSE(model.status().message().empty());
    return;
  }
  ASSERT_TRUE(model->graph.CheckIntegrity().ok());
  const Result<std::string> written = SerializeModel(*model);
  ASSERT_TRUE(written.ok());
  ASSERT_TRUE(LoadModel("again.onnx", {.bytes = *written}).ok());
  (void)CheckModel(*model);
  InferShapes(*model);
  const bool converted = ConvertOpset(*model, 21).ok();
  EXPECT_TRUE(!converted || model->graph.CheckIntegrity().ok());
}

void MutateAndExercise(const std::string& valid, int rounds, uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&random](size_t limit) { return std::uniform_int_distribution<size_t>(0, limit - 1)(random); };
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE(StrCat("seed ", seed, ", round ", round));
    std::string bytes = valid;
    for (size_t edit = 0; edit <= below(4); ++edit) {
      const size_t at = below(bytes.size());
      switch (below(5)) {
        case 0:
          bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
          break;
        case 1:
          bytes[at] = static_cast<char>(random());
          break;
        case 2:
          bytes.erase(at, 1 + below(16));
          break;
        case 3:
          bytes.insert(at, bytes.substr(below(bytes.size()), 1 + below(32)));
          break;
        case 4:
          bytes.resize(std::max<size_t>(at, 1));
          break;
      }
      if (bytes.empty()) break;
    }
    Exercise(bytes);
  }
}

TEST(MutatedModels, ARichSmallModelNeverCrashes) {
  const std::string valid = ProtoFromText(kRich).SerializeAsString();
  const Result<Model> model = LoadModel("valid.onnx", {.bytes = valid});
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  MutateAndExercise(valid, 3000, 20260);
}

TEST(MutatedModels, EveryBytePatternAtEveryPlaceOfTheHead) {
  const std::string valid = ProtoFromText(kRich).SerializeAsString();
  for (size_t at = 0; at < std::min<size_t>(valid.size(), 400); ++at) {
    for (char pattern : {'\x00', '\x01', '\x7f', '\x80', '\xff'}) {
      SCOPED_TRACE(StrCat("byte ", at));
      std::string bytes = valid;
      bytes[at] = pattern;
      Exercise(bytes);
    }
  }
}

TEST(MutatedModels, ARealModelCutAnywhereIsRefused) {
  const std::vector<std::string> paths = RealModelPaths();
  const auto path =
      std::find_if(paths.begin(), paths.end(), [](const auto& p) { return p.find("mnist_cntk") != p.npos; });
  if (path == paths.end()) GTEST_SKIP() << "no real models: set PREON_DATA";
  const std::string valid = *ReadFile(*path);
  for (size_t size = 0; size < valid.size(); size += 131) {
    const Status refused = LoadModel("cut.onnx", {.bytes = std::string_view(valid).substr(0, size)}).status();
    EXPECT_EQ(refused.id(), size == 0 ? ErrorId::kModelEmpty : ErrorId::kModelMalformed) << size << refused.ToString();
  }
  MutateAndExercise(valid, 300, 20261);
}

}  // namespace
}  // namespace preon

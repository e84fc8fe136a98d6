// Raising the opset changes no output: every adapter on small models, and all real models, in the runtime.
#include <filesystem>

#include "graph/compare_models.h"
#include "ir/model_io.h"
#include "ir/text_format.h"

namespace preon {
namespace {

struct OpsetCase {
  const char* name;
  int64_t opset;
  const char* graph;  ///< its inputs, outputs and nodes
};

void PrintTo(const OpsetCase& c, std::ostream* out) { *out << c.name; }

const OpsetCase kOpsetCases[] = {
    {"Clip", 7, "(float[2, 5] x) => (float[2, 5] y) { y = Clip<min = -0.5, max = 0.75>(x) }"},
    {"ClipOneSided", 10, "(float[2, 5] x) => (float[2, 5] y) { y = Clip<max = 0.75>(x) }"},
    {"ClipHalf", 10, R"((float[2, 5] x) => (float[2, 5] y) {
        f = Floor(x)  h = Cast<to = 10>(f)  c = Clip<min = -1.0, max = 0.0>(h)  y = Cast<to = 1>(c) })"},
    {"Pad", 7, "(float[1, 2, 3] x) => (float[1, 4, 6] y) { y = Pad<pads = [0, 1, 2, 0, 1, 1], value = 1.5>(x) }"},
    {"PadReflect", 9,
     R"((float[1, 2, 5] x) => (float[1, 2, 8] y) { y = Pad<mode = "reflect", pads = [0, 0, 2, 0, 0, 1]>(x) })"},
    {"Slice", 9, R"((float[3, 6] x) => (float[2, 3] y) {
        y = Slice<axes = [0, 1], starts = [1, -4], ends = [9223372036854775807, -1]>(x) })"},
    {"SliceWithoutAxes", 7, "(float[3, 6] x) => (float[2, 6] y) { y = Slice<starts = [0, 0], ends = [2, 6]>(x) }"},
    {"TopK", 9, "(float[3, 6] x) => (float[3, 2] y, int64[3, 2] i) { y, i = TopK<k = 2>(x) }"},
    {"TopKAxis", 9, "(float[3, 6] x) => (float[2, 6] y, int64[2, 6] i) { y, i = TopK<axis = 0, k = 2>(x) }"},
    {"Squeezes", 7,
     "(float[2, 3] x) => (float[2, 3] y) { u = Unsqueeze<axes = [0, 3]>(x)  y = Squeeze<axes = [0, 3]>(u) }"},
    {"SqueezeAll", 11, "(float[1, 3, 1] x) => (float[3] y) { y = Squeeze(x) }"},
    {"Split", 9, "(float[2, 6] x) => (float[2, 1] y, float[2, 5] z) { y, z = Split<axis = 1, split = [1, 5]>(x) }"},
    {"SplitEqual", 11, "(float[2, 6] x) => (float[2, 3] y, float[2, 3] z) { y, z = Split<axis = -1>(x) }"},
    {"ReduceSum", 11, "(float[2, 3, 4] x) => (float[2, 4] y) { y = ReduceSum<axes = [1], keepdims = 0>(x) }"},
    {"ReduceSumAll", 9, "(float[2, 3, 4] x) => (float y) { y = ReduceSum<keepdims = 0>(x) }"},
    {"ReduceMean", 9, "(float[2, 3, 4] x) => (float[1, 3, 1] y) { y = ReduceMean<axes = [0, 2]>(x) }"},
    {"OtherReductions", 9, R"((float[2, 3, 4] x) => (float[2, 1, 4] y) {
        a = ReduceMax<axes = [1]>(x)  b = ReduceMin<axes = [1]>(x)  c = ReduceL1<axes = [1]>(x)
        d = ReduceL2<axes = [1]>(x)  e = ReduceLogSumExp<axes = [1]>(x)  f = ReduceSumSquare<axes = [1]>(x)
        g = ReduceProd<axes = [1]>(x)  y = Sum(a, b, c, d, e, f, g) })"},
    {"SoftmaxLastAxis", 9, "(float[2, 5] x) => (float[2, 5] y) { y = Softmax<axis = 1>(x) }"},
    {"SoftmaxFlattens", 9, "(float[2, 3, 4] x) => (float[2, 3, 4] y) { y = Softmax<axis = 1>(x) }"},
    {"SoftmaxDefaultAxis", 11, "(float[2, 3, 4] x) => (float[2, 3, 4] y) { y = Softmax(x) }"},
    {"SoftmaxBeforeOnes", 9, "(float[2, 5, 1, 1] x) => (float[2, 5, 1, 1] y) { y = Softmax<axis = 1>(x) }"},
    {"SoftmaxNegativeAxis", 11, "(float[2, 3, 4] x) => (float[2, 3, 4] y) { y = Softmax<axis = -2>(x) }"},
    {"SoftmaxUnknownRank", 11, R"((float[1, 1] x, int64[K] s) => (float[A, B, C] y) <int64 two = {2}> {
        t = Add(s, two)  e = Expand(x, t)  y = LogSoftmax<axis = 1>(e) })"},
    {"Hardmax", 9, "(float[2, 3, 4] x) => (float[2, 3, 4] y) { h = Hardmax(x)  y = Mul(h, x) }"},
    {"UpsampleNearest", 7,
     "(float[1, 2, 3, 3] x) => (float[1, 2, 6, 9] y) { y = Upsample<mode = \"nearest\", scales = [1.0, 1.0, 2.0, "
     "3.0]>(x) }"},
    {"UpsampleLinear", 8,
     "(float[1, 2, 3, 3] x) => (float[1, 2, 6, 6] y) { y = Upsample<mode = \"linear\", scales = [1.0, 1.0, 2.0, "
     "2.0]>(x) }"},
    {"UpsampleFractions", 9,
     R"((float[1, 2, 3, 4] x) => (float[1, 2, A, B] y) <float[4] s = {1, 1, 1.7, 2.5}> { y = Upsample<mode = "nearest">(x, s) })"},
    {"UpsampleOfAConstantNode", 9, R"((float[1, 2, 3, 4] x) => (float[1, 2, A, B] y) {
        s = Constant<value = float[4] {1.0, 1.0, 2.0, 2.0}>()  y = Upsample<mode = "nearest">(x, s) })"},
    {"ResizeUp", 10,
     R"((float[1, 1, 4, 4] x) => (float[1, 1, A, B] y) <float[4] s = {1, 1, 1.6, 2.3}> { y = Resize<mode = "nearest">(x, s) })"},
    {"ResizeDown", 10,
     R"((float[1, 1, 7, 9] x) => (float[1, 1, A, B] y) <float[4] s = {1, 1, 0.6, 0.45}> { y = Resize<mode = "nearest">(x, s) })"},
    {"ResizeLinearMixed", 10,
     R"((float[1, 1, 7, 9] x) => (float[1, 1, A, B] y) <float[4] s = {1, 1, 0.6, 1.5}> { y = Resize<mode = "linear">(x, s) })"},
    {"Scatter", 9,
     R"((float[3, 3] x) => (float[3, 3] y) <int64[1, 2] i = {1, 2}, float[1, 2] u = {9, 8}> { y = Scatter<axis = 1>(x, i, u) })"},
    {"BatchNorm", 7, R"((float[2, 3, 4] x) => (float[2, 3, 4] y)
        <float[3] s = {1, 2, 3}, float[3] b = {0, 1, 2}, float[3] m = {0.5, 0, -1}, float[3] v = {1, 2, 3}> {
        y = BatchNormalization<spatial = 1, epsilon = 0.001>(x, s, b, m, v) })"},
    {"Dropout", 7, "(float[2, 5] x) => (float[2, 5] y) { d = Dropout<ratio = 0.5>(x)  y = Neg(d) }"},
    {"RoiAlign", 10,
     R"((float[1, 1, 6, 6] x) => (float[1, 1, 2, 2] y) <float[1, 4] r = {0.5, 0.5, 4.2, 3.7}, int64[1] b = {0}> {
        y = RoiAlign<output_height = 2, output_width = 2, sampling_ratio = 2>(x, r, b) })"},
    {"GridSample", 16,
     R"((float[1, 1, 4, 4] x, float[1, 3, 3, 2] g) => (float[1, 1, 3, 3] y) { y = GridSample(x, g) })"},
    {"GridSampleCubic", 16,
     R"((float[1, 1, 4, 4] x, float[1, 3, 3, 2] g) => (float[1, 1, 3, 3] y) { y = GridSample<mode = "bicubic">(x, g) })"},
    {"Dft", 17, "(float[1, 8, 1] x) => (float[1, 8, 2] y) { y = DFT<axis = 1>(x) }"},
    {"Untouched", 7,
     R"((float[1, 2, 5, 5] x) => (float[1, 2, 2, 2] y) <float[2, 2, 3, 3] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3,
        4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9}> {
        c = Conv(x, w)  a = AveragePool<kernel_shape = [2, 2]>(c)  l = LeakyRelu<alpha = 0.1>(a)  y = Add(l, l) })"},
};

Model Parse(const OpsetCase& c) {
  Result<Model> model = ParseModelText(StrCat("<ir_version: 4, opset_import: [\"\": ", c.opset, "]> g ", c.graph));
  EXPECT_TRUE(model.ok()) << model.status().ToString();
  return *std::move(model);
}

class RaisedOpset : public ::testing::TestWithParam<OpsetCase> {};

TEST_P(RaisedOpset, GivesTheSameOutputs) {
  const Model before = Parse(GetParam());
  for (int64_t opset : {13, 18, 21}) {
    SCOPED_TRACE(opset);
    Model after = before;
    const Status status = ConvertOpset(after, opset);
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_TRUE(CheckModel(after).ok()) << CheckModel(after).ToString();
    // Values: DFT and the reductions may sum in another order under another kernel version.
    ExpectSameOutputs(before, after, {.other = 3, .max_int = 2}, 1e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(Adapters, RaisedOpset, ::testing::ValuesIn(kOpsetCases),
                         [](const auto& c) { return c.param.name; });

TEST(RaisedOpset, RealModelsGiveTheSameOutputs) {
  const char* folder = std::getenv("PREON_DATA");
  const std::string models = std::string(folder == nullptr ? "../shared/data" : folder) + "/models";
  if (!std::filesystem::is_directory(models)) GTEST_SKIP() << models << ": no such folder";
  for (const auto& entry : std::filesystem::directory_iterator(models)) {
    SCOPED_TRACE(entry.path().filename().string());
    const Result<Model> before = LoadModel(entry.path().string());
    ASSERT_TRUE(before.ok()) << before.status().ToString();
    if (before->opset() >= 13) continue;
    for (int64_t opset : {13, 21}) {
      Model after = *before;
      const Status status = ConvertOpset(after, opset);
      ASSERT_TRUE(status.ok()) << status.ToString();
      ExpectSameOutputs(*before, after, {.max_int = 50}, 0);
    }
  }
}

}  // namespace
}  // namespace preon

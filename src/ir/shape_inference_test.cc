#include <gmock/gmock.h>

#include "ir/test_protos.h"

namespace preon {
namespace {

using ::testing::HasSubstr;

constexpr char kConvolution[] = R"(<ir_version: 8, opset_import: ["": 17, "com.microsoft": 1]>
  g (float[N, 3, 8, 8] x, float[8, 3, 4, 4] w) => (float[N, K] y, float[M] z) <int64[2] s = {0, -1}> {
    c = Conv(x, w)
    r = Relu(c)
    u = com.microsoft.Unknown(r)
    z = com.microsoft.Unknown(u)
    y = Reshape(r, s)
  })";

TEST(InferShapes, FillsTypesAndShapesAndKeepsSymbols) {
  Model model = LoadText(kConvolution);
  std::string warning;
  InferShapes(model, &warning);
  EXPECT_EQ(warning, "");
  EXPECT_EQ(model.graph.ShapeOf("r"), (Shape{kDynamicDim, 8, 5, 5}));
  EXPECT_EQ(model.graph.Info("r")->dim_names[0], "N");
  EXPECT_EQ(model.graph.TypeOf("r"), DataType::kFloat);
  EXPECT_EQ(model.graph.ShapeOf("y"), (Shape{kDynamicDim, 200}));  // from the value of s
  EXPECT_EQ(model.graph.Info("u"), nullptr);                       // an unknown operator does not stop inference
}

TEST(InferShapes, QuantizedOperatorsOfTheRuntimeHaveShapes) {
  Model model = LoadText(R"(<ir_version: 8, opset_import: ["": 17, "com.microsoft": 1]>
  g (uint8[N, 8, 4, 4] x, uint8[1, 8, 1, 1] b, float[2, T, 16] m, uint8[24, 1, 8] codes, int8[8, 10] w) => (float[K] y)
  <float s = {0.5}, uint8 z = {0}> {
    add = com.microsoft.QLinearAdd(x, s, z, b, s, z, s, z)
    both = com.microsoft.QLinearConcat <axis = 1> (s, z, add, s, z, x, s, z)
    pool = com.microsoft.QLinearGlobalAveragePool(add, s, z, s, z)
    rows = Flatten(pool)
    classes = com.microsoft.QGemm(rows, s, z, w, s, z)
    product = com.microsoft.MatMulNBits <K = 16, N = 24, bits = 4, block_size = 16> (m, codes, s)
    y = com.microsoft.Unknown(classes)
  })");
  InferShapes(model);
  const auto shape = [&](const char* tensor) { return model.graph.ShapeOf(tensor); };
  EXPECT_EQ(shape("add"), (Shape{kDynamicDim, 8, 4, 4}));
  EXPECT_EQ(shape("both"), (Shape{kDynamicDim, 16, 4, 4}));
  EXPECT_EQ(shape("pool"), (Shape{kDynamicDim, 8, 1, 1}));
  EXPECT_EQ(shape("classes"), (Shape{kDynamicDim, 10}));
  EXPECT_EQ(shape("product"), (Shape{2, kDynamicDim, 24}));
  EXPECT_EQ(model.graph.TypeOf("add"), DataType::kUInt8);
}

TEST(InferShapes, QuantizersOfOtherDomainsKeepTheShape) {
  Model model = LoadText(R"(<ir_version: 8, opset_import: ["": 17, "com.microsoft": 1, "com.amd.quark": 1,
                                                          "com.vai.quantize": 1]>
  g (float[N, 3, 8, 8] x, bfloat16 b) => (float[K] y) <float s = {0.5}, int16 z = {0}, float[3] one = {1, 1, 1}> {
    short = com.microsoft.QuantizeLinear(x, s, z)
    a = com.microsoft.DequantizeLinear(short, s, z)
    brain = com.amd.quark.ExtendedQuantizeLinear(a, s, b)
    c = com.amd.quark.ExtendedDequantizeLinear(brain, s, b)
    older = com.vai.quantize.VitisQuantizeLinear(c, s, z)
    d = com.vai.quantize.VitisDequantizeLinear(older, s, z)
    e = com.amd.quark.BFPQuantizeDequantize(d)
    f = com.amd.quark.MXQuantizeDequantize(e)
    h = com.vai.quantize.BFPFixNeuron(f)
    i = com.vai.quantize.MXFixNeuron(h)
    j = com.amd.quark.ExtendedInstanceNormalization(i, one, one)
    y = com.microsoft.Unknown(j)
  })");
  InferShapes(model);
  for (const char* tensor : {"short", "a", "brain", "c", "older", "d", "e", "f", "h", "i", "j"})
    EXPECT_EQ(model.graph.ShapeOf(tensor), (Shape{kDynamicDim, 3, 8, 8})) << tensor;
  for (const char* tensor : {"a", "c", "d", "e", "f", "h", "i", "j"})
    EXPECT_EQ(model.graph.TypeOf(tensor), DataType::kFloat) << tensor;
  for (const char* tensor : {"short", "older"}) EXPECT_EQ(model.graph.TypeOf(tensor), DataType::kInt16) << tensor;
  EXPECT_EQ(model.graph.TypeOf("brain"), DataType::kBFloat16);
}

TEST(InferShapes, AnLstmOfTheLibraryHasTheShapesOfOnnxs) {
  Model model = LoadText(R"(<ir_version: 8, opset_import: ["": 17, "com.amd.quark": 1, "com.microsoft": 1]>
  g (float[5, N, 3] x, float[1, 16, 3] w, float[1, 16, 4] r) => (float[K] y) {
    all, last = com.amd.quark.ExtendedLSTM <hidden_size = 4> (x, w, r)
    y = com.microsoft.Unknown(all, last)
  })");
  InferShapes(model);
  EXPECT_EQ(model.graph.ShapeOf("all"), (Shape{5, 1, kDynamicDim, 4}));
  EXPECT_EQ(model.graph.ShapeOf("last"), (Shape{1, kDynamicDim, 4}));
}

TEST(InferShapes, AttributesThatANodeLeavesOutHaveTheStandardsDefault) {
  Model model = LoadText(R"(<ir_version: 8, opset_import: ["": 17, "com.microsoft": 1]>
  g (float[N, 4000, 1] x, float[256] window) => (float[K] y) <int64 step = {128}> {
    one_sided = STFT(x, step, window)
    all = STFT <onesided = 0> (x, step, window)
    y = com.microsoft.Unknown(one_sided, all)
  })");
  InferShapes(model);
  EXPECT_EQ(model.graph.ShapeOf("one_sided"), (Shape{kDynamicDim, 30, 129, 2}));
  EXPECT_EQ(model.graph.ShapeOf("all"), (Shape{kDynamicDim, 30, 256, 2}));
}

TEST(CorrectShapes, WhatTheOperatorsContradictIsReplaced) {
  Model model = LoadText(R"(<ir_version: 8, opset_import: ["": 17, "com.microsoft": 1]>
  g (float[N, 4] x, float[4, 8] w) => (float[N, 8] y) <float[4] a, float[N, 8] b, float[N, 2] u, float[3, 8] c> {
    a = MatMul(x, w)
    b = Relu(a)
    u = com.microsoft.Unknown(b)
    c = Sigmoid(b)
    y = Add(a, c)
  })");
  EXPECT_EQ(CorrectShapes(model), std::vector<std::string>{"a"});
  EXPECT_EQ(model.graph.ShapeOf("a"), (Shape{kDynamicDim, 8}));
  EXPECT_EQ(model.graph.ShapeOf("c"), (Shape{3, 8}));            // no contradiction: N may be 3
  EXPECT_EQ(model.graph.ShapeOf("u"), (Shape{kDynamicDim, 2}));  // nothing else is known of it
  EXPECT_TRUE(CorrectShapes(model).empty());
}

TEST(CorrectShapes, DimensionsThatOnlyTheFileKnowsStay) {
  Model model = LoadText(R"(<ir_version: 8, opset_import: ["": 17]>
  g (float[N, 4] x, float[4, 8] w) => (float[N, 8] y) <float[3, 4] a> {
    a = MatMul(x, w)
    y = Relu(a)
  })");
  EXPECT_EQ(CorrectShapes(model), std::vector<std::string>{"a"});
  EXPECT_EQ(model.graph.ShapeOf("a"), (Shape{3, 8}));
  EXPECT_EQ(model.graph.Info("a")->dim_names, (std::vector<std::string>{"", ""}));
}

TEST(InferShapes, QuantizedOperatorsOfTheRuntimeHaveTypes) {
  Model model = LoadText(R"(<ir_version: 8, opset_import: ["": 17, "com.microsoft": 1]>
  g (uint8[N, 4, 4, 8] x, uint8[N, 16] m, int8[16, 10] w) => (float[K] y)
  <float s = {0.5}, uint8 z = {0}> {
    pool = com.microsoft.QLinearGlobalAveragePool <channels_last = 1> (x, s, z, s, z)
    floats = com.microsoft.QGemm(m, s, z, w, s, z)
    packed = com.microsoft.QGemm(m, s, z, w, s, z, "", s, z)
    y = com.microsoft.Unknown(floats)
  })");
  InferShapes(model);
  EXPECT_EQ(model.graph.TypeOf("pool"), DataType::kUInt8);
  EXPECT_EQ(model.graph.ShapeOf("pool"), std::nullopt);
  EXPECT_EQ(model.graph.TypeOf("floats"), DataType::kFloat);
  EXPECT_EQ(model.graph.ShapeOf("floats"), (Shape{kDynamicDim, 10}));
  EXPECT_EQ(model.graph.TypeOf("packed"), DataType::kUInt8);
}

TEST(InferShapes, LargeWeightsAreDeclaredNotCopied) {
  Model model = LoadText(kConvolution);
  model.graph.SetInitializer("big", Tensor::Allocate(DataType::kFloat, {8, 8, 3, 3}));
  model.graph.AddNode("Conv", {"r", "big"}, {"d"});
  InferShapes(model);
  EXPECT_EQ(model.graph.ShapeOf("d"), (Shape{kDynamicDim, 8, 3, 3}));
  EXPECT_FALSE(model.graph.IsInput("big"));
}

TEST(InferShapes, ValuesFlowThroughShapeArithmetic) {
  Model model = LoadText(R"(<ir_version: 8, opset_import: ["": 17]>
    g (float[2, 3, 4] x) => (y) <int64[1] i = {1}, int64[1] m = {-1}> {
      s = Shape(x)
      d = Gather(s, i)
      t = Concat<axis = 0>(d, m)
      y = Reshape(x, t)
    })");
  InferShapes(model);
  EXPECT_EQ(model.graph.ShapeOf("y"), (Shape{3, 8}));
}

TEST(InferShapes, GoesOnBehindTheScalersOfClassicalModels) {
  Model model = LoadText(R"(<ir_version: 8, opset_import: ["": 17, "ai.onnx.ml": 3]>
    g (double[N, 4] x, float[4, 8] w) => (y) {
      s = ai.onnx.ml.Scaler<offset = [0.5], scale = [2.0]>(x)
      n = ai.onnx.ml.Normalizer<norm = "L2">(s)
      y = MatMul(n, w)
    })");
  InferShapes(model);
  EXPECT_EQ(model.graph.ShapeOf("y"), (Shape{kDynamicDim, 8}));
  EXPECT_EQ(model.graph.TypeOf("s"), DataType::kFloat);
}

// Without a bound this takes more memory than any machine has.
TEST(InferShapes, AbsurdlyLongVectorsCostNothing) {
  Model model = LoadText(R"(<ir_version: 8, opset_import: ["": 17]>
    g (float[1000000000000] x, int64[2000000000, 4000] z) => (y, t) <int64[1] s = {-1}> {
      a = Add(x, x)
      r = Reshape(z, s)
      t = Add(r, r)
      y = Concat<axis = 0>(a, a)
    })");
  InferShapes(model);
  EXPECT_EQ(model.graph.ShapeOf("y"), Shape{2000000000000});
  EXPECT_EQ(model.graph.ShapeOf("t"), Shape{8000000000000});
}

TEST(InferShapes, AbsurdlyManyPartsCostNothing) {
  for (const auto& [parts, shape] :
       {std::pair("2", std::optional<Shape>({2, 4})), std::pair("2000000000", std::optional<Shape>())}) {
    Model model = LoadText(StrCat(R"(<ir_version: 8, opset_import: ["": 18]>
    g (float[4, 4] x) => (float[K, 4] a, float[M, 4] b) { a, c = Split <axis = 0, num_outputs = )",
                                  parts, R"(> (x)
      b = Relu(c) })"));
    InferShapes(model);
    const ValueInfo* info = model.graph.Info("c");
    EXPECT_EQ(info == nullptr ? std::nullopt : info->shape, shape) << parts;
  }
}

TEST(InferShapes, WhatContradictsItselfStaysUnknown) {
  Model model = LoadText(R"(<ir_version: 8, opset_import: ["": 17]>
    g (float[2, 3] x, float[5, 7] w) => (y) { m = MatMul(x, w)  y = Relu(x) })");
  InferShapes(model);
  EXPECT_EQ(model.graph.ShapeOf("m"), std::nullopt);
  EXPECT_EQ(model.graph.ShapeOf("y"), (Shape{2, 3}));
}

TEST(CheckModel, PassesWhatIsRightAndQuotesTheCheckerOtherwise) {
  Model model = LoadText(kConvolution);
  EXPECT_TRUE(CheckModel(model).ok()) << CheckModel(model).ToString();
  model.graph.FindNode("Relu_1")->attributes["slope"] = 1.0f;
  const Status status = CheckModel(model);
  EXPECT_EQ(status.id(), ErrorId::kModelInvalid);
  EXPECT_THAT(status.message(), HasSubstr("slope"));
}

}  // namespace
}  // namespace preon

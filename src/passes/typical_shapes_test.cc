#include "passes/typical_shapes.h"

#include <gtest/gtest.h>

#include "ir/model_io.h"
#include "ir/test_protos.h"

namespace preon {
namespace {

TEST(SetTypicalShapes, TokensFlattenedWithTheBatchAreRows) {
  Model model = LoadText(R"(<ir_version: 8, opset_import: ["": 17]>
    g (float[batch, tokens, 8] x, float[8, 16] w) => (y) <int64[2] s = {-1, 8}> {
      rows = Reshape(x, s)
      y = Gemm(rows, w)
    })");
  InferShapes(model);
  SetTypicalShapes(model, nullptr);
  EXPECT_EQ(model.graph.ShapeOf("y"), (Shape{kDynamicDim, 16})) << "what is true of all runs stays";
  EXPECT_EQ(model.graph.TypicalShapeOf("x"), (Shape{1, 64, 8}));
  EXPECT_EQ(model.graph.TypicalShapeOf("y"), (Shape{64, 16}));
  const Model copy = model;
  EXPECT_EQ(copy.graph.TypicalShapeOf("y"), (Shape{64, 16}));
}

TEST(SetTypicalShapes, ImagesGetSmallerFromLayerToLayer) {
  Model model = LoadText(R"(<ir_version: 8, opset_import: ["": 17]>
    g (float[N, 3, H, W] x, float[8, 3, 2, 2] w) => (y) {
      y = Conv<strides = [2, 2]>(x, w)
    })");
  InferShapes(model);
  SetTypicalShapes(model, nullptr);
  EXPECT_EQ(model.graph.TypicalShapeOf("y"), (Shape{1, 8, 320, 320}));
}

TEST(SetTypicalShapes, WhatIsKnownInPartCounts) {
  Model model = LoadText(R"(<ir_version: 8, opset_import: ["": 17]>
    g (float[N, T] x, int64[2] s, float[8, 16] w) => (y) {
      signal = Relu(x)
      rows = Reshape(signal, s)
      y = Gemm(rows, w)
    })");
  InferShapes(model);
  SetTypicalShapes(model, nullptr);
  EXPECT_EQ(model.graph.TypicalShapeOf("signal"), (Shape{1, 16000}));
  EXPECT_EQ(model.graph.TypicalShapeOf("y"), (Shape{kDynamicDim, 16})) << "nothing tells the rows";
}

TEST(SetTypicalShapes, NoneWhereAllShapesAreKnown) {
  Model model = LoadText(R"(<ir_version: 8, opset_import: ["": 17]>
    g (float[2, 4] x) => (y) { y = Relu(x) })");
  InferShapes(model);
  SetTypicalShapes(model, nullptr);
  EXPECT_TRUE(model.graph.typical_shapes.empty());
  EXPECT_EQ(model.graph.TypicalShapeOf("y"), (Shape{2, 4}));
}

TEST(SetTypicalShapes, CachesAreNoImages) {
  Model model = LoadText(R"(<ir_version: 8, opset_import: ["": 17]>
    g (float[N, 4, T, 32] keys, float[N, H, W, 3] image) => (k, i) { k = Relu(keys) i = Relu(image) })");
  InferShapes(model);
  SetTypicalShapes(model, nullptr);
  EXPECT_EQ(model.graph.TypicalShapeOf("k"), (Shape{1, 4, 64, 32}));
  EXPECT_EQ(model.graph.TypicalShapeOf("i"), (Shape{1, 640, 640, 3}));
}

}  // namespace
}  // namespace preon

// Sizes that exporters compute by several nodes, with the runtime as evaluator.
#include <gtest/gtest.h>

#include "ir/model_io.h"
#include "ir/test_protos.h"
#include "passes/typical_shapes.h"
#include "runtime/runtime_evaluator.h"

namespace preon {
namespace {

TEST(SetTypicalShapes, ComputedTargetsOfReshape) {
  Model model = LoadText(R"(<ir_version: 8, opset_import: ["": 17]>
    g (float[N, T, 8] x) => (y) <int64[1] one = {1}, int64 two = {2}, int64 at = {1}, int64[1] zero = {0}> {
      sizes = Shape(x)
      tokens = Gather(sizes, at)
      half = Div(tokens, two)
      half_list = Unsqueeze(half, zero)
      sixteen = Constant<value_ints = [16]>()
      target = Concat<axis = 0>(one, half_list, sixteen)
      y = Reshape(x, target)
    })");
  InferShapes(model);
  const RunContext context;
  RuntimeEvaluator evaluator(context);
  SetTypicalShapes(model, &evaluator);
  EXPECT_EQ(model.graph.TypicalShapeOf("y"), (Shape{1, 32, 16}));
}

}  // namespace
}  // namespace preon

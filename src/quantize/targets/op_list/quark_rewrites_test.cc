#include "quantize/targets/op_list/quark_rewrites.h"

#include <gtest/gtest.h>

#include "ir/test_graphs.h"
#include "quantize/targets/targets.h"

namespace preon {
namespace {

using test::GraphBuilder;

TEST(QuarkRewrites, ChooseThePasses) {
  EXPECT_TRUE(QuarkRewrites("wrap_linear_layers", false, {}));
  EXPECT_FALSE(QuarkRewrites("deduplicate", true, {}));
  EXPECT_TRUE(QuarkRewrites("fold_batch_norm", true, {}));
  EXPECT_FALSE(QuarkRewrites("convert_split", false, {}));
}

TEST(QuarkRewrites, TargetsHaveThemWithCompatAlone) {
  for (const auto& target : {MakeNpuCnnTarget(), MakeNpuTransformerTarget(), MakeQuarkTarget()}) {
    const PlanOptions ours, theirs{.compat = Compat::kQuark};
    EXPECT_FALSE(target->WantsPass("wrap_linear_layers", false, ours)) << target->name();
    EXPECT_TRUE(target->WantsPass("wrap_linear_layers", false, theirs)) << target->name();
    EXPECT_TRUE(target->WantsPass("merge_transposes", true, ours)) << target->name();
    EXPECT_FALSE(target->WantsPass("merge_transposes", true, theirs)) << target->name();
  }
}

TEST(QuarkRewrites, DependOnItsStages) {
  const Preprocessing simplified{.optimize = false}, optimized{.simplify = false};
  const Preprocessing neither{.simplify = false, .optimize = false};
  EXPECT_TRUE(QuarkRewrites("wrap_linear_layers", false, simplified));
  EXPECT_FALSE(QuarkRewrites("merge_reshapes", false, simplified));
  EXPECT_FALSE(QuarkRewrites("wrap_linear_layers", false, optimized));
  EXPECT_TRUE(QuarkRewrites("wrap_layers_as_runtime", false, optimized));
  EXPECT_FALSE(QuarkRewrites("wrap_layers_as_runtime", false, {}));
  EXPECT_TRUE(QuarkRewrites("fold_pad", true, simplified));
  EXPECT_TRUE(QuarkRewrites("fold_pad", true, optimized));
  EXPECT_FALSE(QuarkRewrites("fold_pad", true, neither));
  EXPECT_FALSE(QuarkRewrites("wrap_layers_as_runtime", false, neither));
  EXPECT_TRUE(QuarkRewrites("fuse_gelu", true, {.fuse_gelu = false}));
  EXPECT_FALSE(QuarkRewrites("fuse_gelu", true, {.optimize = false, .fuse_gelu = false}));
  EXPECT_FALSE(QuarkRewrites("fuse_gelu", true, {.skip = true}));
}

TEST(QuarkRewrites, WhoFoldsABatchNormalization) {
  const Preprocessing neither{.simplify = false, .optimize = false};
  const Preprocessing runtime{.simplify = false, .fold_batch_norm = false}, simplifier{.optimize = false};
  for (const auto& [op_type, by_runtime, by_simplifier] :
       {std::tuple("Conv", true, true), std::tuple("ConvTranspose", false, true), std::tuple("Gemm", false, false)}) {
    GraphBuilder b({1, 4, 8, 8});
    b.Op(op_type, {"x"}, "y", {1, 4, 8, 8});
    const Node* norm = b.Op("BatchNormalization", {"y"}, "z", {1, 4, 8, 8});
    b.Output("z");
    EXPECT_FALSE(QuarkLeaves("fold_batch_norm", b.model, *norm, {})) << op_type;
    EXPECT_TRUE(QuarkLeaves("fold_batch_norm", b.model, *norm, neither)) << op_type;
    EXPECT_EQ(QuarkLeaves("fold_batch_norm", b.model, *norm, runtime), !by_runtime) << op_type;
    EXPECT_EQ(QuarkLeaves("fold_batch_norm", b.model, *norm, simplifier), !by_simplifier) << op_type;
  }
}

TEST(QuarkRewrites, EqualPartsOfASplitStay) {
  GraphBuilder b({1, 4});
  Node* equal = b.Op("Split", {"x"}, "y");
  equal->attributes["axis"] = int64_t{1};
  b.Output("y");
  EXPECT_TRUE(QuarkLeaves("convert_split", b.model, *equal, {}));
  EXPECT_FALSE(QuarkLeaves("deduplicate", b.model, *equal, {}));
  EXPECT_TRUE(MakeNpuCnnTarget()->LeavesNode("convert_split", b.model, *equal, {.compat = Compat::kQuark}));
  EXPECT_FALSE(MakeNpuCnnTarget()->LeavesNode("convert_split", b.model, *equal, {}));
  equal->attributes["split"] = std::vector<int64_t>{4};
  EXPECT_FALSE(QuarkLeaves("convert_split", b.model, *equal, {}));
}

TEST(QuarkRewrites, WhatReadsTheInputStays) {
  GraphBuilder b({1, 4, 32, 32});
  const Node* first = b.Op("GlobalAveragePool", {"x"}, "y", {1, 4, 1, 1});
  const Node* inner = b.Op("GlobalAveragePool", {"y"}, "z", {1, 4, 1, 1});
  b.Output("z");
  for (const char* pass : {"split_large_pool", "convert_batch_norm"}) {
    EXPECT_TRUE(QuarkLeaves(pass, b.model, *first, {})) << pass;
    EXPECT_FALSE(QuarkLeaves(pass, b.model, *inner, {})) << pass;
  }
  EXPECT_FALSE(QuarkLeaves("fold_batch_norm", b.model, *first, {}));
}

TEST(QuarkRewrites, FusionsNeedTheOperatorOfTheStandard) {
  GraphBuilder b({1, 4});
  Node* node = b.Op("Erf", {"x"}, "y");
  b.Output("y");
  for (const auto& [pass, first] : {std::pair("fuse_gelu", 20), std::pair("fuse_layer_norm", 17)}) {
    b.model.opsets[""] = first - 1;
    EXPECT_TRUE(QuarkLeaves(pass, b.model, *node, {})) << pass;
    b.model.opsets[""] = first;
    EXPECT_FALSE(QuarkLeaves(pass, b.model, *node, {})) << pass;
  }
}

}  // namespace
}  // namespace preon

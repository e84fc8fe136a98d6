#include "quantize/targets/runtime_rewrites.h"

#include <gtest/gtest.h>

#include "ir/test_graphs.h"
#include "quantize/plan/plan_options.h"
#include "quantize/targets/targets.h"

namespace preon {
namespace {

using test::GraphBuilder;

TEST(RuntimeRewrites, NothingUnlessTheModelIsPrepared) {
  PlanOptions options{.compat = Compat::kOnnxRuntime};
  for (const auto& target : {MakeOrtTarget(), MakeDynamicTarget()}) {
    const auto wants = [&](const char* pass) { return target->WantsPass(pass, true, options); };
    options.op_list.preprocessing.optimize.reset();
    EXPECT_FALSE(wants("fold_batch_norm") || wants("fold_constants") || wants("fuse_gelu")) << target->name();
    options.op_list.preprocessing.optimize = true;
    EXPECT_TRUE(wants("fold_batch_norm") && wants("fold_constants") && wants("fold_shapes")) << target->name();
    EXPECT_FALSE(wants("fuse_gelu") || wants("fuse_l2_norm")) << target->name();
    options.op_list.preprocessing.optimize = false;
    EXPECT_FALSE(wants("fold_batch_norm")) << target->name();
  }
}

TEST(RuntimeRewrites, BatchNormalizationIsFoldedIntoConvAlone) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c");
  b.Op("Relu", {"c"}, "r");
  const Node* behind_conv = b.Op("Identity", {"c"}, "one");
  const Node* behind_relu = b.Op("Identity", {"r"}, "other");
  EXPECT_FALSE(RuntimeLeaves("fold_batch_norm", b.model, *behind_conv));
  EXPECT_TRUE(RuntimeLeaves("fold_batch_norm", b.model, *behind_relu));
  EXPECT_FALSE(RuntimeLeaves("fold_constants", b.model, *behind_relu));
}

}  // namespace
}  // namespace preon

#include "search/float_head.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/test_graphs.h"
#include "quantize/targets/targets.h"

namespace preon {
namespace {

using test::GraphBuilder;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

// Two layers with a Relu behind each; of the weights of the first, one output's are `small` times the other's.
Result<FloatNodes> HeadWith(float small) {
  GraphBuilder b({1, 2, 8, 8});
  b.Op("Transpose", {"x"}, "t")->attributes["perm"] = std::vector<int64_t>{0, 1, 3, 2};
  b.Op("Conv", {"t", "c_w"}, "c");
  b.Op("Relu", {"c"}, "r");
  b.Op("Conv", {"r", "d_w"}, "d");
  b.Op("Relu", {"d"}, "y");
  b.Output("y");
  Graph& graph = b.model.graph;
  graph.SetInitializer("c_w", Tensor::FromFloats({2, 2, 1, 1}, std::vector<float>{1, -0.7F, small, -0.3F * small}));
  graph.SetInitializer("d_w", Tensor::FromFloats({2, 2, 1, 1}, std::vector<float>{0.3F, 1, -0.7F, 0.4F}));
  PlanOptions options;
  const std::unique_ptr<Target> target = MakeNpuCnnTarget();
  PREON_RETURN_IF_ERROR(target->SettleScales({}, &options));
  PREON_ASSIGN_OR_RETURN(const QuantPlan plan, target->Plan(b.model, options));
  return HeadOf(graph, plan);
}

TEST(FloatHead, FirstLayersThatOneScaleDoesNotBearAndWhatIsAroundThem) {
  const Result<FloatNodes> head = HeadWith(0.002F);
  ASSERT_TRUE(head.ok()) << head.status().ToString();
  EXPECT_THAT(*head, ElementsAre(Pair("c_node", FloatReason::kInputHead), Pair("r_node", FloatReason::kInputHead),
                                 Pair("t_node", FloatReason::kInputHead)));
}

TEST(FloatHead, NoneWhereOneScaleWillDo) { EXPECT_THAT(*HeadWith(0.5F), IsEmpty()); }

}  // namespace
}  // namespace preon

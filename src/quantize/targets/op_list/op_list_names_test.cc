#include "quantize/targets/op_list/op_list_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/test_graphs.h"

namespace preon {
namespace {

using test::GraphBuilder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

GraphBuilder One() {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c");
  b.Op("Relu", {"c"}, "r");
  b.Output("r");
  return b;
}

Result<std::vector<std::string>> Warned(const PlanOptions& options) {
  std::vector<std::string> warnings;
  const OpListRules rules = QuarkRules(QuarkFormat::kBase, false, Compat::kOff);
  const GraphBuilder model = One();
  WarnOfUnknownTypes(model.model.graph, options.op_list.OperatorTypes(), &warnings);
  PREON_RETURN_IF_ERROR(
      CheckChannelAxes(model.model.graph, options.op_list.pairs.channel_axis, rules.handlers, &warnings));
  return warnings;
}

TEST(OperatorTypes, ThoseThatAreNotThereAreWarnings) {
  PlanOptions options;
  options.op_list.pairs.removed.between = {{"Conv", "Rleu"}, {"Mul", "Add"}};
  options.op_list.selection.op_types = {"Conv", "Convv"};
  EXPECT_THAT(*Warned(options), ElementsAre(HasSubstr("OpTypesToQuantize: 'Convv'"),
                                            HasSubstr("RemoveQDQBetweenOps: 'Rleu' has no effect")));
  EXPECT_THAT((*Warned(options))[1], HasSubstr("did you mean 'Relu'?"));
}

TEST(OperatorTypes, AxesOfChannels) {
  PlanOptions options;
  options.op_list.pairs.channel_axis = {{"Conv", -4}};
  EXPECT_THAT(*Warned(options), IsEmpty());
  options.op_list.pairs.channel_axis = {{"Relu", 0}, {"Gem", 0}};
  EXPECT_THAT(*Warned(options), ElementsAre(HasSubstr("'Gem' has no effect"),
                                            HasSubstr("'Relu' has no effect: no such operator has a constant weight")));
  options.op_list.pairs.channel_axis = {{"Conv", 4}};
  const Status status = Warned(options).status();
  EXPECT_EQ(status.id(), ErrorId::kBadConfig);
  EXPECT_THAT(status.message(),
              HasSubstr("Conv: axis: got 4 for 'c_w' of node 'c_node' with shape [4, 4, 1, 1], wanted -4 to 3"));
}

}  // namespace
}  // namespace preon

// Walks tests/graph/*.onnxtxt: the pass fires or keeps as the case says, the result is what is written there, computes
// the same, is clean and stays when the pass runs again.
#include <gtest/gtest.h>

#include <set>

#include "config/builtins.h"
#include "graph/compare_models.h"
#include "graph/graph_cases.h"
#include "ir/model_io.h"
#include "ir/text_format.h"
#include "passes/passes.h"
#include "runtime/runtime_evaluator.h"

namespace preon {
namespace {

constexpr char kFolder[] = "tests/graph";

// The pass list with one pass left on, by way of the runner's own switch.
PassRecord RunOnly(Model& model, const std::string& pass) {
  Builtins builtins = MakeBuiltins();
  builtins.passes.Add(MakeConvertFloat16Pass());
  PassRunnerOptions options{.enabled = {pass}};
  for (const auto& entry : builtins.passes.entries()) {
    if (entry->name() != pass) options.disabled.insert(std::string(entry->name()));
  }
  const RunContext context;
  RuntimeEvaluator evaluator(context);
  const std::vector<PassRecord> records =
      RunPasses(model, builtins.passes, {.evaluator = &evaluator, .context = &context}, options);
  EXPECT_EQ(records.size(), 1u) << "no pass is called " << pass;
  return records.empty() ? PassRecord{} : records[0];
}

// Text without the facts that shape inference added.
std::string Text(Model model) {
  model.graph.ClearInferredInfo();
  const Result<std::string> text = PrintModelText(model);
  EXPECT_TRUE(text.ok()) << text.status().ToString();
  return text.ok() ? *text : "";
}

std::set<std::string> Origins(const Model& model) {
  std::set<std::string> origins;
  for (const auto& node : model.graph.nodes()) origins.insert(node->origins.begin(), node->origins.end());
  return origins;
}

class GraphCaseTest : public testing::TestWithParam<GraphCase> {};

TEST_P(GraphCaseTest, Holds) {
  const GraphCase& c = GetParam();
  Result<Model> before = ParseModelText(c.before), wanted = ParseModelText(c.after.empty() ? c.before : c.after);
  ASSERT_TRUE(before.ok()) << before.status().ToString();
  ASSERT_TRUE(wanted.ok()) << wanted.status().ToString();
  ASSERT_TRUE(CheckModel(*before).ok()) << CheckModel(*before).ToString();

  Model after = *before;
  const PassRecord record = RunOnly(after, c.pass);
  EXPECT_EQ(record.problem, "");
  EXPECT_EQ(record.effect, c.after.empty() ? Effect::kUnchanged : Effect::kChanged);
  EXPECT_EQ(Text(after), Text(*wanted));
  EXPECT_TRUE(CheckModel(after).ok()) << CheckModel(after).ToString();
  EXPECT_TRUE(after.graph.CheckIntegrity().ok());
  EXPECT_EQ(after.graph.inputs(), before->graph.inputs());
  EXPECT_EQ(after.graph.outputs(), before->graph.outputs());
  for (const auto& node : after.graph.nodes()) {
    // Nodes that stand for none of the user's have names of their own.
    EXPECT_TRUE(std::count(node->origins.begin(), node->origins.end(), node->name) == 1 || !node->named_by_user ||
                (node->origins.empty() && before->graph.FindNode(node->name) == nullptr))
        << node->name;
  }
  for (const std::string& origin : Origins(after)) EXPECT_EQ(Origins(*before).count(origin), 1u) << origin;

  Model again = after;
  EXPECT_EQ(RunOnly(again, c.pass).effect, Effect::kUnchanged) << "a second run changed it again";
  ExpectSameOutputs(*before, after, {}, 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Passes, GraphCaseTest, testing::ValuesIn(AllGraphCases(kFolder)),
                         [](const auto& test) { return test.param.Name(); });

// Every pass has at least two cases that fire and one that must not.
TEST(GraphCasesTest, EveryPassHasCases) {
  const std::vector<GraphCase> cases = AllGraphCases(kFolder);
  const Builtins builtins = MakeBuiltins();
  for (const auto& pass : builtins.passes.entries()) {
    const auto count = [&](bool fires) {
      return std::count_if(cases.begin(), cases.end(),
                           [&](const GraphCase& c) { return c.pass == pass->name() && c.after.empty() != fires; });
    };
    EXPECT_GE(count(true), 2) << pass->name();
    EXPECT_GE(count(false), 1) << pass->name();
  }
}

}  // namespace
}  // namespace preon

// Walks tests/graph/*.onnxtxt, of passes of both kinds: the pass fires or keeps as the case says, the result is what is
// written there, computes the same, is clean and stays when the pass runs again.
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "config/builtins.h"
#include "graph/compare_models.h"
#include "graph/graph_cases.h"
#include "ir/model_io.h"
#include "ir/text_format.h"
#include "quantize/qdq_passes/qdq_passes.h"
#include "runtime/runtime_evaluator.h"

namespace preon {
namespace {

constexpr char kFolder[] = "tests/graph";

// What a case sets: `shape TENSOR SIZES`, `type OP`, `exclude NODE` of PassEnv; `float NODE`, `float_region NODE`,
// `filled NODE`, `compat quark`, `aligned OP`, `pairless OP OP`, `floor SCALE RATIO` of the plan; `alpha NODE X` of
// PassEnv; `tolerance X` of the comparison, `results differ` for none; `names new`
// where nodes that stand for the user's are called as other tools call them; `again changes` where a second run does.
struct Settings {
  explicit Settings(const GraphCase& c) {
    for (const auto& [name, value] : c.settings) Set(name, value);
  }

  void Set(const std::string& name, const std::string& value) {
    if (name == "shape") {
      const size_t space = value.find(' ');
      std::istringstream sizes(value.substr(space + 1));
      for (std::string size; std::getline(sizes, size, ',');)
        env.fixed_shapes[value.substr(0, space)].push_back(std::stoll(size));
    } else if (name == "type") {
      env.copied_types.push_back(value);
    } else if (name == "exclude") {
      env.excluded = [value](const Node& node) { return node.name == value; };
    } else if (name == "float") {
      plan.nodes.push_back({.node = value, .op_type = "", .reason = FloatReason::kExcluded});
    } else if (name == "float_region") {
      plan.float_regions.push_back(value);
    } else if (name == "aligned") {
      plan.parameters.aligned_types.insert(value);
    } else if (name == "pairless") {
      const size_t space = value.find(' ');
      plan.parameters.pairless.emplace_back(value.substr(0, space), value.substr(space + 1));
    } else if (name == "floor") {
      const size_t space = value.find(' ');
      plan.parameters.floor.least = std::stod(value.substr(0, space));
      plan.parameters.floor.most_ratio = std::stod(value.substr(space + 1));
    } else if (name == "alpha") {
      const size_t space = value.find(' ');
      env.attributes.push_back({value.substr(0, space), "alpha", std::stof(value.substr(space + 1))});
    } else if (name == "filled") {
      plan.filled_inputs.push_back(value);
    } else if (name == "compat") {
      plan.compat = Compat::kQuark;
    } else if (name == "tolerance") {
      tolerance = std::stod(value);
    } else if (name == "results") {
      compares = false;
    } else if (name == "names") {
      names_are_new = true;
    } else if (name == "again") {
      settles = false;
    } else {
      ADD_FAILURE() << "unknown setting " << name;
    }
  }

  PassEnv env;
  QuantPlan plan;
  double tolerance = 1e-5;
  bool compares = true;
  bool names_are_new = false;
  bool settles = true;
};

// One pass, by way of its runner's own switch.
PassRecord RunOnly(Model& model, const std::string& pass, const Settings& settings) {
  const Builtins builtins = MakeBuiltins();
  const RunContext context;
  RuntimeEvaluator evaluator(context);
  PassEnv env = settings.env;
  env.evaluator = &evaluator;
  env.context = &context;
  PassRunnerOptions options{.enabled = {pass}};
  for (const auto& entry : builtins.passes.entries()) {
    if (entry->name() != pass) options.disabled.insert(std::string(entry->name()));
  }
  std::vector<PassRecord> records = RunPasses(model, builtins.passes, env, options);
  QdqPassOptions of_quantized{.enabled = {pass}};
  for (const auto& entry : builtins.qdq_passes.entries()) {
    if (entry->name() != pass) of_quantized.disabled.insert(std::string(entry->name()));
  }
  std::vector<std::string> warnings;
  const Result<std::vector<PassRecord>> others = RunQdqPasses(model, settings.plan, of_quantized, warnings);
  EXPECT_TRUE(others.ok()) << others.status().ToString();
  if (others.ok()) records.insert(records.end(), others->begin(), others->end());
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
  const Settings settings(c);
  const PassRecord record = RunOnly(after, c.pass, settings);
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
                ((node->origins.empty() || settings.names_are_new) && before->graph.FindNode(node->name) == nullptr))
        << node->name;
  }
  for (const std::string& origin : Origins(after)) EXPECT_EQ(Origins(*before).count(origin), 1u) << origin;

  if (settings.settles) {
    Model again = after;
    EXPECT_EQ(RunOnly(again, c.pass, settings).effect, Effect::kUnchanged) << "a second run changed it again";
  }
  if (settings.compares) ExpectSameOutputs(*before, after, {}, settings.tolerance);
}

INSTANTIATE_TEST_SUITE_P(Passes, GraphCaseTest, testing::ValuesIn(AllGraphCases(kFolder)),
                         [](const auto& test) { return test.param.Name(); });

// Every pass has at least two cases that fire and one that must not.
TEST(GraphCasesTest, EveryPassHasCases) {
  const std::vector<GraphCase> cases = AllGraphCases(kFolder);
  const Builtins builtins = MakeBuiltins();
  std::set<std::string> names;
  for (const auto& pass : builtins.passes.entries()) names.emplace(pass->name());
  for (const auto& pass : builtins.qdq_passes.entries())
    EXPECT_TRUE(names.emplace(pass->name()).second) << pass->name() << " is a pass of both kinds";
  for (const std::string& name : names) {
    const auto count = [&](bool fires) {
      return std::ranges::count_if(cases,
                                   [&](const GraphCase& c) { return c.pass == name && c.after.empty() != fires; });
    };
    EXPECT_GE(count(true), 2) << name;
    EXPECT_GE(count(false), 1) << name;
  }
}

}  // namespace
}  // namespace preon

#include <gtest/gtest.h>

#include "ir/text_format.h"
#include "passes/passes.h"

namespace preon {
namespace {

// A pass that does what the test says.
class FakePass final : public Pass {
 public:
  FakePass(std::string name, std::function<Result<Effect>(Model&)> apply)
      : name_(std::move(name)), apply_(std::move(apply)) {}
  std::string_view name() const override { return name_; }
  std::string_view summary() const override { return "fake"; }
  Result<Effect> Apply(Model& model, const PassEnv&) const override { return apply_(model); }

 private:
  std::string name_;
  std::function<Result<Effect>(Model&)> apply_;
};

Model Sample() {
  return ParseModelText(R"(<ir_version: 8, opset_import: ["" : 13]>
      g (float[2] x) => (float[2] y) { [a] t = Relu (x) [b] y = Neg (t) })")
      .value();
}

std::vector<PassRecord> RunFakes(Model& model, std::vector<FakePass> passes, const PassRunnerOptions& options = {}) {
  PassRegistry registry("pass");
  for (FakePass& pass : passes) registry.Add(std::make_unique<FakePass>(std::move(pass)));
  return RunPasses(model, registry, {}, options);
}

Effect Break(Model& model) {
  model.graph.FindNode("a")->op_type = "Broken";
  return Effect::kChanged;
}

TEST(PassRunnerTest, RepeatsUntilNothingChanges) {
  Model model = Sample();
  int runs = 0;
  const auto records = RunFakes(
      model,
      {{"thrice", [&](Model&) -> Result<Effect> { return ++runs < 3 ? Effect::kChanged : Effect::kUnchanged; }}});
  EXPECT_EQ(runs, 3);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].effect, Effect::kChanged);
  EXPECT_EQ(records[0].problem, "");
}

TEST(PassRunnerTest, TellsOfEachPassThatChangedTheModel) {
  Model model = Sample();
  const auto bypass = [](Model& m) -> Result<Effect> {
    Node* relu = m.graph.FindNode("a");
    if (relu == nullptr) return Effect::kUnchanged;
    m.graph.SetInput(m.graph.FindNode("b"), 0, "x");
    m.graph.RemoveNode(relu);
    return Effect::kChanged;
  };
  PassRegistry registry("pass");
  registry.Add(std::make_unique<FakePass>("bypass", bypass));
  registry.Add(std::make_unique<FakePass>("unchanged", [](Model&) -> Result<Effect> { return Effect::kUnchanged; }));
  std::vector<std::string> told;
  const RunContext context{.log = [&](LogLevel, std::string_view message) { told.emplace_back(message); },
                           .log_level = LogLevel::kDebug};
  RunPasses(model, registry, {.context = &context}, {});
  EXPECT_EQ(told, std::vector<std::string>{"pass bypass: 2 -> 1 nodes"});
}

TEST(PassRunnerTest, StopsPassesThatUndoEachOther) {
  Model model = Sample();
  int runs = 0;
  RunFakes(model, {{"restless", [&](Model&) -> Result<Effect> {
                      ++runs;
                      return Effect::kChanged;
                    }}});
  EXPECT_GT(runs, 1);
  EXPECT_LT(runs, 100);
}

TEST(PassRunnerTest, AFailingPassIsUndoneAndOthersGoOn) {
  Model model = Sample();
  int runs = 0;
  const auto fail = [&](Model& m) -> Result<Effect> {
    ++runs;
    Break(m);
    return Error(ErrorId::kInternal, "half done");
  };
  const auto rename = [](Model& m) -> Result<Effect> {
    if (m.graph.name == "done") return Effect::kUnchanged;
    m.graph.name = "done";
    return Effect::kChanged;
  };
  const auto records = RunFakes(model, {{"fails", fail}, {"works", rename}});
  EXPECT_EQ(model.graph.FindNode("a")->op_type, "Relu");
  EXPECT_EQ(model.graph.name, "done");
  EXPECT_EQ(runs, 1) << "a pass that failed is not tried again";
  EXPECT_EQ(records[0].effect, Effect::kUnchanged);
  EXPECT_EQ(records[0].problem, "[E5002] fails: half done; undone");
  EXPECT_EQ(records[1].problem, "");
}

TEST(PassRunnerTest, UnchangedMeansUnchanged) {
  Model model = Sample();
  RunFakes(model, {{"lies", [](Model& m) -> Result<Effect> {
                      Break(m);
                      return Effect::kUnchanged;
                    }}});
  EXPECT_EQ(model.graph.FindNode("a")->op_type, "Relu");
}

TEST(PassRunnerTest, ABrokenGraphIsUndone) {
  Model model = Sample();
  const auto records = RunFakes(model, {{"breaks", [](Model& m) -> Result<Effect> {
                                           m.graph.SetInput(m.graph.FindNode("b"), 0, "nowhere");
                                           return Effect::kChanged;
                                         }}});
  EXPECT_EQ(model.graph.FindNode("b")->input(0), "t");
  EXPECT_NE(records[0].problem.find("nowhere"), std::string::npos) << records[0].problem;
}

TEST(PassRunnerTest, VerifyDecides) {
  Model model = Sample();
  PassRunnerOptions options;
  options.verify = [](const Model& before, const Model& after) {
    EXPECT_EQ(before.graph.FindNode("a")->op_type, "Relu");
    EXPECT_EQ(after.graph.FindNode("a")->op_type, "Broken");
    return Status(Error(ErrorId::kVerifyRun, "outputs differ by 0.3"));
  };
  const auto records = RunFakes(model, {{"wrong", [](Model& m) -> Result<Effect> { return Break(m); }}}, options);
  EXPECT_EQ(model.graph.FindNode("a")->op_type, "Relu");
  EXPECT_EQ(records[0].problem, "[E5002] wrong: outputs differ by 0.3; undone");
}

TEST(PassRunnerTest, DisabledPassesDoNotRun) {
  Model model = Sample();
  EXPECT_TRUE(
      RunFakes(model, {{"off", [](Model& m) -> Result<Effect> { return Break(m); }}}, {.disabled = {"off"}}).empty());
  EXPECT_EQ(model.graph.FindNode("a")->op_type, "Relu");
}

// What the text cases can't say: names of absorbed nodes live on.
TEST(PassRunnerTest, AFoldedNodeStandsForWhatItAbsorbed) {
  Model model = ParseModelText(R"(<ir_version: 8, opset_import: ["" : 13]>
      g (float[1,1,2,2] x) => (float[1,1,2,2] y) <float[1,1,1,1] w = {2}, float two = {2}>
      { [conv] t = Conv (x, w) [mul] u = Mul (t, two) [add] y = Add (u, two) })")
                    .value();
  PassRegistry registry("pass");
  registry.Add(MakeFoldAffinePass());
  RunPasses(model, registry, {}, {});
  ASSERT_EQ(model.graph.nodes().size(), 1u);
  EXPECT_EQ(model.graph.nodes()[0]->name, "conv");
  EXPECT_EQ(model.graph.nodes()[0]->origins, (std::vector<std::string>{"conv", "mul", "add"}));
}

}  // namespace
}  // namespace preon

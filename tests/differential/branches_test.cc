// Models with If nodes compute the same after they went through the flat graph, rewrites and a higher opset: the file
// as the runtime reads it against what preon writes, for every way through the branches.
#include <gtest/gtest.h>
#include <onnx/defs/parser.h>

#include <algorithm>

#include "base/output/atomic_file.h"
#include "base/output/temp_dir.h"
#include "base/tensor_spec.h"
#include "config/builtins.h"
#include "ir/model_io.h"
#include "runtime/runtime_evaluator.h"
#include "runtime/session.h"

namespace preon {
namespace {

struct BranchCase {
  const char* name;
  const char* graph;  ///< inputs: x float[2, 3], c and d bool, n int64 (2)
};

void PrintTo(const BranchCase& c, std::ostream* out) { *out << c.name; }

const BranchCase kBranchCases[] = {
    {"Plain", R"((float[2, 3] x, bool c, bool d, int64 n) => (float[2, 3] y) {
        y = If (c) <then_branch = t () => (float[2, 3] p) { a = Relu (x) p = Neg (a) },
                    else_branch = e () => (float[2, 3] q) { a = Abs (x) q = Exp (a) }> })"},
    {"Nested", R"((float[2, 3] x, bool c, bool d, int64 n) => (float[2, 3] y, float[2, 3] z) {
        o = Relu (x)
        y, z = If (c) <
          then_branch = t () => (float[2, 3] p, float[2, 3] q) {
            a = Neg (o)
            p = If (d) <then_branch = t2 () => (float[2, 3] p2) { b = Abs (a) p2 = Exp (b) },
                        else_branch = e2 () => (float[2, 3] q2) { q2 = Add (a, x) }>
            q = Add (p, o) },
          else_branch = e () => (float[2, 3] r, float[2, 3] s) { r = Identity (o) s = Identity (x) }> })"},
    {"SharedAndOtherShapes",
     R"((float[2, 3] x, bool c, bool d, int64 n) => (float[A, B] y) <float[3, 3] w = {1, 2, 3, 4, 5, 6, 7, 8, 9}> {
        y = If (c) <then_branch = t () => (float[2, 3] p) { m = MatMul (x, w) p = Relu (m) },
                    else_branch = e () => (float[3, 2] q) { m = MatMul (x, w) q = Transpose (m) }> })"},
    {"ConstantsOfBranches", R"((float[2, 3] x, bool c, bool d, int64 n) => (float[2, 3] y) {
        y = If (c) <then_branch = t () => (float[3] k) <float[3] k = {1, 2, 3}> {},
                    else_branch = e () => (float[3] r) <float[3] k = {4, 5, 6}> {
                      two = Constant <value = float {2}> () r = Mul (k, two) }>
        })"},
    {"LoopInABranch", R"((float[2, 3] x, bool c, bool d, int64 n) => (float[2, 3] y) {
        y = If (c) <
          then_branch = t () => (float[2, 3] p) {
            a = Relu (x)
            p = Loop (n, c, x) <body = l (int64 i, bool go, float[2, 3] v) => (bool on, float[2, 3] u) {
              on = Identity (go) u = Add (v, a) }> },
          else_branch = e () => (float[2, 3] q) { a = Abs (x) q = Neg (a) }> })"},
    {"BranchInALoop", R"((float[2, 3] x, bool c, bool d, int64 n) => (float[2, 3] y) {
        a = Relu (x)
        y = Loop (n, c, x) <body = l (int64 i, bool go, float[2, 3] v) => (bool on, float[2, 3] u) {
          on = Identity (go)
          u = If (d) <then_branch = t () => (float[2, 3] p) { p = Add (v, a) },
                      else_branch = e () => (float[2, 3] q) { q = Neg (v) }> }> })"},
    // A Reshape that holds in one branch only must not run for the other.
    {"GuardedNode", R"((float[2, 3] x, bool c, bool d, int64 n) => (float[A, B] y) {
        s = Shape (x)
        y = If (c) <then_branch = t () => (float[A, B] p) { p = Reshape (x, s) },
                    else_branch = e () => (float[A, B] q) {
                        bad = Concat <axis = 0> (s, s) b = Expand (x, s) q = Abs (b) }> })"},
};

class Branches : public ::testing::TestWithParam<BranchCase> {
 protected:
  std::vector<NamedTensor> Run(Session& session, bool c, bool d) {
    const auto flag = [](bool value) {
      return Tensor::From(DataType::kBool, {}, std::span<const uint8_t>(std::vector<uint8_t>{value}));
    };
    const std::vector<float> x = {1, -2, 3, -4, 0.5f, 6};
    const std::vector<int64_t> n = {2};
    const std::map<std::string, Tensor> values = {
        {"x", Tensor::FromFloats({2, 3}, x)}, {"c", flag(c)}, {"d", flag(d)}, {"n", Tensor::FromInt64s({}, n)}};
    std::vector<NamedTensor> feeds;
    for (const TensorSpec& input : session.inputs()) feeds.push_back({input.name, values.at(input.name)});
    const auto outputs = session.Run(feeds, {});
    EXPECT_TRUE(outputs.ok()) << outputs.status().ToString();
    return outputs.ok() ? *outputs : std::vector<NamedTensor>();
  }

  void ExpectSame(Session& file, const Model& model) {
    EXPECT_TRUE(CheckModel(model).ok()) << CheckModel(model).ToString();
    for (const Optimization level : {Optimization::kOff, Optimization::kAll}) {
      Result<Session> ours = Session::OpenModel(model, {.optimization = level}, {});
      ASSERT_TRUE(ours.ok()) << ours.status().ToString();
      for (const bool c : {false, true}) {
        for (const bool d : {false, true}) {
          const auto wanted = Run(file, c, d), got = Run(*ours, c, d);
          ASSERT_EQ(got.size(), wanted.size());
          for (size_t output = 0; output < wanted.size(); ++output) {
            EXPECT_EQ(got[output].name, wanted[output].name);
            EXPECT_EQ(got[output].tensor.shape(), wanted[output].tensor.shape());
            EXPECT_TRUE(std::ranges::equal(got[output].tensor.bytes(), wanted[output].tensor.bytes())) << c << d;
          }
        }
      }
    }
  }
};

TEST_P(Branches, ComputeTheSame) {
  const TempDir dir = *TempDir::Create(::testing::TempDir());
  onnx::ModelProto proto;
  ASSERT_TRUE(
      onnx::OnnxParser::Parse(proto, StrCat("<ir_version: 8, opset_import: [\"\": 13]> g ", GetParam().graph).c_str())
          .IsOK());
  ASSERT_TRUE(WriteFileAtomically(dir.File("m.onnx"), proto.SerializeAsString()).ok());
  Result<Session> file = Session::OpenFile(dir.File("m.onnx"), {.optimization = Optimization::kOff}, {});
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  Result<Model> model = LoadModel(dir.File("m.onnx"));
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  ExpectSame(*file, *model);

  ASSERT_TRUE(ConvertOpset(*model, 21).ok());
  ExpectSame(*file, *model);

  const Builtins builtins = MakeBuiltins();
  const RunContext context;
  RuntimeEvaluator evaluator(context);
  for (const PassRecord& record : RunPasses(*model, builtins.passes, {&evaluator, &context}, {}))
    EXPECT_EQ(record.problem, "");
  ExpectSame(*file, *model);

  const Result<std::string> bytes = SerializeModel(*model);
  const Result<Model> again = LoadModel("again", {.bytes = *bytes});
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  ExpectSame(*file, *again);
}

INSTANTIATE_TEST_SUITE_P(Models, Branches, ::testing::ValuesIn(kBranchCases),
                         [](const auto& c) { return c.param.name; });

}  // namespace
}  // namespace preon

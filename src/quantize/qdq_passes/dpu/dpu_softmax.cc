// dpu_softmax: a Softmax computes as the DPU does, in bfloat16.
//
// Before:      y = Softmax(x, axis)
// After:       some 45 nodes: Mul, Sub, Add, Floor, Pow, ReduceSum and Div, with a pair of Casts behind each result
// Conditions:  the plan quantizes the node.
// Formula:     B(v) = v rounded to bfloat16; no maximum is subtracted
//                t = B(x), k = floor(B(t B(1/ln 2))), r = B(t - B(k B(ln 2)))
//                e = B(B(2^k) B(r B(r B(0.21875 r + 0.486328125) + 1) + 1)), y = B(e / B(sum(e)))
// Why:         Quark's ConvertSoftmaxToDPUVersion. There the nodes are bfloat16's, which ONNX Runtime's CPU provider
// cannot run;
//              float operators whose results are rounded compute the same.
#include "quantize/qdq_passes/dpu/dpu_factors.h"
#include "quantize/qdq_passes/qdq_passes.h"

namespace preon {
namespace {

// Nodes in front of where the Softmax stood, named after it.
class Bfloat16Nodes {
 public:
  Bfloat16Nodes(Graph& graph, const Node& softmax) : graph_(graph), at_(&softmax), base_(softmax.name) {}

  std::string Add(const std::string& op, std::vector<std::string> inputs,
                  const std::map<std::string, AttributeValue>& attributes = {}) {
    const std::string name = StrCat(base_, "/", op);
    Node* node = graph_.AddNode(op, std::move(inputs), {graph_.UniqueTensorName(name + "_output")},
                                graph_.UniqueNodeName(name), "", at_);
    node->attributes = attributes;
    return node->output();
  }
  std::string Constant(float value) {
    const std::string name = graph_.UniqueTensorName(base_ + "/constant");
    graph_.SetInitializer(name, Tensor::ScalarFloat(value));
    return name;
  }
  std::string Round(const std::string& x) {
    return Add("Cast", {Add("Cast", {x}, {{"to", static_cast<int64_t>(DataType::kBFloat16)}})},
               {{"to", static_cast<int64_t>(DataType::kFloat)}});
  }
  std::string RoundedMul(const std::string& a, const std::string& b) { return Round(Add("Mul", {a, b})); }
  // B(a b + c)
  std::string MulAdd(const std::string& a, const std::string& b, const std::string& c) {
    return Round(Add("Add", {Add("Mul", {a, b}), c}));
  }

 private:
  Graph& graph_;
  const Node* at_;
  const std::string base_;
};

// 1/ln 2 and ln 2 in bfloat16.
constexpr float kLog2OfE = 1.4453125f, kLnOf2 = 0.69140625f;
constexpr float kSquare = 0.21875f, kLinear = 0.486328125f;

void WriteDpuSoftmax(Graph& graph, Node& softmax, int64_t opset) {
  constexpr int64_t kAxesAreInputs = 13;
  const int64_t axis = softmax.Int("axis", -1);
  Bfloat16Nodes nodes(graph, softmax);
  const std::string one = nodes.Constant(1), x = nodes.Round(softmax.input(0));
  const std::string k = nodes.Add("Floor", {nodes.RoundedMul(x, nodes.Constant(kLog2OfE))});
  const std::string r = nodes.Round(nodes.Add("Sub", {x, nodes.RoundedMul(k, nodes.Constant(kLnOf2))}));
  const std::string a = nodes.MulAdd(r, nodes.Constant(kSquare), nodes.Constant(kLinear));
  const std::string c = nodes.MulAdd(r, nodes.MulAdd(r, a, one), one);
  const std::string power = nodes.Round(nodes.Add("Pow", {nodes.Constant(2), k}));
  const std::string e = nodes.RoundedMul(power, c);
  std::vector<std::string> summed = {e};
  std::map<std::string, AttributeValue> attributes = {{"keepdims", int64_t{1}}};
  if (opset >= kAxesAreInputs) {
    summed.push_back(graph.UniqueTensorName(softmax.name + "/axes"));
    graph.SetInitializer(summed.back(), Tensor::FromInt64s({1}, std::vector<int64_t>{axis}));
  } else {
    attributes["axes"] = std::vector<int64_t>{axis};
  }
  const std::string sum = nodes.Round(nodes.Add("ReduceSum", summed, attributes));
  const std::string rounded =
      nodes.Add("Cast", {nodes.Add("Div", {e, sum})}, {{"to", static_cast<int64_t>(DataType::kBFloat16)}});
  softmax.op_type = "Cast";
  softmax.attributes = {{"to", static_cast<int64_t>(DataType::kFloat)}};
  graph.SetInputs(&softmax, {rounded});
}

class DpuSoftmax final : public QdqPass {
 public:
  std::string_view name() const override { return "dpu_softmax"; }
  std::vector<std::string_view> aliases() const override { return {"ConvertSoftmaxToDPUVersion"}; }
  std::string_view summary() const override {
    return "Softmax becomes the approximation in bfloat16 that the DPU computes";
  }
  bool WantedBy(const QuantPlan& plan) const override { return plan.dpu.softmax; }
  bool changes_results() const override { return true; }

  Result<Effect> Apply(Model& model, const QuantPlan& plan, std::vector<std::string>& warnings) const override {
    constexpr int64_t kCastsToBFloat16 = 13;
    const QuantizedNodes quantized(plan);
    std::vector<Node*> nodes;
    for (const auto& node : model.graph.nodes()) {
      if (node->Is("Softmax") && quantized.Contains(*node)) nodes.push_back(node.get());
    }
    if (nodes.empty()) return Effect::kUnchanged;
    if (model.opset() < kCastsToBFloat16) {
      warnings.push_back(
          StrCat("ConvertSoftmaxToDPUVersion: Softmax stays as it is: bfloat16 needs opset 13, the model has ",
                 model.opset(), "; --opset raises it"));
      return Effect::kUnchanged;
    }
    for (Node* node : nodes) WriteDpuSoftmax(model.graph, *node, model.opset());
    return Effect::kChanged;
  }
};

}  // namespace

std::unique_ptr<QdqPass> MakeDpuSoftmaxPass() { return std::make_unique<DpuSoftmax>(); }

}  // namespace preon

// qdq: integer operators that carry scales and zero points themselves become float operators between pairs.
//
// Before:      y = QLinearConv(x, …, W, …, b)
// After:       y = QuantizeLinear(Conv(DequantizeLinear(x), DequantizeLinear(W), DequantizeLinear(b)))
// Conditions:  scales and zero points are constant. What a runtime computes by itself (DynamicQuantizeLinear,
//              ConvInteger, DynamicQuantizeLSTM) stays, with a warning.
// Formula:     a bias in int32 has the scale of its products.
// Operators:   those that `qoperator` makes; what only moves codes (MaxPool, Reshape, Pad, …) and ArgMax behind them
// Why:         a model in this form is what this and other tools read, fit, rewrite and compile.

#include <algorithm>
#include <array>

#include "ir/model_io.h"
#include "passes/support/rewrite.h"
#include "quantize/qdq_passes/code_groups.h"
#include "quantize/qdq_passes/qdq_passes.h"

namespace preon {
namespace {

constexpr std::string_view kUnknown = "its scales and zero points are not constant, or of another type";
constexpr int64_t kChannelOpset = 13;  // the first whose DequantizeLinear takes a scale per channel

// Where an operator has codes, scale and zero point of a tensor among its inputs.
struct Place {
  size_t codes, scale, zero_point;
};

struct ResultPlace {
  size_t scale, zero_point;
};

// An integer operator and the float operator that it computes.
struct IntegerOperator {
  std::string_view name, float_name;
  std::vector<Place> data;
  std::optional<ResultPlace> result;  // absent, or no such input: its result is float
  size_t bias = 0;                    // int32, of the products' scale; 0 = none
  size_t leading = 0;                 // inputs in front that stay as they are
};

const std::vector<IntegerOperator>& Operators() {
  static const std::vector<IntegerOperator> kOperators = {
      {"QLinearConv", "Conv", {{0, 1, 2}, {3, 4, 5}}, ResultPlace{6, 7}, 8},
      {"QLinearMatMul", "MatMul", {{0, 1, 2}, {3, 4, 5}}, ResultPlace{6, 7}},
      {"QGemm", "Gemm", {{0, 1, 2}, {3, 4, 5}}, ResultPlace{7, 8}, 6},
      {"MatMulIntegerToFloat", "MatMul", {{0, 2, 4}, {1, 3, 5}}, std::nullopt},
      {"QLinearAdd", "Add", {{0, 1, 2}, {3, 4, 5}}, ResultPlace{6, 7}},
      {"QLinearMul", "Mul", {{0, 1, 2}, {3, 4, 5}}, ResultPlace{6, 7}},
      {"QLinearWhere", "Where", {{1, 2, 3}, {4, 5, 6}}, ResultPlace{7, 8}, 0, 1},
      {"QLinearSigmoid", "Sigmoid", {{0, 1, 2}}, ResultPlace{3, 4}},
      {"QLinearLeakyRelu", "LeakyRelu", {{0, 1, 2}}, ResultPlace{3, 4}},
      {"QLinearSoftmax", "Softmax", {{0, 1, 2}}, ResultPlace{3, 4}},
      {"QLinearAveragePool", "AveragePool", {{0, 1, 2}}, ResultPlace{3, 4}},
      {"QLinearGlobalAveragePool", "GlobalAveragePool", {{0, 1, 2}}, ResultPlace{3, 4}},
  };
  return kOperators;
}

// Of QLinearConcat, whose data follow the parameters of its result.
IntegerOperator ConcatOf(const Node& node) {
  IntegerOperator concat{"QLinearConcat", "Concat", {}, ResultPlace{0, 1}};
  for (size_t index = 2; index + 2 < node.inputs().size(); index += 3)
    concat.data.push_back({index, index + 1, index + 2});
  return concat;
}

std::optional<IntegerOperator> OperatorOf(const Node& node) {
  if (node.op_type == "QLinearConcat") return ConcatOf(node);
  const auto known = std::ranges::find(Operators(), std::string_view(node.op_type), &IntegerOperator::name);
  return known == Operators().end() ? std::nullopt : std::optional(*known);
}

bool ComputesInIntegers(const Node& node) {
  constexpr std::array kOthers = {"ConvInteger", "MatMulInteger", "DynamicQuantizeMatMul", "DynamicQuantizeLSTM",
                                  "QAttention",  "QGemm",         "MatMulIntegerToFloat"};
  return node.op_type.starts_with("QLinear") || std::ranges::find(kOthers, node.op_type) != kOthers.end();
}

// Scale and zero point of codes, by name.
struct Params {
  std::string scale, zero_point;
};

class Restorer {
 public:
  Restorer(Graph& graph, std::vector<std::string>& warnings) : graph_(graph), warnings_(warnings) {}

  Effect Run() {
    std::vector<Node*> nodes;
    for (const auto& node : graph_.nodes()) nodes.push_back(node.get());
    Effect effect = Effect::kUnchanged;
    for (Node* node : nodes) {
      if (node->op_type == "QuantizeLinear") {
        if (IsKnownScale(node->input(1))) params_[node->output()] = {node->input(1), node->input(2)};
      } else if (const auto of = OperatorOf(*node)) {
        const std::string why = Restore(*node, *of);
        if (why.empty())
          effect = Effect::kChanged;
        else
          WarnStays(*node, why);
      } else if (ReadsCodes(*node)) {
        effect = Effect::kChanged;
        MoveFloats(*node);
      } else if (ComputesInIntegers(*node)) {
        WarnStays(*node, "preon has no float form of it");
      }
    }
    return effect;
  }

 private:
  // Models of other tools also have scales of other types, and such that are computed.
  bool IsKnownScale(const std::string& tensor) const {
    const Tensor* scale = graph_.Initializer(tensor);
    return scale != nullptr && scale->type() == DataType::kFloat && scale->count() > 0;
  }
  bool AreKnown(const std::string& scale, const std::string& zero_point) const {
    return IsKnownScale(scale) && graph_.Initializer(zero_point) != nullptr;
  }

  void WarnStays(const Node& node, std::string_view why) {
    warnings_.push_back(StrCat("qdq: node '", node.name, "' stays ", node.op_type, ": ", why));
  }

  // Why the node has no float form; empty where it got one.
  std::string Restore(Node& node, const IntegerOperator& of) {
    for (const Place& place : of.data) {
      if (!AreKnown(node.input(place.scale), node.input(place.zero_point))) return std::string(kUnknown);
    }
    const bool has_result = of.result && !node.input(of.result->scale).empty();
    if (has_result && !AreKnown(node.input(of.result->scale), node.input(of.result->zero_point)))
      return std::string(kUnknown);
    if (node.Int("channels_last", 0) != 0) return "its data have channels last";
    if (node.op_type == "QLinearSoftmax" && JoinsAxes(node)) return "it takes all axes from one on as one axis";
    if (node.op_type == "MatMulIntegerToFloat" && !node.input(6).empty()) return "it has a bias";
    const Params result =
        has_result ? Params{node.input(of.result->scale), node.input(of.result->zero_point)} : Params{};
    std::vector<std::string> inputs(node.inputs().begin(), node.inputs().begin() + static_cast<int64_t>(of.leading));
    for (const Place& place : of.data)
      inputs.push_back(Dequantized(node.input(place.codes), {node.input(place.scale), node.input(place.zero_point)},
                                   AxisOf(node, place)));
    if (of.bias != 0 && !node.input(of.bias).empty()) inputs.push_back(Bias(node, of));
    std::map<std::string, AttributeValue> attributes = node.attributes;
    for (const char* own : {"channels_last", "opset"}) attributes.erase(own);
    Become(graph_, node, std::string(of.float_name), std::move(inputs), std::move(attributes));
    if (has_result) Quantize(node, 0, result);
    return "";
  }

  // As Softmax did before opset 13, which the node tells by itself.
  bool JoinsAxes(const Node& node) const {
    const int64_t axis = node.Int("axis", -1);
    const std::optional<Shape> shape = graph_.ShapeOf(node.input(0));
    const bool is_last = axis == -1 || (shape && axis == std::ssize(*shape) - 1);
    return node.Int("opset", 13) < 13 && !is_last;
  }

  // Where a weight has several scales.
  int64_t AxisOf(const Node& node, const Place& place) const {
    if (graph_.Initializer(node.input(place.scale))->count() == 1) return 0;
    if (node.op_type == "QLinearConv" || (node.op_type == "QGemm" && node.Int("transB", 0) != 0)) return 0;
    return -1;
  }

  // One for all readers of the same codes.
  std::string Dequantized(const std::string& codes, const Params& params, int64_t axis) {
    auto [known, is_new] = dequantized_.try_emplace(codes + '\n' + params.scale + '\n' + params.zero_point);
    if (is_new) {
      known->second = graph_.UniqueTensorName(codes + "_dequantized");
      Node* node = graph_.AddNode("DequantizeLinear", {codes, params.scale, params.zero_point}, {known->second},
                                  graph_.UniqueNodeName(codes + "_DequantizeLinear"));
      if (graph_.Initializer(params.scale)->count() > 1) node->attributes["axis"] = axis;
    }
    return known->second;
  }

  std::string Bias(const Node& node, const IntegerOperator& of) {
    const std::string& codes = node.input(of.bias);
    const float data = graph_.Initializer(node.input(of.data[0].scale))->floats()[0];
    const Tensor& weight = *graph_.Initializer(node.input(of.data[1].scale));
    Tensor scale = Tensor::Allocate(DataType::kFloat, weight.count() == 1 ? Shape{} : Shape{weight.count()});
    const double alpha = node.Float("alpha", 1);
    std::ranges::transform(weight.floats(), scale.Mutable<float>().begin(),
                           [&](float each) { return static_cast<float>(alpha * data * each); });
    const Params params{graph_.UniqueTensorName(codes + "_scale"), graph_.UniqueTensorName(codes + "_zero_point")};
    graph_.SetInitializer(params.zero_point, Tensor::Allocate(DataType::kInt32, scale.shape()));
    graph_.SetInitializer(params.scale, std::move(scale));
    return Dequantized(codes, params, 0);
  }

  // Output `index` of the node, which was codes, is float; a QuantizeLinear makes the codes.
  void Quantize(Node& node, size_t index, const Params& params) {
    const std::string codes = node.output(index);
    std::string base = codes;
    for (const std::string_view ending : {"_quantized", "_q"}) {
      if (base.size() > ending.size() && base.ends_with(ending)) base.resize(base.size() - ending.size());
    }
    const std::string values = graph_.UniqueTensorName(base);
    graph_.SetOutput(&node, index, values);
    graph_.AddNode("QuantizeLinear", {values, params.scale, params.zero_point}, {codes},
                   graph_.UniqueNodeName(codes + "_QuantizeLinear"));
    params_[codes] = params;
  }

  bool ReadsCodes(const Node& node) const {
    const auto params = params_.find(node.input(0));
    if (params == params_.end()) return false;
    return MovesElements(node) || node.Is("ArgMax") ||
           (node.Is("Pad") && PadsWithZero(node, params->second.zero_point));
  }

  // Codes that stand for 0, or those that are there.
  bool PadsWithZero(const Node& node, const std::string& zero_point) const {
    return node.String("mode", "constant") != "constant" || SameConstant(graph_, node.input(2), zero_point);
  }

  void MoveFloats(Node& node) {
    const Params params = params_.at(node.input(0));
    graph_.SetInput(&node, 0, Dequantized(node.input(0), params, 0));
    if (node.Is("ArgMax")) return;
    if (node.Is("Pad")) graph_.SetInput(&node, 2, "");  // 0
    for (size_t index = 0; index < node.outputs().size(); ++index) Quantize(node, index, params);
  }

  Graph& graph_;
  std::vector<std::string>& warnings_;
  std::map<std::string, Params> params_;            // of codes that activations have
  std::map<std::string, std::string> dequantized_;  // codes with their parameters -> values
};

class Qdq final : public QdqPass {
 public:
  std::string_view name() const override { return "qdq"; }
  std::string_view summary() const override {
    return "integer operators with scales of their own (QLinearConv and others) become float operators between pairs";
  }
  bool changes_results() const override { return true; }

  Result<Effect> Apply(Model& model, const QuantPlan&, std::vector<std::string>& warnings) const override {
    const auto has_codes = [&](const auto& node) {
      const Node* quantize = node->Is("Pad") ? model.graph.Producer(node->input(0)) : nullptr;
      return ComputesInIntegers(*node) || (quantize != nullptr && quantize->op_type == "QuantizeLinear");
    };
    const bool any = std::ranges::any_of(model.graph.nodes(), has_codes);
    if (!any) return Effect::kUnchanged;
    if (model.opset() < kChannelOpset) PREON_RETURN_IF_ERROR(ConvertOpset(model, kChannelOpset));
    PREON_RETURN_IF_ERROR(model.graph.SortTopologically());
    return Restorer(model.graph, warnings).Run();
  }
};

}  // namespace

std::unique_ptr<QdqPass> MakeQdqPass() { return std::make_unique<Qdq>(); }

}  // namespace preon

// qoperator: groups that a runtime would fuse become integer operators that carry scales and zero points themselves.
//
// Before:      y = QuantizeLinear(Conv(DequantizeLinear(x), DequantizeLinear(W), DequantizeLinear(b)))
// After:       y = QLinearConv(x, …, W, …, b)
// Conditions:  bytes; one scale per tensor but for weights; types as the kernels have them; alpha and beta 1.
// Everything
//              else stays float between Q and DQ.
// Formula:     a bias has the scale of its products: codes of another scale are rounded to it, unless they would not
// fit Operators:   QLinearConv, QLinearMatMul; com.microsoft QGemm, MatMulIntegerToFloat (no Q behind), QLinearAdd,
//              QLinearMul, QLinearSigmoid, QLinearLeakyRelu, QLinearSoftmax, QLinearAveragePool,
//              QLinearGlobalAveragePool, QLinearConcat, QLinearWhere; what only moves values (MaxPool, Reshape, Resize,
//              …) and ArgMax run on the codes. Nodes keep their names; outputs are those of the Q/DQ model as ONNX
//              Runtime optimizes it.

#include <algorithm>
#include <array>

#include "formats/quark_operators.h"
#include "passes/support/rewrite.h"
#include "quantize/qdq_passes/code_groups.h"
#include "quantize/qdq_passes/qdq_passes.h"
#include "quantize/qdq_passes/qoperator_bias.h"

namespace preon {
namespace {

using Attributes = std::map<std::string, AttributeValue>;

// The integer operator that takes a node's place; with `codes` it writes what the QuantizeLinear behind the node wrote.
struct Form {
  std::string op, domain;
  std::vector<std::string> inputs;
  Attributes attributes;
  bool writes_codes = true;
};

class Converter {
 public:
  Converter(Model& model, Compat compat) : model_(model), graph_(model.graph), compat_(compat) {}

  Effect Run() {
    Effect effect = Effect::kUnchanged;
    std::vector<Node*> nodes;
    for (const auto& node : graph_.nodes()) nodes.push_back(node.get());
    for (Node* node : nodes) {
      if (IsGone(node)) continue;
      if (std::optional<Form> form = FormOf(*node))
        Replace(*node, std::move(*form));
      else if (Moves(*node))
        MoveCodes(*node);
      else if (!node->Is("ArgMax") || !ReadCodes(*node))
        continue;
      effect = Effect::kChanged;
    }
    for (Node* quantizer : gone_) graph_.RemoveNode(quantizer);
    RemoveUnusedDequantizers();
    return effect;
  }

 private:
  bool IsGone(const Node* node) const { return std::ranges::find(gone_, node) != gone_.end(); }

  // What the node reads and writes as codes with one scale; nullopt where it does not.
  std::optional<CodedTensor> Read(const Node& node, size_t index) const {
    std::optional<CodedTensor> coded = DequantizedFrom(graph_, node.input(index));
    if (!coded || !coded->is_byte() || !coded->per_tensor()) return std::nullopt;
    return coded;
  }
  std::optional<CodedTensor> Written(const Node& node, size_t index = 0) const {
    std::optional<CodedTensor> coded = QuantizedInto(graph_, node.output(index));
    if (!coded || !coded->is_byte() || !coded->per_tensor()) return std::nullopt;
    return coded;
  }
  // A weight with one scale, or one per index of `axis`.
  std::optional<CodedTensor> ReadWeight(const Node& node, int64_t axis) const {
    std::optional<CodedTensor> coded = DequantizedFrom(graph_, node.input(1));
    if (!coded || !coded->is_byte()) return std::nullopt;
    const std::optional<Shape> shape = graph_.ShapeOf(coded->codes);
    const auto rank = static_cast<int64_t>(shape ? shape->size() : 0);
    const bool along = (coded->axis + rank) % std::max<int64_t>(rank, 1) == axis && rank > axis;
    return coded->per_tensor() || along ? coded : std::nullopt;
  }
  // The kernels have u8·u8, u8·s8 and s8·s8.
  static bool HasKernel(const CodedTensor& data, const CodedTensor& weight) {
    return data.type == DataType::kUInt8 || weight.type == DataType::kInt8;
  }

  std::optional<Form> FormOf(const Node& node) {
    if (!node.domain.empty()) return std::nullopt;
    if (node.op_type == "Conv") return ConvForm(node);
    if (node.op_type == "MatMul") return MatMulForm(node);
    if (node.op_type == "Gemm") return GemmForm(node);
    if (node.op_type == "Add" || node.op_type == "Mul") return PairForm(node);
    if (node.op_type == "Concat") return ConcatForm(node);
    if (node.op_type == "Where") return WhereForm(node);
    return ElementForm(node);
  }

  std::optional<Form> ConvForm(const Node& node) {
    const auto x = Read(node, 0), w = ReadWeight(node, 0), y = Written(node);
    if (!x || !w || !y || x->type != y->type || !HasKernel(*x, *w)) return std::nullopt;
    Form form{"QLinearConv",
              "",
              {x->codes, x->scale, x->zero_point, w->codes, w->scale, w->zero_point, y->scale, y->zero_point},
              node.attributes};
    if (!AddBias(node.input(2), *x, *w, form)) return std::nullopt;
    return form;
  }

  bool AddBias(const std::string& bias, const CodedTensor& data, const CodedTensor& weight, Form& form) {
    if (bias.empty()) return true;
    const std::optional<std::string> codes = BiasCodes(graph_, bias, data, weight);
    if (codes) form.inputs.push_back(*codes);
    return codes.has_value();
  }

  std::optional<Form> MatMulForm(const Node& node) {
    const auto a = Read(node, 0), b = ReadWeight(node, 1);
    if (!a || !b || !HasKernel(*a, *b)) return std::nullopt;
    if (const auto y = Written(node)) {
      if (y->type != a->type) return std::nullopt;
      return Form{"QLinearMatMul",
                  "",
                  {a->codes, a->scale, a->zero_point, b->codes, b->scale, b->zero_point, y->scale, y->zero_point},
                  {}};
    }
    if (OnlyQuantizer(graph_, node.output()) != nullptr) return std::nullopt;
    return Form{"MatMulIntegerToFloat",
                kContribDomain,
                {a->codes, b->codes, a->scale, b->scale, a->zero_point, b->zero_point},
                {},
                false};
  }

  std::optional<Form> GemmForm(const Node& node) {
    if (node.Float("alpha", 1) != 1 || node.Float("beta", 1) != 1) return std::nullopt;
    const auto a = Read(node, 0), b = ReadWeight(node, node.Int("transB", 0) != 0 ? 0 : 1), y = Written(node);
    if (!a || !b || !HasKernel(*a, *b) || (y && y->type != a->type)) return std::nullopt;
    if (!y && OnlyQuantizer(graph_, node.output()) != nullptr) return std::nullopt;
    Form form{"QGemm",
              kContribDomain,
              {a->codes, a->scale, a->zero_point, b->codes, b->scale, b->zero_point},
              {},
              y.has_value()};
    for (const char* name : {"transA", "transB"}) {
      if (node.Has(name)) form.attributes[name] = node.Int(name, 0);
    }
    if (!AddBias(node.input(2), *a, *b, form)) return std::nullopt;
    if (!y) return form;
    if (node.input(2).empty()) form.inputs.emplace_back();
    form.inputs.insert(form.inputs.end(), {y->scale, y->zero_point});
    return form;
  }

  std::optional<Form> PairForm(const Node& node) {
    const auto a = Read(node, 0), b = Read(node, 1), y = Written(node);
    if (!a || !b || !y || a->type != b->type || a->type != y->type) return std::nullopt;
    return Form{"QLinear" + node.op_type,
                kContribDomain,
                {a->codes, a->scale, a->zero_point, b->codes, b->scale, b->zero_point, y->scale, y->zero_point},
                {}};
  }

  std::optional<Form> ConcatForm(const Node& node) {
    const auto y = Written(node);
    if (!y) return std::nullopt;
    Form form{"QLinearConcat", kContribDomain, {y->scale, y->zero_point}, node.attributes};
    for (size_t index = 0; index < node.inputs().size(); ++index) {
      const auto x = Read(node, index);
      if (!x || x->type != y->type) return std::nullopt;
      form.inputs.insert(form.inputs.end(), {x->codes, x->scale, x->zero_point});
    }
    return form;
  }

  std::optional<Form> WhereForm(const Node& node) {
    const auto x = Read(node, 1), y = Read(node, 2), z = Written(node);
    if (!x || !y || !z || x->type != y->type || x->type != z->type) return std::nullopt;
    return Form{
        "QLinearWhere",
        kContribDomain,
        {node.input(0), x->codes, x->scale, x->zero_point, y->codes, y->scale, y->zero_point, z->scale, z->zero_point},
        {}};
  }

  // Operators of one tensor with a scale of its own at either end.
  std::optional<Form> ElementForm(const Node& node) {
    constexpr std::array kOperators = {"Sigmoid", "LeakyRelu", "Softmax", "AveragePool", "GlobalAveragePool"};
    if (std::ranges::find(kOperators, node.op_type) == kOperators.end()) return std::nullopt;
    const auto x = Read(node, 0), y = Written(node);
    if (!x || !y || x->type != y->type || node.Has("dilations")) return std::nullopt;
    Form form{"QLinear" + node.op_type,
              kContribDomain,
              {x->codes, x->scale, x->zero_point, y->scale, y->zero_point},
              node.attributes};
    if (node.op_type == "Softmax") {
      form.attributes["axis"] = node.Int("axis", model_.opset() < 13 ? 1 : -1);
      form.attributes["opset"] = model_.opset();
      // ONNX Runtime's quantizer goes by what a Softmax can reach, not by what it did.
      if (compat_ == Compat::kOnnxRuntime && y->type == DataType::kUInt8) {
        graph_.SetInitializer(y->scale, Tensor::ScalarFloat(1.0f / 256));
        graph_.SetInitializer(y->zero_point, Tensor::From<uint8_t>(DataType::kUInt8, {}, std::vector<uint8_t>{0}));
      }
    }
    return form;
  }

  void Replace(Node& node, Form form) {
    if (!form.domain.empty()) model_.opsets.emplace(form.domain, 1);
    Become(graph_, node, form.op, std::move(form.inputs), std::move(form.attributes), form.domain);
    if (form.writes_codes) TakeCodes(node, 0);
  }

  // The node writes what the QuantizeLinear behind its output wrote.
  void TakeCodes(Node& node, size_t output) {
    Node* quantizer = OnlyQuantizer(graph_, node.output(output));
    const std::string codes = quantizer->output();
    graph_.SetOutput(quantizer, 0, graph_.UniqueTensorName(codes + "_unused"));
    graph_.SetInput(quantizer, 0, "");
    graph_.SetOutput(&node, output, codes);
    gone_.push_back(quantizer);
  }

  bool Moves(const Node& node) const {
    if (!MovesElements(node)) return false;
    if (node.op_type == "Resize" && node.String("mode", "nearest") != "nearest") return false;
    if (node.op_type == "MaxPool" && (model_.opset() < 12 || node.outputs().size() > 1)) return false;
    const auto x = Read(node, 0);
    const auto same = [&](size_t index) {
      const auto y = Written(node, index);
      return y && SameMeaning(graph_, *x, *y);
    };
    for (size_t index = 0; x && index < node.outputs().size(); ++index) {
      if (!same(index)) return false;
    }
    return x.has_value();
  }

  void MoveCodes(Node& node) {
    ReadCodes(node);
    for (size_t index = 0; index < node.outputs().size(); ++index) TakeCodes(node, index);
  }

  bool ReadCodes(Node& node) {
    const auto x = Read(node, 0);
    if (x) graph_.SetInput(&node, 0, x->codes);
    return x.has_value();
  }

  void RemoveUnusedDequantizers() {
    std::vector<Node*> unused;
    for (const auto& node : graph_.nodes()) {
      if (node->op_type == "DequantizeLinear" && graph_.UseCount(node->output()) == 0) unused.push_back(node.get());
    }
    for (Node* node : unused) graph_.RemoveNode(node);
  }

  Model& model_;
  Graph& graph_;
  const Compat compat_;
  std::vector<Node*> gone_;  // quantizers whose codes other nodes write now
};

class QOperator final : public QdqPass {
 public:
  std::string_view name() const override { return "qoperator"; }
  std::string_view summary() const override {
    return "integer operators with scales of their own (QLinearConv and others): --format qoperator";
  }
  bool changes_results() const override { return true; }

  Result<Effect> Apply(Model& model, const QuantPlan& plan, std::vector<std::string>&) const override {
    PREON_RETURN_IF_ERROR(model.graph.SortTopologically());
    return Converter(model, plan.compat).Run();
  }
};

}  // namespace

std::unique_ptr<QdqPass> MakeQOperatorPass() { return std::make_unique<QOperator>(); }

}  // namespace preon

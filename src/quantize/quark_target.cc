// Target quark: the reference's layout for NPU compilers (its base QDQ quantizer): every operator of a fixed list gets
// Q/DQ on its tensors, whether or not a CPU kernel gains by it. Rules: spec qdq §3-§5, options §7, graph-passes §5.1.
#include <algorithm>
#include <array>
#include <set>

#include "quantize/op_traits.h"
#include "quantize/overrides.h"
#include "quantize/passthrough.h"
#include "quantize/plan.h"
#include "quantize/selection.h"

namespace preon {
namespace {

constexpr std::array kQuantizedOps = {
    "ArgMax",  "Conv",      "Gemm",    "MatMul",  "Add",       "Mul",    "Relu",    "Clip",   "LeakyRelu", "Sigmoid",
    "MaxPool", "GlobalAveragePool",    "Split",   "Pad",       "Reshape", "Squeeze", "Unsqueeze", "Resize", "AveragePool",
    "Concat",  "Softmax",   "Where",   "Gather",  "Transpose", "ConvTranspose",     "Tanh",   "Gelu",
    "InstanceNormalization", "LayerNormalization"};
constexpr std::array kSharers = {"Reshape", "Transpose", "Squeeze", "Unsqueeze", "AveragePool", "MaxPool", "Resize"};
constexpr std::array kActivationsBehindKernels = {"Relu", "Clip", "LeakyRelu", "PRelu"};
constexpr std::array kKernels = {"Conv", "Add", "MaxPool", "AveragePool", "GlobalAveragePool", "MatMul", "Gemm", "ConvTranspose"};

constexpr std::array kTypes = {DataType::kInt8, DataType::kUInt8, DataType::kInt16, DataType::kUInt16};

template <typename Names>
bool Contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class Marker {
 public:
  Marker(const Graph& graph, const PlanOptions& options) : graph_(graph), options_(options), selection_(options) {}

  Result<QuantPlan> Run() {
    plan_.target = "quark";
    plan_.compat = options_.compat;
    plan_.warnings = selection_.WithoutEffect(graph_);
    plan_.dequantize_for_all_readers = true;
    for (const auto& node : graph_.nodes()) {
      NodeDecision decision{node->name, node->op_type, FloatReason::kNone, "", NodeMacs(graph_, *node)};
      if (selection_.Excludes(*node)) {
        decision.reason = FloatReason::kExcluded;
        decision.detail = "excluded by the user";
      } else if (const auto left = options_.left_float.find(node->name); left != options_.left_float.end()) {
        decision.reason = left->second;
        decision.detail = LeftFloatDetail(left->second);
      } else if (!node->domain.empty() || !Contains(kQuantizedOps, node->op_type)) {
        decision.reason = FloatReason::kNoKernel;
        decision.detail = "operator type " + node->op_type + " is not in the target's list";
      } else {
        Mark(*node);
      }
      plan_.nodes.push_back(std::move(decision));
    }
    InheritRanges(graph_, options_, &plan_);
    PREON_RETURN_IF_ERROR(CheckParams(plan_));
    WarnOfIdleOverrides(options_, &plan_);
    return std::move(plan_);
  }

 private:
  bool Symmetric() const { return options_.activation_symmetric.value_or(options_.activation == DataType::kInt8); }
  IntFormat ActivationFormat() const { return {options_.activation, Symmetric()}; }
  bool IsConstant(const std::string& tensor) const { return graph_.Initializer(tensor) != nullptr; }
  bool Marked(const std::string& tensor) const { return plan_.activations.count(tensor) > 0 || annotated_.count(tensor) > 0; }

  bool IsFloat(const std::string& tensor) const {
    const DataType type = graph_.TypeOf(tensor);
    return type == DataType::kFloat || type == DataType::kUndefined;
  }

  // Output of a kernel that one activation function reads: the pair belongs behind that function.
  bool Annotated(const Node& node) const {
    const std::string& output = node.output();
    if (!Contains(kKernels, node.op_type) || graph_.UseCount(output) != 1 || graph_.IsOutput(output)) return false;
    const Use reader = graph_.Uses(output)[0];
    if (reader.captured || reader.input != 0 || !Contains(kActivationsBehindKernels, reader.node->op_type)) return false;
    if (!reader.node->Is("Clip")) return true;
    const std::optional<Range> bounds = ClampRange(graph_, *reader.node);
    return bounds && bounds->min == 0 && (bounds->max == 6 || bounds->max == 1);
  }

  void MarkActivation(const std::string& tensor, const std::string& shares = "") {
    if (tensor.empty() || !IsFloat(tensor)) return;
    ActivationPlan activation{ActivationFormat(), options_.scale_type};
    if (!shares.empty()) {
      const auto provider = plan_.activations.find(shares);
      if (provider != plan_.activations.end()) activation.shares = provider->second.shares.empty() ? shares : provider->second.shares;
    }
    const auto own = options_.overrides.find(tensor);
    if (own != options_.overrides.end()) {
      activation.shares.clear();
      ApplyOverride(own->second, activation);
    }
    plan_.activations.try_emplace(tensor, std::move(activation));
  }

  // A tensor that an operator reads: constants take the activation's type, or the weight's for weights.
  void MarkInput(const Node& node, size_t index, bool weight = false, int axis = -1) {
    const std::string& tensor = node.input(index);
    if (tensor.empty() || !IsFloat(tensor)) return;
    if (!IsConstant(tensor)) return MarkActivation(tensor);
    if (graph_.Initializer(tensor)->type() != DataType::kFloat) return;
    WeightPlan& plan = plan_.weights[tensor];
    if (plan.nodes.empty()) {
      plan.format = weight ? IntFormat{options_.weight, IntFormat{options_.weight}.q_min() < 0} : ActivationFormat();
      plan.scale_type = weight ? options_.scale_type_of_weights() : options_.scale_type;
      plan.rule = options_.weight_rule;
      plan.axis = axis;
      const auto own = options_.overrides.find(tensor);
      if (own != options_.overrides.end()) ApplyOverride(own->second, plan);
    }
    if (plan.axis != axis) plan.axis = -1;
    plan.nodes.push_back(node.name);
  }

  void MarkOutput(const Node& node) {
    if (Annotated(node)) {
      annotated_.insert(node.output());
    } else {
      for (const std::string& output : node.outputs()) MarkActivation(output);
    }
  }

  void MarkShared(const Node& node) {
    if (!Marked(node.input(0))) return;
    for (const std::string& output : node.outputs()) MarkActivation(output, node.input(0));
  }

  void Mark(const Node& node) {
    const std::string& type = node.op_type;
    if (type == "Conv" || type == "ConvTranspose" || type == "Gemm") return MarkLinear(node);
    if (type == "MatMul") {
      MarkInput(node, 0);
      MarkInput(node, 1, true, options_.per_channel ? WeightAxis(graph_, node) : -1);
      return MarkOutput(node);
    }
    if (type == "Relu" || type == "Clip") return MarkClamp(node);
    if (Contains(kSharers, type)) return MarkShared(node);
    if (type == "Gather") {
      if (IsConstant(node.input(0))) MarkInput(node, 0);
      return IsConstant(node.input(0)) ? MarkActivation(node.output()) : MarkShared(node);
    }
    if (type == "Split") {
      MarkInput(node, 0);
      return MarkShared(node);
    }
    if (type == "Where") {
      if (Marked(node.input(1)) && Marked(node.input(2))) MarkActivation(node.output());
      return;
    }
    if (type == "InstanceNormalization" || type == "LayerNormalization") {
      MarkInput(node, 0);
      MarkInput(node, 1, true);
      MarkInput(node, 2, true);
      return MarkActivation(node.output());
    }
    for (size_t index = 0; index < node.inputs().size(); ++index) MarkInput(node, index);
    MarkOutput(node);
    if (type == "Softmax") {
      ActivationPlan& output = plan_.activations[node.output()];
      if (output.source == RangeSource::kObserved) output.fixed = {0, 1};   // an override's range stays
      output.source = RangeSource::kFixed;
    }
  }

  void MarkLinear(const Node& node) {
    const bool grouped_transpose = node.Is("ConvTranspose") && node.Int("group", 1) > 1;
    const int axis = node.Is("ConvTranspose") ? 1 : WeightAxis(graph_, node);
    MarkInput(node, 0);
    MarkInput(node, 1, true, options_.per_channel && !grouped_transpose ? axis : -1);
    if (!node.input(2).empty() && IsConstant(node.input(2)) && IsConstant(node.input(1))) {
      plan_.biases.push_back({node.name, node.input(2), node.input(0), node.input(1)});
    } else if (!node.input(2).empty() && !IsConstant(node.input(2))) {
      MarkActivation(node.input(2));
    }
    MarkOutput(node);
  }

  void MarkClamp(const Node& node) {
    const std::string& input = node.input(0);
    if (!Marked(input)) return;
    const bool sole_reader = graph_.UseCount(input) == 1 && graph_.Producer(input) != nullptr && !graph_.IsOutput(input);
    if (!Symmetric() && sole_reader && ClampRange(graph_, node)) {
      plan_.activations.erase(input);
      plan_.folded_clamps.push_back(node.name);
    }
    MarkActivation(node.output());
  }

  const Graph& graph_;
  const PlanOptions& options_;
  const Selection selection_;
  QuantPlan plan_;
  std::set<std::string> annotated_;
};

// Before opset 21 ONNX's Q/DQ nodes hold bytes only.
bool WantsSixteenBits(const PlanOptions& options) {
  const auto sixteen = [](DataType type) { return type == DataType::kInt16 || type == DataType::kUInt16; };
  return sixteen(options.activation) || sixteen(options.weight) ||
         std::ranges::any_of(options.overrides, [&](const auto& entry) { return entry.second.type && sixteen(*entry.second.type); });
}

class QuarkTarget final : public Target {
 public:
  std::string_view name() const override { return "quark"; }
  std::string_view summary() const override { return "the layout that NPU compilers expect: Q/DQ around every listed operator"; }
  int64_t RequiredOpset(const PlanOptions& options) const override {
    return WantsSixteenBits(options) ? 21 : options.per_channel ? 13 : 10;
  }

  Status Prepare(Model&, const PlanOptions&) const override { return Status::Ok(); }

  Result<QuantPlan> Plan(const Model& model, const PlanOptions& options) const override {
    PREON_RETURN_IF_ERROR(CheckTypes(name(), kTypes, options));
    return Marker(model.graph, options).Run();
  }
};

}  // namespace

std::unique_ptr<Target> MakeQuarkTarget() { return std::make_unique<QuarkTarget>(); }

}  // namespace preon

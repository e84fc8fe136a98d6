#include "quantize/targets/dynamic/dynamic_planner.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "formats/quark_operators.h"
#include "ir/sub_graphs.h"
#include "quantize/plan/check_plan.h"
#include "quantize/plan/macs.h"
#include "quantize/settings/node_selection.h"
#include "quantize/settings/tensor_settings.h"

namespace preon {
namespace {

// Below these integers gain no time (measured: docs/design/dynamic.md): a MatMul's pass over its input for the range
// and one more dispatch; an LSTM's codes of each step; a table's rows that are decoded.
constexpr double kMinMacs = 30e3;
constexpr int64_t kMinRecurrentWeights = 100'000, kMinTable = 16'384;
// A scale per row would take a good part of what shorter rows save.
constexpr int64_t kMinRow = 16;
constexpr double kUnknownSteps = 64;

constexpr std::array kDynamicOps = {"MatMul", "LSTM", "Gather", "Attention", "EmbedLayerNormalization"};

struct Verdict {
  FloatReason reason = FloatReason::kNone;
  std::string_view detail;
};

class DynamicPlanner {
 public:
  DynamicPlanner(const Model& model, const PlanOptions& options)
      : model_(model),
        graph_(model.graph),
        options_(options),
        selection_(options.exclude, options.op_list.selection.nodes),
        as_others_(options.compat != Compat::kOff) {
    plan_.target = "dynamic";
    plan_.compat = options.compat;
    plan_.warnings = selection_.WithoutEffect(graph_);
  }

  Result<QuantPlan> Run() {
    PREON_RETURN_IF_ERROR(PlanBodies());
    Decide(/*keep_small=*/false);
    if (!plan_.is_dynamic() && small_ > 0) {
      plan_.nodes.clear();
      Decide(/*keep_small=*/true);
      plan_.warnings.emplace_back("all nodes with weights are small: quantizing them saves memory but little time");
    }
    PREON_RETURN_IF_ERROR(CheckPlan(plan_));
    return std::move(plan_);
  }

 private:
  // Bodies of Loop and Scan: weights in there are worth as much as others.
  Status PlanBodies() {
    if (as_others_ && !options_.op_list.selection.sub_graphs) return Status::Ok();
    const bool has_bodies = std::ranges::any_of(graph_.nodes(), [](const auto& node) { return node->HasSubgraph(); });
    if (!has_bodies) return Status::Ok();
    Model copy = model_;
    const auto plan_body = [&](Model& body) -> Status {
      DynamicPlanner planner(body, options_);
      PREON_RETURN_IF_ERROR(planner.PlanBodies());
      planner.Decide(/*keep_small=*/false);
      QuantPlan& plan = plan_.bodies.emplace_back(std::move(planner.plan_));
      plan_.dynamic.in_bodies += static_cast<int>(plan.dynamic.nodes.size()) + plan.dynamic.in_bodies;
      return CheckPlan(plan);
    };
    PREON_RETURN_IF_ERROR(EditSubGraphs(copy, plan_body));
    if (plan_.dynamic.in_bodies > 0) {
      plan_.warnings.push_back(
          StrCat(plan_.dynamic.in_bodies,
                 " nodes in bodies of Loop and Scan also compute in integers; the report does not list them"));
    }
    return Status::Ok();
  }

  void Decide(bool keep_small) {
    for (const auto& node : graph_.nodes()) {
      Verdict verdict = Judge(*node);
      if (verdict.reason == FloatReason::kNone && !as_others_ && IsSmall(*node)) {
        ++small_;
        if (!keep_small)
          verdict = {FloatReason::kNoGain,
                     "too small: computing the scale in each run would cost more than INT8 gains"};
      }
      plan_.nodes.push_back({node->name, node->op_type, verdict.reason, std::string(verdict.detail), Macs(*node)});
      if (verdict.reason != FloatReason::kNone) continue;
      plan_.dynamic.nodes.push_back(node->name);
      PlanConstants(*node);
    }
  }

  Verdict Judge(const Node& node) const {
    const bool contrib = node.domain == kContribDomain;
    const bool known = node.Is("MatMul") || node.Is("Conv") || node.Is("LSTM") || node.Is("Gather") ||
                       (contrib && (node.op_type == "Attention" || node.op_type == "EmbedLayerNormalization"));
    if (!known) return {FloatReason::kNoKernel, "this target has no integer operator for it"};
    if (selection_.Excludes(node)) return {FloatReason::kExcluded, "excluded by the user"};
    if (const auto left = options_.left_float.find(node.name); left != options_.left_float.end())
      return {left->second, LeftFloatDetail(left->second)};
    if (!IsWanted(node)) return {FloatReason::kExcluded, "not among the nodes to quantize"};
    const bool in_branch = node.home && !node.home->if_node.empty();
    if (as_others_ && in_branch && !options_.op_list.selection.sub_graphs)
      return {FloatReason::kSubgraph, "inside a branch of an If, which other tools do not quantize"};
    if (node.Is("MatMul")) return JudgeConstant(node, 1, 2);
    if (node.Is("Gather")) return JudgeConstant(node, 0, 1);
    if (node.Is("Conv")) return JudgeConv(node);
    if (node.Is("LSTM")) return JudgeLstm(node);
    return node.op_type == "Attention" ? JudgeAttention(node) : JudgeEmbedding(node);
  }

  // By operator type and name, as the user chose them.
  bool IsWanted(const Node& node) const {
    const SelectionOptions& wanted = options_.op_list.selection;
    // What is left of a Gemm here was written as one.
    const auto asked = [&](const std::vector<std::string>& types) {
      return Contains(types, node.op_type) || (node.Is("MatMul") && Contains(types, "Gemm"));
    };
    const bool by_default = Contains(kDynamicOps, node.op_type) || (as_others_ && node.Is("Conv"));
    const bool type = wanted.all_op_types || asked(wanted.extra_op_types) ||
                      (wanted.op_types.empty() ? by_default || node.Is("Conv") : asked(wanted.op_types));
    const auto named = [&](const std::string& name) { return Contains(wanted.nodes, name); };
    return type && (wanted.nodes.empty() || named(node.name) || std::ranges::any_of(node.origins, named));
  }

  Verdict JudgeConstant(const Node& node, size_t input, size_t min_rank) const {
    const Tensor* constant = graph_.Initializer(node.input(input));
    if (constant == nullptr) return {FloatReason::kNotConstant, "the weight is computed, not constant"};
    if (constant->type() != DataType::kFloat) return {FloatReason::kType, "the weight is not float32"};
    if (constant->shape().size() < min_rank) return {FloatReason::kAttributes, "the weight has too few dimensions"};
    if (constant->count() == 0) return {FloatReason::kAttributes, "the weight is empty"};
    const auto finite = [](float value) { return std::isfinite(value); };
    if (!std::ranges::all_of(constant->floats(), finite))
      return {FloatReason::kType, "the weight holds NaN or infinity"};
    return {};
  }

  Verdict JudgeConv(const Node& node) const {
    const SelectionOptions& wanted = options_.op_list.selection;
    const bool asked = as_others_ || wanted.all_op_types || Contains(wanted.extra_op_types, "Conv") ||
                       Contains(wanted.op_types, "Conv");
    if (!asked)
      return {FloatReason::kNoGain, "the runtime's convolution with scales computed in each run is slower than float"};
    const std::string& bias = node.input(2);
    if (!bias.empty() && graph_.Initializer(bias) == nullptr)
      return {FloatReason::kNotConstant, "the bias is computed, not constant"};
    return JudgeConstant(node, 1, 3);
  }

  Verdict JudgeLstm(const Node& node) const {
    if (node.Int("layout", 0) != 0) return {FloatReason::kAttributes, "the integer operator does not support layout=1"};
    const Verdict input = JudgeConstant(node, 1, 3);
    return input.reason == FloatReason::kNone ? JudgeConstant(node, 2, 3) : input;
  }

  Verdict JudgeAttention(const Node& node) const {
    constexpr std::array kKept = {"num_heads", "unidirectional", "mask_filter_value", "do_rotary",
                                  "past_present_share_buffer"};
    for (const auto& [name, value] : node.attributes) {
      if (!Contains(kKept, name)) return {FloatReason::kAttributes, "has an attribute that QAttention lacks"};
    }
    if (!node.input(5).empty() || !node.input(6).empty())
      return {FloatReason::kAttributes, "has an input that QAttention lacks"};
    if (node.input(2).empty()) return {FloatReason::kAttributes, "has no bias, which QAttention needs"};
    return JudgeConstant(node, 1, 2);
  }

  Verdict JudgeEmbedding(const Node& node) const {
    const auto& outputs = node.outputs();
    if (outputs.size() > 2 && !outputs[2].empty())
      return {FloatReason::kAttributes, "has an output that QEmbedLayerNormalization lacks"};
    for (const size_t index : {2, 3, 4, 5, 6}) {
      const Verdict verdict = JudgeConstant(node, index, 1);
      if (verdict.reason != FloatReason::kNone) return verdict;
    }
    return {};
  }

  bool IsSmall(const Node& node) const {
    if (node.Is("Gather")) return graph_.Initializer(node.input(0))->count() < kMinTable;
    if (node.Is("LSTM")) return RecurrentWeights(node) < kMinRecurrentWeights;
    if (!node.Is("MatMul")) return false;
    const double macs = NodeMacs(graph_, node);
    const auto weights =
        static_cast<double>(graph_.Initializer(node.input(1))->count());  // one row, where shapes are unknown
    return (macs > 0 ? macs : weights) < kMinMacs;
  }

  int64_t RecurrentWeights(const Node& node) const {
    int64_t count = 0;
    for (const size_t index : {1, 2}) {
      if (const Tensor* weight = graph_.Initializer(node.input(index))) count += weight->count();
    }
    return count;
  }

  double Macs(const Node& node) const {
    if (!node.Is("LSTM")) return NodeMacs(graph_, node);
    const std::optional<Shape> data = graph_.ShapeOf(node.input(0));
    const double steps = data && !data->empty() && (*data)[0] >= 0 ? static_cast<double>((*data)[0]) : kUnknownSteps;
    return steps * static_cast<double>(RecurrentWeights(node));
  }

  void PlanConstants(const Node& node) {
    const DataType type = options_.weight.type();
    const IntFormat weight{type, type == DataType::kInt8, options_.op_list.reduce_range};
    const bool per_channel = options_.per_channel;
    if (node.Is("MatMul")) {
      const bool matrix = graph_.Initializer(node.input(1))->shape().size() == 2;
      AddConstant(node, 1, weight, per_channel && matrix ? 1 : -1);
    } else if (node.Is("Conv")) {
      // The operator takes one zero point.
      AddConstant(node, 1, weight, per_channel && weight.symmetric && !as_others_ ? 0 : -1);
    } else if (node.Is("LSTM")) {
      // The operator wants the zero point in the middle.
      const IntFormat gates{as_others_ ? DataType::kInt8 : type, true, weight.reduce_range};
      for (const size_t index : {1, 2}) AddConstant(node, index, gates, per_channel ? 1 : 0);
    } else if (node.Is("Gather")) {
      const Shape& table = graph_.Initializer(node.input(0))->shape();
      const int64_t axis = node.Int("axis", 0);
      const bool rows =
          per_channel && !as_others_ && table.size() == 2 && (axis == 0 || axis == -2) && table[1] >= kMinRow;
      AddConstant(node, 0, rows ? IntFormat{DataType::kInt8, true} : IntFormat{DataType::kUInt8}, rows ? 0 : -1);
    } else if (node.op_type == "Attention") {
      AddConstant(node, 1, weight, per_channel ? 1 : -1);
    } else {
      for (const size_t index : {2, 3, 4, 5, 6}) AddConstant(node, index, {DataType::kUInt8}, -1);
    }
  }

  void AddConstant(const Node& node, size_t index, IntFormat format, int axis) {
    const auto [entry, fresh] = plan_.weights.try_emplace(node.input(index));
    WeightPlan& weight = entry->second;
    if (fresh) {
      weight.format = format;
      weight.scale_type = options_.scale_type_of_weights();
      weight.rule = options_.weight_rule;
      weight.axis = axis;
      const auto own = options_.settings.overrides.find(node.input(index));
      if (own != options_.settings.overrides.end()) ApplyOverride(own->second, {.channel = axis}, weight);
    }
    weight.nodes.push_back(node.name);
  }

  const Model& model_;
  const Graph& graph_;
  const PlanOptions& options_;
  const Selection selection_;
  const bool as_others_;  // as other tools place it
  QuantPlan plan_;
  int small_ = 0;
};

}  // namespace

Result<QuantPlan> PlanDynamic(const Model& model, const PlanOptions& options) {
  return DynamicPlanner(model, options).Run();
}

}  // namespace preon

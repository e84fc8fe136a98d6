#include "quantize/targets/op_list/precision_borders.h"

#include <algorithm>
#include <span>

namespace preon {
namespace {

// What a pair makes of a tensor.
struct Precision {
  IntFormat format;
  std::optional<BlockPlan> block;
  std::optional<QuantParams> params;  // of halves, which are rounded as they are

  TensorType type() const { return block ? TensorType(block->spec) : TensorType(format.type); }
};

template <typename Pair>
Precision PrecisionOf(const Pair& pair) {
  Precision precision{pair.format, pair.block, std::nullopt};
  if (!pair.block && IsHalf(pair.format.type)) precision.params = pair.params;
  return precision;
}

class PrecisionBorders {
 public:
  PrecisionBorders(const Graph& graph, const TensorType& activation, const TensorSettings& settings, QuantPlan& plan)
      : graph_(graph), activation_(activation), settings_(settings), plan_(plan) {}

  void Run() {
    if (plan_.mixes_types && plan_.compat == Compat::kQuark) NameBlocks();
    for (const NodeDecision& decision : plan_.nodes) {
      if (decision.reason != FloatReason::kNone) continue;
      const Node* node = graph_.FindNode(decision.node);
      if (std::optional<Precision> own = OwnPrecision(*node)) own_.emplace(node, *std::move(own));
    }
    for (const auto& node : graph_.nodes()) {  // writers first: what shares a tensor's scale comes behind it
      for (const std::string& output : node->outputs()) changed_ = Widen(output, node.get()) || changed_;
    }
    for (const std::string& input : graph_.inputs()) changed_ = Widen(input, nullptr) || changed_;
    if (!changed_)
      plan_.warnings.push_back("EnableDualQuantNodePairs: has no effect: no node has tensors of different types");
  }

 private:
  // --- Which type ----------------------------------------------------------------------------------------------
  // The pair in front of all second ones.
  Precision First(const std::string& tensor) const {
    const ActivationPlan& plan = plan_.activations.at(tensor);
    if (plan.shares.empty()) return PrecisionOf(plan);
    if (const auto table = plan_.weights.find(plan.shares); table != plan_.weights.end())
      return PrecisionOf(table->second);
    const auto owner = plan_.activations.find(plan.shares);
    if (owner == plan_.activations.end()) return PrecisionOf(plan);
    return plan.shares_converted ? PrecisionOf(owner->second.converts[*plan.shares_converted]) : First(plan.shares);
  }

  // Index of the second pair that a node reads.
  std::optional<size_t> ConvertOf(const std::string& tensor, const Node& reader) const {
    const std::vector<ConvertPlan>& converts = plan_.activations.at(tensor).converts;
    const auto reads = [&](const ConvertPlan& convert) {
      return convert.nodes.empty() || convert.nodes.contains(reader.name);
    };
    const auto found = std::ranges::find_if(converts, reads);
    if (found == converts.end()) return std::nullopt;
    return static_cast<size_t>(found - converts.begin());
  }

  Precision SeenBy(const Node& reader, const std::string& tensor) const {
    const std::optional<size_t> convert = ConvertOf(tensor, reader);
    return convert ? PrecisionOf(plan_.activations.at(tensor).converts[*convert]) : First(tensor);
  }

  // Is a type set for the tensor, or for the one whose scale it shares?
  bool HasOwnType(const std::string& tensor) const {
    const auto wanted = settings_.overrides.find(tensor);
    if (wanted != settings_.overrides.end() && (wanted->second.type || !wanted->second.converts.empty())) return true;
    const std::string& owner = plan_.activations.at(tensor).shares;
    return !owner.empty() && plan_.activations.contains(owner) && HasOwnType(owner);
  }

  std::optional<Precision> OwnPrecision(const Node& node) const {
    const bool by_default = !settings_.layer_nodes.empty() && !settings_.layer_nodes.contains(node.name);
    const auto matches = [&](const std::string& tensor, const Precision& seen) {
      const bool set = HasOwnType(tensor) && seen.type() != activation_;
      return set != by_default;
    };
    for (const std::string& input : node.inputs()) {
      if (!MayMeet(input)) continue;
      if (const Precision seen = SeenBy(node, input); matches(input, seen)) return seen;
    }
    for (const std::string& output : node.outputs()) {
      if (!MayMeet(output)) continue;
      if (const Precision written = First(output); matches(output, written)) return written;
    }
    return std::nullopt;
  }

  // Can types meet at the tensor? Where a search mixes them, fused nodes stay fused: rounding in between is a loss.
  bool MayMeet(const std::string& tensor) const {
    const auto found = plan_.activations.find(tensor);
    return found != plan_.activations.end() && (found->second.pair || !plan_.mixes_types);
  }

  // --- Names of Quark ------------------------------------------------------------------------------------------
  // Its mixed precision renames the node at each layer that it changes.
  void NameBlocks() {
    for (auto& [tensor, plan] : plan_.activations) {
      if (!plan.block) continue;
      plan.block->suffix = "_Mixed_fn";
      bool first = true;
      for (const Use& use : graph_.Uses(tensor)) {
        if (!settings_.layer_nodes.contains(use.node->name)) continue;
        if (!first) plan.block->suffix += "_Mixed";
        first = false;
      }
    }
  }

  // What the nodes of a pair begin with that stands between a node's input or output `index` and node `other`.
  std::string AddedAt(const std::string& tensor, const Node& node, std::span<const std::string> tensors,
                      const std::string& other) const {
    if (plan_.compat != Compat::kQuark) return "";
    return StrCat(tensor, "_", node.name, "_", std::ranges::find(tensors, tensor) - tensors.begin(), "_", other);
  }

  // --- Second pairs --------------------------------------------------------------------------------------------
  const Precision& WantedBy(const Node* node, const Precision& otherwise) const {
    const auto own = node == nullptr ? own_.end() : own_.find(node);
    return own == own_.end() ? otherwise : own->second;
  }

  static ConvertPlan SecondPair(const Precision& precision, ScaleType scale_type) {
    return {.format = precision.format, .block = precision.block, .scale_type = scale_type, .params = precision.params};
  }

  // True where the tensor got a pair more.
  bool Widen(const std::string& tensor, const Node* writer) {
    const auto found = plan_.activations.find(tensor);
    if (!MayMeet(tensor)) return false;
    ActivationPlan& plan = found->second;
    const Precision before = First(tensor);
    const Precision& first = WantedBy(writer, before);
    const bool moves = first.type() != before.type();
    std::vector<std::pair<Precision, std::set<std::string>>> groups;  // readers of other types than the first pair's
    size_t staying = plan.converts.size();
    for (const Use& use : graph_.Uses(tensor)) {
      if (ConvertOf(tensor, *use.node)) continue;
      const Precision& wanted = use.captured ? before : WantedBy(use.node, before);
      if (wanted.type() == first.type()) {
        ++staying;
        continue;
      }
      const auto same =
          plan_.compat == Compat::kQuark && (wanted.type() != before.type() || !moves)
              ? groups.end()
              : std::ranges::find(groups, wanted.type(), [](const auto& group) { return group.first.type(); });
      (same != groups.end() ? *same : groups.emplace_back(wanted, std::set<std::string>()))
          .second.insert(use.node->name);
    }
    if (moves && groups.empty() && staying == 0)
      groups.emplace_back(before, std::set<std::string>());  // an output of the graph
    if (!moves && groups.empty()) return false;
    const std::optional<QuantParams> given = plan.params;
    if (moves) {
      const std::string own =
          before.block ? StrCat(tensor, "_DequantizeLinear", before.block->suffix) : tensor + "_QuantizeLinear";
      plan.added = AddedAt(tensor, *writer, writer->outputs(), own);
      MoveTo(first, plan);
    }
    for (const auto& [precision, readers] : groups) {
      ConvertPlan& second = plan.converts.emplace_back(SecondPair(precision, plan.scale_type));
      const bool as_before = precision.type() == before.type();
      if (as_before) second.params = given;
      const bool all = moves && as_before && groups.size() == 1 && staying == 0;  // the graph's output, too
      if (!all) second.nodes = readers;
      if (readers.size() != 1 || (moves && as_before)) continue;
      const Node& reader = *graph_.FindNode(*readers.begin());
      second.added = AddedAt(tensor, reader, reader.inputs(), reader.name);
      if (second.block) second.block->suffix.clear();
    }
    plan.pair = true;
    FollowSharers(tensor, before);
    return true;
  }

  static void MoveTo(const Precision& first, ActivationPlan& plan) {
    plan.format = first.format;
    plan.block = first.block;
    if (plan.block) plan.block->suffix.clear();
    plan.params = first.params;
    plan.shares.clear();
    plan.shares_converted.reset();
  }

  // Who takes the tensor's scale takes the one that its own writer reads.
  void FollowSharers(const std::string& tensor, const Precision& before) {
    const std::vector<ConvertPlan>& converts = plan_.activations.at(tensor).converts;
    for (auto& [name, sharer] : plan_.activations) {
      if (sharer.shares != tensor || sharer.shares_converted) continue;
      const Node* reader = graph_.Producer(name);
      const bool direct = reader != nullptr && std::ranges::count(reader->inputs(), tensor) > 0;
      if (direct) {
        sharer.shares_converted = ConvertOf(tensor, *reader);
      } else {
        const auto same = std::ranges::find_if(
            converts, [&](const ConvertPlan& c) { return PrecisionOf(c).type() == before.type(); });
        if (same != converts.end()) sharer.shares_converted = static_cast<size_t>(same - converts.begin());
      }
      if (!sharer.shares_converted) continue;
      sharer.format = converts[*sharer.shares_converted].format;
      if (converts[*sharer.shares_converted].block) MoveTo(PrecisionOf(converts[*sharer.shares_converted]), sharer);
    }
  }

  const Graph& graph_;
  const TensorType& activation_;
  const TensorSettings& settings_;
  QuantPlan& plan_;
  std::map<const Node*, Precision> own_;
  bool changed_ = false;
};

}  // namespace

void PlanPrecisionBorders(const Graph& graph, const TensorType& activation, const TensorSettings& settings,
                          QuantPlan* plan) {
  PrecisionBorders(graph, activation, settings, *plan).Run();
}

}  // namespace preon

#include "quantize/layers.h"

#include <algorithm>
#include <array>

#include "quantize/op_traits.h"
#include "quantize/selection.h"

namespace preon {
namespace {

enum class Role { kInput, kWeight, kBias, kOutput };

constexpr std::array kWithBias = {"Conv", "ConvTranspose", "Gemm", "InstanceNormalization", "LayerNormalization", "BatchNormalization"};

// The part that input `index` plays for its operator.
Role RoleOf(const Graph& graph, const Node& node, size_t index) {
  if (graph.Initializer(node.input(index)) == nullptr) return Role::kInput;
  return index == 2 && std::ranges::find(kWithBias, node.op_type) != kWithBias.end() ? Role::kBias : Role::kWeight;
}

const std::optional<TensorOverride>& Of(const LayerOverride& layer, Role role) {
  if (role == Role::kInput) return layer.input;
  if (role == Role::kWeight) return layer.weight;
  return role == Role::kBias ? layer.bias : layer.output;
}

ConvertOverride ConvertTo(const TensorType& type, const TensorOverride& wanted) {
  return {.type = type, .symmetric = wanted.symmetric, .range = wanted.range, .params = wanted.params};
}

class Layers {
 public:
  Layers(const Graph& graph, const PlanOptions& options) : graph_(graph), options_(options), selection_(options) {}

  std::map<std::string, TensorOverride> Run() const {
    return options_.compat == Compat::kOff ? WithBorders() : LaterWins();
  }

 private:
  bool Applies(const LayerOverride& layer, const Node& node) const {
    const NodeSelectors& selectors = layer.selectors;
    const bool all = selectors.patterns.empty() && selectors.op_types.empty() && selectors.sub_graphs.empty();
    return all || StandsForOne(node, selectors.nodes);
  }

  // What all layers together say of the node's tensors in this role; nothing where it is left out anyway.
  std::optional<TensorOverride> Wanted(const Node& node, Role role) const {
    std::optional<TensorOverride> wanted;
    if (selection_.Excludes(node)) return wanted;
    for (const LayerOverride& layer : options_.layers) {
      const std::optional<TensorOverride>& own = Of(layer, role);
      if (own && Applies(layer, node)) wanted = Merged(*own, wanted.value_or(TensorOverride()));
    }
    return wanted;
  }

  bool IsFloat(const std::string& tensor) const {
    const DataType type = graph_.TypeOf(tensor);
    return !tensor.empty() && (type == DataType::kFloat || type == DataType::kUndefined);
  }

  void AddConstants(const Node& node, std::map<std::string, TensorOverride>* overrides) const {
    for (size_t index = 0; index < node.inputs().size(); ++index) {
      const std::string& tensor = node.input(index);
      if (!IsFloat(tensor) || graph_.Initializer(tensor) == nullptr) continue;
      const Role role = RoleOf(graph_, node, index);
      std::optional<TensorOverride> wanted = Wanted(node, role);
      if (!wanted) continue;
      if (wanted->per_channel && !wanted->axis) wanted->axis = *wanted->per_channel ? role == Role::kBias ? 0 : WeightAxis(graph_, node) : -1;
      TensorOverride& own = (*overrides)[tensor];
      own = Merged(*wanted, own);
    }
  }

  // As in the reference: of all settings for a tensor that of the node further down counts.
  std::map<std::string, TensorOverride> LaterWins() const {
    std::map<std::string, TensorOverride> overrides;
    const auto add = [&](const std::string& tensor, const std::optional<TensorOverride>& wanted) {
      if (wanted && IsFloat(tensor)) overrides[tensor] = Merged(*wanted, overrides[tensor]);
    };
    for (const auto& node : graph_.nodes()) {
      for (const std::string& input : node->inputs())
        if (graph_.Initializer(input) == nullptr) add(input, Wanted(*node, Role::kInput));
      AddConstants(*node, &overrides);
      for (const std::string& output : node->outputs()) add(output, Wanted(*node, Role::kOutput));
    }
    return overrides;
  }

  std::map<std::string, TensorOverride> WithBorders() const {
    std::map<std::string, TensorOverride> overrides;
    for (const std::string& input : graph_.inputs()) AddActivation(nullptr, input, &overrides);
    for (const auto& node : graph_.nodes()) {
      AddConstants(*node, &overrides);
      for (const std::string& output : node->outputs()) AddActivation(node.get(), output, &overrides);
    }
    return overrides;
  }

  // A tensor has its producer's type; readers of other types get pairs of their own. What no quantized node writes has the
  // type of its readers, where they agree.
  void AddActivation(const Node* producer, const std::string& tensor, std::map<std::string, TensorOverride>* overrides) const {
    if (!IsFloat(tensor)) return;
    std::vector<std::pair<const Node*, TensorOverride>> readers;
    bool any = false;
    for (const Use& use : graph_.Uses(tensor)) {
      if (use.captured || selection_.Excludes(*use.node)) continue;
      std::optional<TensorOverride> wanted = Wanted(*use.node, Role::kInput);
      any = any || wanted;
      readers.emplace_back(use.node, wanted.value_or(TensorOverride()));
    }
    const bool written = producer != nullptr && !selection_.Excludes(*producer);
    const std::optional<TensorOverride> written_as = written ? Wanted(*producer, Role::kOutput) : std::nullopt;
    if (!any && !written_as) return;
    const auto type_of = [&](const TensorOverride& wanted) { return wanted.type.value_or(options_.activation); };
    TensorOverride own = written_as.value_or(TensorOverride());
    if (!written && std::ranges::all_of(readers, [&](const auto& reader) { return type_of(reader.second) == type_of(readers[0].second); }))
      own.type = readers.empty() ? own.type : readers[0].second.type;
    for (const auto& [node, wanted] : readers) {
      const TensorType type = type_of(wanted);
      if (type == type_of(own)) {
        own = Merged(own, wanted);
        continue;
      }
      const auto same = std::ranges::find(own.converts, type, &ConvertOverride::type);
      (same != own.converts.end() ? *same : own.converts.emplace_back(ConvertTo(type, wanted))).nodes.insert(node->name);
    }
    (*overrides)[tensor] = own;
  }

  const Graph& graph_;
  const PlanOptions& options_;
  const Selection selection_;
};

}  // namespace

TensorOverride Merged(const TensorOverride& over, const TensorOverride& under) {
  TensorOverride merged = over;
  const auto fill = [](auto& field, const auto& other) {
    if (!field) field = other;
  };
  fill(merged.type, under.type);
  fill(merged.symmetric, under.symmetric);
  fill(merged.scale_type, under.scale_type);
  fill(merged.method, under.method);
  fill(merged.per_channel, under.per_channel);
  fill(merged.axis, under.axis);
  fill(merged.block_size, under.block_size);
  fill(merged.reduce_range, under.reduce_range);
  const bool fixed = over.range || over.params || !over.channel_ranges.empty() || !over.channel_params.empty();
  if (!fixed) {
    merged.range = under.range;
    merged.params = under.params;
    merged.channel_ranges = under.channel_ranges;
    merged.channel_params = under.channel_params;
  }
  if (over.converts.empty()) merged.converts = under.converts;
  return merged;
}

PlanOptions WithLayers(const Graph& graph, PlanOptions options) {
  const auto put_under = [&](const std::map<std::string, TensorOverride>& weaker) {
    for (auto [tensor, wanted] : weaker) {
      TensorOverride& own = options.overrides[tensor];
      if (own.type) wanted.converts.clear();   // whoever gives the tensor a type gives it to all readers
      own = Merged(own, wanted);
    }
  };
  if (!options.layers.empty()) put_under(Layers(graph, options).Run());
  put_under(options.base_overrides);
  options.layers.clear();
  options.base_overrides.clear();
  return options;
}

Result<QuantPlan> PlanWithLayers(const Target& target, const Model& model, const PlanOptions& options) {
  return target.Plan(model, WithLayers(model.graph, options));
}

}  // namespace preon

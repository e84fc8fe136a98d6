#include "quantize/settings/layer_selection.h"

#include <algorithm>
#include <memory>

#include "base/spelling.h"
#include "base/text.h"
#include "ir/model_io.h"
#include "quantize/plan/op_traits.h"
#include "quantize/settings/tensor_settings.h"

namespace preon {
namespace {

const std::optional<TensorOverride>& Of(const LayerOverride& layer, LayerRole role) {
  if (role == LayerRole::kInput) return layer.input;
  if (role == LayerRole::kWeight) return layer.weight;
  return role == LayerRole::kBias ? layer.bias : layer.output;
}

// "'a'" or "'a' and 2 more".
std::string First(const std::vector<std::string>& names) {
  return StrCat("'", names[0], "'", names.size() > 1 ? StrCat(" and ", names.size() - 1, " more") : "");
}

}  // namespace

LayerRole LayerRoleOf(const Graph& graph, const Node& node, size_t index) {
  if (graph.Initializer(node.input(index)) == nullptr) return LayerRole::kInput;
  return index == 2 && HasBiasAtInput2(node) ? LayerRole::kBias : LayerRole::kWeight;
}

bool LayerSettingsOf::WasOfType(const Node& node, const std::string& op_type) const {
  return std::ranges::any_of(node.origins, [&](const std::string& origin) {
    const auto type = settings_.source_types.find(origin);
    return type != settings_.source_types.end() && type->second == op_type;
  });
}

LayerSettingsOf::Match LayerSettingsOf::MatchOf(const LayerOverride& layer, const Node& node) const {
  const NodeSelectors& selectors = layer.selectors;
  if (selectors.patterns.empty() && selectors.op_types.empty() && selectors.sub_graphs.empty())
    return Match::kEveryNode;
  if (Contains(selectors.op_types, node.op_type) || StandsForOne(node, selectors.nodes)) return Match::kNode;
  const bool was =
      std::ranges::any_of(selectors.op_types, [&](const std::string& type) { return WasOfType(node, type); });
  return was ? Match::kFormerType : Match::kNone;
}

std::optional<TensorOverride> LayerSettingsOf::Wanted(const Node& node, LayerRole role) const {
  std::optional<TensorOverride> wanted;
  for (const Match strength : {Match::kEveryNode, Match::kFormerType, Match::kNode}) {
    for (const LayerOverride& layer : settings_.layers) {
      const std::optional<TensorOverride>& own = Of(layer, role);
      if (own && MatchOf(layer, node) == strength) wanted = Merged(*own, wanted.value_or(TensorOverride()));
    }
  }
  return wanted;
}

std::string LayerSettingsOf::Numbers(const Node& node, bool constants) const {
  std::string numbers;
  for (size_t index = 0; index < settings_.layers.size(); ++index) {
    const LayerOverride& layer = settings_.layers[index];
    const Match match = !constants || layer.weight || layer.bias ? MatchOf(layer, node) : Match::kNone;
    if (match == Match::kNode || match == Match::kFormerType)
      numbers += StrCat(" ", index, match == Match::kNode ? "" : "?");
  }
  return numbers;
}

std::vector<std::string> LayerSettingsOf::WithoutEffect(const Graph& graph,
                                                        const std::vector<NodeDecision>& decisions) const {
  std::vector<std::string> warnings;
  const auto judge = [&](const std::string& selector, const std::function<bool(const Node&)>& selects) {
    std::vector<std::string> left;
    const NodeDecision* first = nullptr;
    for (const NodeDecision& decision : decisions) {
      const Node* node = graph.FindNode(decision.node);
      if (node == nullptr || !selects(*node)) continue;
      if (decision.reason == FloatReason::kNone || decision.reason == FloatReason::kExcluded) return;
      if (left.empty()) first = &decision;
      left.push_back(decision.node);
    }
    warnings.push_back(left.empty()
                           ? StrCat("layer of ", selector, " has no effect: graph rewrites removed or merged it")
                           : StrCat("layer of ", selector, " has no effect: ", First(left),
                                    left.size() == 1 ? " stays" : " stay", " float: ", first->detail));
  };
  for (const LayerOverride& layer : settings_.layers) {
    for (const std::string& pattern : layer.selectors.patterns)
      judge(StrCat("'", pattern, "'"), [&](const Node& node) { return NamePattern::Parse(pattern)->Matches(node); });
    for (const std::string& type : layer.selectors.op_types)
      judge(StrCat("operator type ", type),
            [&](const Node& node) { return node.op_type == type || WasOfType(node, type); });
    if (layer.selectors.patterns.empty() && !layer.selectors.sub_graphs.empty())
      judge("a sub-graph", [&](const Node& node) { return StandsForOne(node, layer.selectors.nodes); });
  }
  return warnings;
}

void WarnOfUnknownOperators(const Graph& rewritten, const std::vector<NamedTypes>& named,
                            std::vector<std::string>* warnings) {
  std::vector<std::string> known = OperatorTypes();
  for (const auto& node : rewritten.nodes()) known.push_back(node->op_type);
  for (const auto& [key, types] : named) {
    for (const std::string& type : types) {
      if (!Contains(known, type))
        warnings->push_back(StrCat(key, ": '", type, "' has no effect: neither the model nor ONNX has such an operator",
                                   DidYouMean(type, known)));
    }
  }
}

Status CheckOpTypes(const Graph& rewritten, const std::map<std::string, std::string>& source_types,
                    const std::vector<std::string>& exclude_types, std::string_view exclude_name,
                    const std::vector<LayerOverride>& layers) {
  std::vector<std::string> known;
  for (const auto& [node, type] : source_types) known.push_back(type);
  for (const auto& node : rewritten.nodes()) known.push_back(node->op_type);
  const auto check = [&](const std::vector<std::string>& types, std::string_view what) -> Status {
    for (const std::string& type : types) {
      if (Contains(known, type)) continue;
      std::vector<std::string> operators = OperatorTypes();
      if (Contains(operators, type)) continue;
      operators.insert(operators.begin(), known.begin(), known.end());
      const std::string meant = DidYouMean(type, operators);
      if (!meant.empty())
        return Error(ErrorId::kNameNotInModel, what, ": the model has no operator of type '", type, "'", meant);
    }
    return Status::Ok();
  };
  PREON_RETURN_IF_ERROR(check(exclude_types, exclude_name));
  for (size_t index = 0; index < layers.size(); ++index)
    PREON_RETURN_IF_ERROR(check(layers[index].selectors.op_types, StrCat("layer configuration ", index + 1)));
  return Status::Ok();
}

std::function<std::string(const Node&, std::string_view)> SettingsOf(const PlanOptions& options) {
  const bool excludes =
      !options.exclude.names.empty() || !options.exclude.types.empty() || !options.exclude.paths.nodes.empty();
  const bool selects =
      excludes || !options.op_list.selection.nodes.empty() || !options.op_list.pairs.no_output_nodes.empty();
  if (!selects && options.settings.layers.empty() && options.settings.overrides.empty()) return nullptr;
  const auto selection = std::make_shared<Selection>(options.exclude, options.op_list.selection.nodes);
  return [selection, &options](const Node& node, std::string_view constant) {
    if (options.settings.overrides.contains(std::string(constant))) return StrCat("= ", constant);
    // There a constant has one setting, whoever reads it.
    if (!constant.empty() && options.compat != Compat::kOff) return std::string();
    std::string settings = LayerSettingsOf(options.settings).Numbers(node, !constant.empty());
    settings += StrCat(" ", selection->Excludes(node), selection->Includes(node));
    if (!constant.empty()) return settings;
    for (const std::string& name : options.op_list.pairs.no_output_nodes)
      settings += name == node.name ? " silent" : "";
    for (const std::string& output : node.outputs())
      settings += options.settings.overrides.contains(output) ? " " + output : "";
    return settings;
  };
}

}  // namespace preon

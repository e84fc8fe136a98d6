// Which layers speak about a node, and what they say (docs/design/configuration.md).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "ir/graph.h"
#include "quantize/plan/plan_options.h"
#include "quantize/plan/quant_plan.h"
#include "quantize/settings/node_selection.h"

namespace preon {

/// The part that a tensor plays for a node.
enum class LayerRole { kInput, kWeight, kBias, kOutput };

/// Of input `index`: constants are weights, or biases where the operator has one there.
LayerRole LayerRoleOf(const Graph& graph, const Node& node, size_t index);

class LayerSettingsOf {
 public:
  explicit LayerSettingsOf(const TensorSettings& settings) : settings_(settings) {}

  /// What all layers together say of the node's tensors in this role; nullopt where none says anything. Weakest first:
  /// layers of every node, of the operator types that the node replaced (a folded BatchNormalization), all others;
  /// later ones over earlier ones.
  std::optional<TensorOverride> Wanted(const Node& node, LayerRole role) const;

  /// Numbers of the layers that speak about the node, or about a constant that it reads.
  std::string Numbers(const Node& node, bool constants) const;

  /// One warning for each name, pattern, type and sub-graph of which nothing is quantized in the end.
  std::vector<std::string> WithoutEffect(const Graph& graph, const std::vector<NodeDecision>& decisions) const;

 private:
  enum class Match { kNone, kEveryNode, kFormerType, kNode };
  Match MatchOf(const LayerOverride& layer, const Node& node) const;
  bool WasOfType(const Node& node, const std::string& op_type) const;

  const TensorSettings& settings_;
};

/// Are types that neither the user's model nor the rewritten one has misspelt? Lists of types are made for many models:
/// an operator of ONNX is right, and so is a name that resembles none. Errors: kNameNotInModel with the nearest type.
Status CheckOpTypes(const Graph& rewritten, const std::map<std::string, std::string>& source_types,
                    const std::vector<std::string>& exclude_types, std::string_view exclude_name,
                    const std::vector<LayerOverride>& layers);
/// Warns of types that neither the rewritten model nor ONNX has.
void WarnOfUnknownOperators(const Graph& rewritten, const std::vector<NamedTypes>& named,
                            std::vector<std::string>* warnings);

/// For PassEnv::settings_of; null where the options have no settings for single nodes or tensors. The options must live
/// as long.
std::function<std::string(const Node&, std::string_view)> SettingsOf(const PlanOptions& options);

}  // namespace preon

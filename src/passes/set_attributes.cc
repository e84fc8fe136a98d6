// set_attributes: attributes of nodes get other values.
//
// Before:      [leaky] y = LeakyRelu <alpha = 0.1> (x)
// After:       [leaky] y = LeakyRelu <alpha = 0.25> (x)
// Conditions:  of PassEnv::attributes; the node has the attribute, and the value has its type. Else an error.
// Formula:     -
// Why:         Quark's set_node_attributes.
#include "passes/set_attributes.h"
#include "base/spelling.h"
#include "passes/passes.h"

namespace preon {
namespace {

std::string_view KindOf(const AttributeValue& value) {
  constexpr std::string_view kKinds[] = {"a whole number", "a number with a decimal point", "text",  "a tensor",
                                         "whole numbers",  "numbers with decimal points",   "texts", "a graph"};
  return kKinds[value.index()];
}

}  // namespace

Result<Effect> ReplaceAttributes(Graph& graph, const std::vector<AttributeUpdate>& updates) {
  Effect effect = Effect::kUnchanged;
  for (const AttributeUpdate& update : updates) {
    Node* node = graph.FindNode(update.node);
    if (node == nullptr) {
      std::vector<std::string> names;
      for (const auto& each : graph.nodes()) names.push_back(each->name);
      return Error(ErrorId::kNameNotInModel, "set_node_attributes: no node '", update.node, "'",
                   DidYouMean(update.node, names));
    }
    const auto attribute = node->attributes.find(update.attribute);
    if (attribute == node->attributes.end()) {
      std::vector<std::string> names;
      for (const auto& [name, value] : node->attributes) names.push_back(name);
      return Error(ErrorId::kNameNotInModel, "set_node_attributes: node '", node->name, "' has no attribute '",
                   update.attribute, "'", DidYouMean(update.attribute, names));
    }
    if (attribute->second.index() != update.value.index())
      return Error(ErrorId::kBadOptionValue, "set_node_attributes: node '", node->name, "', attribute ",
                   update.attribute, ": got ", KindOf(update.value), ", wanted ", KindOf(attribute->second));
    attribute->second = update.value;
    effect = Effect::kChanged;
  }
  return effect;
}

namespace {

class SetAttributesPass final : public Pass {
 public:
  std::string_view name() const override { return "set_attributes"; }
  std::vector<std::string_view> aliases() const override { return {"set_node_attributes"}; }
  std::string_view summary() const override { return "attributes of nodes get the values that a list of passes says"; }
  bool on_by_default() const override { return false; }
  PassPhase phase() const override { return PassPhase::kSource; }

  Result<Effect> Apply(Model& model, const PassEnv& env) const override {
    return ReplaceAttributes(model.graph, env.attributes);
  }
};

}  // namespace

std::unique_ptr<Pass> MakeSetAttributesPass() { return std::make_unique<SetAttributesPass>(); }

}  // namespace preon

// deduplicate: what is there twice is there once.
//
// Before:      w1, w2 equal initializers;  a = Op(x, w1), b = Op(x, w2)
// After:       w1;                         a = Op(x, w1), readers of b read a
// Conditions:  initializers: same type, shape and bytes, read in the same single role (initializer_role.h), no biases.
//              nodes: same standard operator, attributes and inputs, no randomness, no sub-graph, not in branches that
//              exclude each other, nothing that the user set for one, or its readers, alone; b is not read in a
//              sub-graph and not a graph output beside a.
// Formula:     b = a
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "ir/if_scopes.h"
#include "passes/passes.h"
#include "passes/support/initializer_role.h"
#include "passes/support/match.h"
#include "passes/support/rewrite.h"

namespace preon {
namespace {

std::string_view AsText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool MergeInitializers(Graph& graph, const NodeSettings& settings_of) {
  // Keys point into tensors that stay: only initializers that are not in the map are removed.
  std::map<std::tuple<DataType, Shape, InitializerRole, std::string_view>, std::string> first;
  std::vector<std::string> names;
  for (const auto& [tensor, value] : graph.initializers()) names.push_back(tensor);
  bool changed = false;
  for (const std::string& tensor : names) {
    const Tensor* value = Constant(graph, tensor);
    const std::optional<InitializerRole> role = SingleRole(graph, tensor, settings_of);
    if (value == nullptr || value->type() == DataType::kString || !role.has_value() ||
        role->kind == InitializerRole::kBias)
      continue;
    const auto [kept, fresh] =
        first.try_emplace({value->type(), value->shape(), *role, AsText(value->bytes())}, tensor);
    if (fresh || graph.IsOutput(tensor) || graph.HasCapturedUse(tensor)) continue;
    graph.ReplaceUses(tensor, kept->second);
    graph.RemoveInitializer(tensor);
    changed = true;
  }
  return changed;
}

// Bytes that tell attribute values apart.
struct AttributeKey {
  std::string operator()(int64_t value) const { return StrCat("i", value); }
  std::string operator()(float value) const { return "f" + Bytes(std::span(&value, 1)); }
  std::string operator()(const std::string& value) const { return StrCat("s", value.size(), ":", value); }
  std::string operator()(const Tensor& value) const {
    std::string key = StrCat("t", DataTypeName(value.type()), ShapeToString(value.shape()));
    if (value.type() != DataType::kString) return key + std::string(AsText(value.bytes()));
    for (const std::string& text : value.strings()) key += (*this)(text);
    return key;
  }
  std::string operator()(const std::vector<int64_t>& values) const {
    return StrCat("I", values.size(), ":") + Bytes(std::span(values));
  }
  std::string operator()(const std::vector<float>& values) const {
    return StrCat("F", values.size(), ":") + Bytes(std::span(values));
  }
  std::string operator()(const std::vector<std::string>& values) const {
    std::string key = StrCat("S", values.size(), ":");
    for (const std::string& value : values) key += (*this)(value);
    return key;
  }
  std::string operator()(const OpaqueAttribute& value) const {
    return StrCat("o", value.serialized.size(), ":", value.serialized);
  }

  template <typename T>
  static std::string Bytes(std::span<T> values) {
    return std::string(AsText(std::as_bytes(values)));
  }
};

std::string NodeKey(const Node& node) {
  std::string key = node.op_type + "(";
  for (const std::string& input : node.inputs()) key += AttributeKey()(input);
  key += ")";
  for (const std::string& output : node.outputs()) key += output.empty() ? "-" : "+";
  for (const auto& [attribute, value] : node.attributes)
    key += AttributeKey()(attribute) + "=" + std::visit(AttributeKey(), value);
  return key;
}

// True when readers of all of `twin`'s outputs can read those of `node`.
bool CanReplaceOutputs(const Graph& graph, const Node& twin, const Node& node) {
  for (size_t output = 0; output < twin.outputs().size(); ++output) {
    if (!twin.output(output).empty() && !CanReplaceTensor(graph, twin.output(output), node.output(output)))
      return false;
  }
  return true;
}

// The node among `others` that can stand for `node`. Of two branches only one runs, so neither may be made to run what
// the other computes: one of both nodes has to be in, or around, the other's branch.
Node* FindTwin(const IfScopes& scopes, const std::vector<Node*>& others, const Node& node) {
  const int scope = scopes.ScopeOf(node);
  const auto found = std::find_if(others.begin(), others.end(), [&](const Node* other) {
    const int common = scopes.Common(scopes.ScopeOf(*other), scope);
    return common == scope || common == scopes.ScopeOf(*other);
  });
  return found == others.end() ? nullptr : *found;
}

// What the user set for the node and for its readers: one reads what it wants from each of two tensors, or one of them
// stays float.
std::string Settings(const Graph& graph, const Node& node, const NodeSettings& settings_of) {
  if (!settings_of) return "";
  std::set<std::string> readers;
  for (const std::string& output : node.outputs())
    for (const Use& use : graph.Uses(output)) readers.insert(settings_of(*use.node, ""));
  std::string settings = settings_of(node, "");
  for (const std::string& reader : readers) settings += " read by" + reader;
  return settings;
}

bool MergeNodes(Graph& graph, const NodeSettings& settings_of) {
  const IfScopes scopes(graph);
  std::map<std::string, std::vector<Node*>> kept;
  std::vector<std::string> names;
  for (const auto& node : graph.nodes()) names.push_back(node->name);
  bool changed = false;
  for (const std::string& node_name : names) {  // in order: twins that read twins become equal on the way
    Node* node = graph.FindNode(node_name);
    if (!IsPure(*node)) continue;
    std::vector<Node*>& others = kept[NodeKey(*node) + Settings(graph, *node, settings_of)];
    Node* twin = FindTwin(scopes, others, *node);
    if (twin == nullptr) others.push_back(node);
    if (twin == nullptr || !CanReplaceOutputs(graph, *node, *twin)) continue;
    for (size_t output = 0; output < node->outputs().size(); ++output) {
      if (!node->output(output).empty()) ReplaceTensor(graph, node->output(output), twin->output(output));
    }
    Absorb(*twin, *node);
    graph.RemoveNode(node);
    changed = true;
  }
  return changed;
}

class Deduplicate final : public Pass {
 public:
  std::string_view name() const override { return "deduplicate"; }
  std::string_view summary() const override { return "equal initializers and equal nodes are kept once"; }

  Result<Effect> Apply(Model& model, const PassEnv& env) const override {
    const bool initializers = MergeInitializers(model.graph, env.settings_of);
    const bool nodes = MergeNodes(model.graph, env.settings_of);
    return initializers || nodes ? Effect::kChanged : Effect::kUnchanged;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeDeduplicatePass() { return std::make_unique<Deduplicate>(); }

}  // namespace preon

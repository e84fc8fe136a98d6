// Reading and copying; edits are in graph_edit.cc, order and checks in graph_order.cc.
#include "ir/graph.h"

#include <algorithm>

namespace preon {
namespace {

bool Contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

template <typename Map>
auto Lookup(const Map& map, std::string_view key) -> const typename Map::mapped_type* {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

template <typename IsTaken>
std::string MakeUnique(std::string_view wanted, const IsTaken& is_taken) {
  std::string name(wanted);
  for (int suffix = 1; name.empty() || is_taken(name); ++suffix) name = StrCat(wanted, "_", suffix);
  return name;
}

}  // namespace

Graph::Graph(const Graph& other)
    : name(other.name),
      doc_string(other.doc_string),
      overridable_initializers(other.overridable_initializers),
      opaque_constants(other.opaque_constants),
      typical_shapes(other.typical_shapes),
      inferred(other.inferred),
      residue(other.residue),
      inputs_(other.inputs_),
      outputs_(other.outputs_),
      initializers_(other.initializers_),
      infos_(other.infos_) {
  nodes_.reserve(other.nodes_.size());
  for (const auto& node : other.nodes_) nodes_.push_back(std::make_unique<Node>(*node));
  Reindex();
}

Graph& Graph::operator=(const Graph& other) {
  if (this != &other) *this = Graph(other);
  return *this;
}

bool Graph::IsInput(std::string_view tensor) const { return Contains(inputs_, tensor); }
bool Graph::IsOutput(std::string_view tensor) const { return Contains(outputs_, tensor); }
const Tensor* Graph::Initializer(std::string_view tensor) const { return Lookup(initializers_, tensor); }
const ValueInfo* Graph::Info(std::string_view tensor) const { return Lookup(infos_, tensor); }

Node* Graph::Producer(std::string_view tensor) const {
  Node* const* node = Lookup(producers_, tensor);
  return node == nullptr ? nullptr : *node;
}

Node* Graph::FindNode(std::string_view node_name) const {
  Node* const* node = Lookup(nodes_by_name_, node_name);
  return node == nullptr ? nullptr : *node;
}

const Node* Graph::NodeBehind(const Node* node) const {
  const auto next = std::next(Locate(node));
  return next == nodes_.end() ? nullptr : next->get();
}

const Node* Graph::FirstPlaceToRead(std::string_view tensor) const {
  if (const Node* producer = Producer(tensor)) return NodeBehind(producer);
  return nodes_.empty() ? nullptr : nodes_.front().get();
}

std::vector<Use> Graph::Uses(std::string_view tensor) const {
  const std::vector<Node*>* readers = Lookup(readers_, tensor);
  if (readers == nullptr) return {};
  std::vector<Node*> nodes = *readers;
  std::sort(nodes.begin(), nodes.end(), [](const Node* a, const Node* b) { return a->order_ < b->order_; });
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());

  std::vector<Use> uses;
  for (Node* node : nodes) {
    for (size_t input = 0; input < node->inputs_.size(); ++input) {
      if (node->inputs_[input] == tensor) uses.push_back({node, input, false});
    }
    if (Contains(node->Captures(), tensor)) uses.push_back({node, 0, true});
  }
  return uses;
}

size_t Graph::UseCount(std::string_view tensor) const {
  const std::vector<Node*>* readers = Lookup(readers_, tensor);
  return (readers == nullptr ? 0 : readers->size()) + (IsOutput(tensor) ? 1 : 0);
}

bool Graph::HasCapturedUse(std::string_view tensor) const {
  const std::vector<Use> uses = Uses(tensor);
  return std::any_of(uses.begin(), uses.end(), [](const Use& use) { return use.captured; });
}

DataType Graph::TypeOf(std::string_view tensor) const {
  const ValueInfo* info = Info(tensor);
  return info == nullptr ? DataType::kUndefined : info->type;
}

std::optional<Shape> Graph::ShapeOf(std::string_view tensor) const {
  const ValueInfo* info = Info(tensor);
  return info == nullptr ? std::nullopt : info->shape;
}

std::optional<Shape> Graph::TypicalShapeOf(std::string_view tensor) const {
  const std::optional<Shape> shape = ShapeOf(tensor);
  if (shape && IsStatic(*shape)) return shape;
  const auto typical = typical_shapes.find(tensor);
  return typical == typical_shapes.end() ? shape : typical->second;
}

bool Graph::IsSource(std::string_view tensor) const {
  return initializers_.find(tensor) != initializers_.end() || opaque_constants.find(tensor) != opaque_constants.end() ||
         IsInput(tensor);
}

bool Graph::HasTensor(std::string_view tensor) const {
  return producers_.find(tensor) != producers_.end() || readers_.find(tensor) != readers_.end() || IsSource(tensor) ||
         IsOutput(tensor);
}

std::string Graph::UniqueTensorName(std::string_view wanted) const {
  return MakeUnique(wanted, [this](const std::string& tensor) { return HasTensor(tensor); });
}

std::string Graph::UniqueNodeName(std::string_view wanted) const {
  return MakeUnique(wanted, [this](const std::string& node) { return FindNode(node) != nullptr; });
}

Node* OnlyReader(const Graph& graph, std::string_view tensor) {
  if (graph.UseCount(tensor) != 1 || graph.IsOutput(tensor)) return nullptr;  // a constant may have thousands
  const std::vector<Use> uses = graph.Uses(tensor);
  return uses[0].captured ? nullptr : uses[0].node;
}

}  // namespace preon

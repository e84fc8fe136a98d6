#include <algorithm>
#include <utility>

#include "ir/graph.h"

namespace preon {
namespace {

// Distance between neighbours; halving it leaves room for 32 insertions at one place before a renumbering.
constexpr int64_t kOrderGap = int64_t{1} << 32;

}  // namespace

void Graph::AddReader(const std::string& tensor, Node* node) {
  if (!tensor.empty()) readers_[tensor].push_back(node);
}

void Graph::RemoveReader(const std::string& tensor, const Node* node) {
  const auto found = readers_.find(tensor);
  if (found == readers_.end()) return;
  std::vector<Node*>& nodes = found->second;
  const auto reader = std::find(nodes.begin(), nodes.end(), node);
  if (reader != nodes.end()) nodes.erase(reader);
  if (nodes.empty()) readers_.erase(found);
}

void Graph::AddReaders(Node* node) {
  for (const std::string& tensor : node->inputs_) AddReader(tensor, node);
  for (const std::string& tensor : node->Captures()) AddReader(tensor, node);
}

void Graph::RemoveReaders(const Node* node) {
  for (const std::string& tensor : node->inputs_) RemoveReader(tensor, node);
  for (const std::string& tensor : node->Captures()) RemoveReader(tensor, node);
}

void Graph::AddProducer(const std::string& tensor, Node* node) {
  if (!tensor.empty()) producers_[tensor] = node;
}

void Graph::RemoveProducer(const std::string& tensor, const Node* node) {
  if (Producer(tensor) == node) producers_.erase(tensor);
}

void Graph::IndexNode(Node* node) {
  nodes_by_name_[node->name] = node;
  AddReaders(node);
  for (const std::string& tensor : node->outputs_) AddProducer(tensor, node);
}

void Graph::Reindex() {
  producers_.clear();
  readers_.clear();
  nodes_by_name_.clear();
  for (const auto& node : nodes_) IndexNode(node.get());
}

void Graph::Renumber() {
  int64_t order = 0;
  for (const auto& node : nodes_) node->order_ = (order += kOrderGap);
}

Graph::NodeList::const_iterator Graph::Locate(const Node* node) const {
  const auto found = std::lower_bound(nodes_.begin(), nodes_.end(), node->order_,
                                      [](const auto& entry, int64_t order) { return entry->order_ < order; });
  PREON_CHECK(found != nodes_.end() && found->get() == node);
  return found;
}

void Graph::AddInput(std::string tensor, ValueInfo info) {
  PREON_CHECK(!tensor.empty() && !IsSource(tensor) && Producer(tensor) == nullptr);
  infos_[tensor] = std::move(info);
  inputs_.push_back(std::move(tensor));
}

void Graph::AddOutput(std::string tensor, ValueInfo info) {
  PREON_CHECK(!tensor.empty() && !IsOutput(tensor));
  if (Initializer(tensor) == nullptr) infos_[tensor] = std::move(info);
  outputs_.push_back(std::move(tensor));
}

Node* Graph::AddNode(std::string op_type, std::vector<std::string> inputs, std::vector<std::string> outputs,
                     std::string node_name, std::string domain, const Node* before) {
  auto fresh = std::make_unique<Node>();
  Node* node = fresh.get();
  node->name = UniqueNodeName(node_name.empty() ? op_type : node_name);
  node->op_type = std::move(op_type);
  node->domain = std::move(domain);
  node->inputs_ = std::move(inputs);
  node->outputs_ = std::move(outputs);
  for (const std::string& tensor : node->outputs_) PREON_CHECK(!IsSource(tensor));

  const auto place = before == nullptr ? nodes_.cend() : Locate(before);
  const int64_t previous = place == nodes_.begin() ? 0 : (*std::prev(place))->order_;
  node->order_ = place == nodes_.end() ? previous + kOrderGap : previous + ((*place)->order_ - previous) / 2;
  nodes_.insert(place, std::move(fresh));
  if (node->order_ == previous) Renumber();
  IndexNode(node);
  return node;
}

void Graph::SetAttribute(Node* node, const std::string& attribute, AttributeValue value) {
  AttributeValue& slot = node->attributes[attribute];
  const bool reads = std::holds_alternative<OpaqueAttribute>(slot) || std::holds_alternative<OpaqueAttribute>(value);
  if (reads) RemoveReaders(node);
  slot = std::move(value);
  if (reads) AddReaders(node);
}

void Graph::RemoveNode(Node* node) {
  for (const std::string& tensor : node->outputs_) {
    PREON_CHECK(tensor.empty() || Producer(tensor) != node || UseCount(tensor) == 0);
  }
  RemoveReaders(node);
  nodes_by_name_.erase(node->name);
  for (const std::string& tensor : node->outputs_) {
    RemoveProducer(tensor, node);
    ForgetInfoIfUndefined(tensor);
  }
  nodes_.erase(Locate(node));
}

void Graph::ForgetInfoIfUndefined(const std::string& tensor) {
  if (Producer(tensor) == nullptr && !IsSource(tensor) && !IsOutput(tensor)) infos_.erase(tensor);
}

void Graph::SetInput(Node* node, size_t input, std::string tensor) {
  if (input >= node->inputs_.size()) node->inputs_.resize(input + 1);
  RemoveReader(node->inputs_[input], node);
  AddReader(tensor, node);
  node->inputs_[input] = std::move(tensor);
}

void Graph::SetInputs(Node* node, std::vector<std::string> tensors) {
  RemoveReaders(node);
  node->inputs_ = std::move(tensors);
  AddReaders(node);
}

void Graph::SetOutput(Node* node, size_t output, std::string tensor) {
  std::vector<std::string> tensors = node->outputs_;
  if (output >= tensors.size()) tensors.resize(output + 1);
  tensors[output] = std::move(tensor);
  SetOutputs(node, std::move(tensors));
}

void Graph::SetOutputs(Node* node, std::vector<std::string> tensors) {
  const std::vector<std::string> old = std::exchange(node->outputs_, std::move(tensors));
  for (const std::string& tensor : old) RemoveProducer(tensor, node);
  for (const std::string& tensor : node->outputs_) {
    PREON_CHECK(!IsSource(tensor));
    AddProducer(tensor, node);
  }
  for (const std::string& tensor : old) ForgetInfoIfUndefined(tensor);
}

void Graph::ReplaceUses(std::string_view from, const std::string& to) {
  for (const Use& use : Uses(from)) {
    if (!use.captured) SetInput(use.node, use.input, to);
  }
}

void Graph::RenameOutput(std::string_view tensor, const std::string& fresh) {
  Node* node = Producer(tensor);
  PREON_CHECK(node != nullptr && !HasTensor(fresh));
  const auto output = std::find(node->outputs_.begin(), node->outputs_.end(), tensor);
  if (const ValueInfo* info = Info(tensor)) infos_[fresh] = *info;
  SetOutput(node, static_cast<size_t>(output - node->outputs_.begin()), fresh);
}

void Graph::SetInitializer(const std::string& tensor, Tensor value) {
  PREON_CHECK(!tensor.empty() && !IsInput(tensor) && Producer(tensor) == nullptr);
  ValueInfo& info = infos_[tensor];
  info.type = value.type();
  if (info.shape != value.shape()) info.dim_names.assign(value.shape().size(), "");
  info.shape = value.shape();
  initializers_[tensor] = std::move(value);
}

void Graph::RemoveInitializer(std::string_view tensor) {
  const auto found = initializers_.find(tensor);
  if (found == initializers_.end()) return;
  const std::string key = found->first;
  initializers_.erase(found);
  overridable_initializers.erase(key);
  ForgetInfoIfUndefined(key);
}

size_t Graph::RemoveUnusedInitializers() {
  std::vector<std::string> unused;
  for (const auto& [tensor, value] : initializers_) {
    if (UseCount(tensor) == 0) unused.push_back(tensor);
  }
  for (const std::string& tensor : unused) RemoveInitializer(tensor);
  return unused.size();
}

void Graph::SetInfo(const std::string& tensor, ValueInfo info) { infos_[tensor] = std::move(info); }

void Graph::ClearInferredInfo() {
  std::erase_if(infos_, [this](const auto& entry) { return !IsSource(entry.first) && !IsOutput(entry.first); });
}

}  // namespace preon

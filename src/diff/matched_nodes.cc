#include "diff/matched_nodes.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace preon {
namespace {

// What optimizers fold into the node in front of it, or a quantizer does by the ends of its codes.
constexpr std::array kFolded = {"Relu", "Clip", "BatchNormalization", "Identity", "Dropout"};

// The tensor in front of the folded nodes that lead to this one, apart from those in `kept`.
template <typename Nodes>
std::string SourceOf(const FloatView& view, std::string tensor, const Nodes& kept) {
  while (const Node* node = view.ProducerOf(tensor)) {
    if (!Contains(kFolded, node->op_type) || kept.contains(node)) break;
    tensor = view.NameOf(node->input(0));
  }
  return tensor;
}

// The first input that is no constant, in front of all folded nodes; "" where there is none.
std::string FirstSource(const FloatView& view, const Node& node) {
  for (const std::string& input : node.inputs()) {
    if (!input.empty() && !view.constants().contains(view.NameOf(input)))
      return SourceOf(view, view.NameOf(input), std::set<const Node*>());
  }
  return "";
}

std::set<std::string> NamesIn(const FloatView& view) {
  std::set<std::string> names(view.graph().inputs().begin(), view.graph().inputs().end());
  for (const Node* node : view.nodes()) {
    for (const std::string& output : node->outputs()) names.insert(view.NameOf(output));
  }
  for (const auto& [name, value] : view.constants()) names.insert(name);
  names.erase("");
  return names;
}

}  // namespace

void TensorPairs::Add(const std::string& of_a, const std::string& of_b) {
  if (of_a.empty() || of_b.empty() || by_a_.contains(of_a) || b_.contains(of_b)) return;
  by_a_[of_a] = of_b;
  b_.insert(of_b);
}

bool TensorPairs::Has(const std::string& of_a, const std::string& of_b) const {
  const auto found = by_a_.find(of_a);
  return found != by_a_.end() && found->second == of_b;
}

MatchedNodes::MatchedNodes(const FloatView& a, const FloatView& b) : a_(a), b_(b) {
  const std::set<std::string> names_of_b = NamesIn(b);
  for (const std::string& name : NamesIn(a)) {
    if (names_of_b.contains(name)) written_.Add(name, name);
  }
  const auto by_position = [&](const std::vector<std::string>& in_a, const std::vector<std::string>& in_b) {
    for (size_t index = 0; index < std::min(in_a.size(), in_b.size()); ++index) written_.Add(in_a[index], in_b[index]);
  };
  by_position(a.graph().inputs(), b.graph().inputs());
  by_position(a.graph().outputs(), b.graph().outputs());
  tensors_ = written_;
  MatchByName();
  MatchByTensors();
  for (const auto& [node, other] : matched_a_) MatchInputs(*node, *other);
  for (const auto& [of_a, of_b] : written_.by_a()) tensors_.Add(of_a, of_b);
}

void MatchedNodes::MatchByName() {
  std::map<std::string, const Node*> by_name;
  for (const Node* node : b_.nodes()) {
    if (node->named_by_user) by_name.emplace(node->name, node);
  }
  for (const Node* node : a_.nodes()) {
    const auto named = by_name.find(node->name);
    if (node->named_by_user && named != by_name.end() && named->second->op_type == node->op_type)
      Match(*node, *named->second);
  }
  for (const Node* node : a_.nodes()) {
    const auto result = written_.by_a().find(a_.NameOf(node->FirstOutput()));
    const Node* other = result == written_.by_a().end() ? nullptr : b_.ProducerOf(result->second);
    if (other != nullptr) Match(*node, *other);
  }
}

void MatchedNodes::MatchByTensors() {
  std::map<std::string, std::vector<const Node*>> readers;
  for (const Node* node : b_.nodes()) readers[FirstSource(b_, *node)].push_back(node);
  for (const Node* node : a_.nodes()) {
    const auto source = written_.by_a().find(FirstSource(a_, *node));
    if (matched_a_.contains(node) || source == written_.by_a().end()) continue;
    const std::vector<const Node*>& like = readers[source->second];
    const auto free = std::ranges::find_if(
        like, [&](const Node* reader) { return reader->op_type == node->op_type && !matched_b_.contains(reader); });
    if (free != like.end()) Match(*node, **free);
  }
}

void MatchedNodes::Match(const Node& of_a, const Node& of_b) {
  if (matched_a_.contains(&of_a) || matched_b_.contains(&of_b)) return;
  matched_a_[&of_a] = &of_b;
  matched_b_.insert(&of_b);
  for (size_t index = 0; index < std::min(of_a.outputs().size(), of_b.outputs().size()); ++index)
    written_.Add(a_.NameOf(of_a.output(index)), b_.NameOf(of_b.output(index)));
}

// Constants, and what folded nodes of one model write: its codes are those of what the other's nodes read.
void MatchedNodes::MatchInputs(const Node& of_a, const Node& of_b) {
  for (size_t index = 0; index < std::min(of_a.inputs().size(), of_b.inputs().size()); ++index) {
    const std::string &input_a = a_.NameOf(of_a.input(index)), &input_b = b_.NameOf(of_b.input(index));
    if (of_a.op_type == of_b.op_type && SameInput(input_a, input_b)) tensors_.Add(input_a, input_b);
  }
}

bool MatchedNodes::SameInput(const std::string& of_a, const std::string& of_b) const {
  if (of_a.empty() || of_b.empty()) return of_a == of_b;
  // Whatever they are called: their values are compared tensor by tensor.
  if (a_.constants().contains(of_a) && b_.constants().contains(of_b)) return true;
  return written_.Has(of_a, of_b) || written_.Has(SourceOf(a_, of_a, matched_a_), SourceOf(b_, of_b, matched_b_));
}

const Node* MatchedNodes::InB(const Node& of_a) const {
  const auto found = matched_a_.find(&of_a);
  return found == matched_a_.end() ? nullptr : found->second;
}

}  // namespace preon

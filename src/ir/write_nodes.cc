#include "ir/write_nodes.h"

#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/if_scopes.h"
#include "ir/node_proto.h"

namespace preon {
namespace {

class NodeWriter {
 public:
  NodeWriter(const Graph& graph, BranchMode branches, const ValueWriter& values) : graph_(graph), values_(values) {
    if (branches == BranchMode::kNested) scopes_.emplace(graph);
    for (const auto& node : graph.nodes()) {
      const size_t scope = scopes_ ? static_cast<size_t>(scopes_->ScopeOf(*node)) : 0;
      if (scope >= members_.size()) members_.resize(scope + 1);
      members_[scope].push_back(node.get());
    }
  }

  // `outputs`: what the graph of this scope hands out; it is described there and not among its inner values.
  void Write(int scope, const std::set<std::string>& outputs, onnx::GraphProto* proto) {
    if (static_cast<size_t>(scope) >= members_.size()) return;
    for (const Node* node : members_[static_cast<size_t>(scope)]) {
      onnx::NodeProto* written = proto->add_node();
      WriteNode(*node, written);
      for (size_t branch = 0; node->IsFlatIf() && branch < std::size(kIfBranches); ++branch) {
        WriteBranch(*node, branch, written);
      }
      if (node->IsFlatIf()) written->mutable_input()->DeleteSubrange(1, written->input_size() - 1);
      for (const std::string& tensor : node->outputs()) {
        if (graph_.Info(tensor) != nullptr && outputs.count(tensor) == 0)
          values_.Add(tensor, proto->mutable_value_info());
      }
    }
  }

 private:
  void WriteBranch(const Node& node, size_t branch, onnx::NodeProto* written) {
    onnx::GraphProto* body = nullptr;
    for (auto& attribute : *written->mutable_attribute()) {
      if (attribute.name() == kIfBranches[branch]) body = attribute.mutable_g();
    }
    const size_t count = node.outputs().size();
    std::set<std::string> own;  // outputs that nodes of the branch write
    std::vector<bool> passes_on(count);
    for (size_t output = 0; output < count; ++output) {
      const std::string& tensor = node.input(1 + branch * count + output);
      passes_on[output] = !WrittenInside(node, branch, tensor) || !own.insert(tensor).second;
    }
    if (scopes_) Write(scopes_->BranchScope(node, branch), own, body);
    for (size_t output = 0; output < count; ++output) {
      const std::string& tensor = node.input(1 + branch * count + output);
      if (!passes_on[output]) {
        values_.Add(tensor, body->mutable_output());
        continue;
      }
      const std::string name = FreshName(StrCat(tensor, branch == 0 ? "_then" : "_else"));
      onnx::NodeProto* identity = body->add_node();
      identity->set_op_type("Identity");
      identity->add_input(tensor);
      identity->add_output(name);
      values_.AddAs(name, tensor, body->mutable_output());
    }
  }

  bool WrittenInside(const Node& node, size_t branch, const std::string& tensor) const {
    const Node* producer = graph_.Producer(tensor);
    return scopes_ && producer != nullptr && scopes_->ScopeOf(*producer) == scopes_->BranchScope(node, branch);
  }

  std::string FreshName(const std::string& wanted) {
    std::string name = graph_.UniqueTensorName(wanted);
    for (int suffix = 1; !fresh_.insert(name).second; ++suffix)
      name = graph_.UniqueTensorName(StrCat(wanted, "_", suffix));
    return name;
  }

  const Graph& graph_;
  const ValueWriter& values_;
  std::optional<IfScopes> scopes_;                 // nothing: all nodes outside
  std::vector<std::vector<const Node*>> members_;  // by scope
  std::set<std::string> fresh_;
};

}  // namespace

void WriteNodes(const Graph& graph, BranchMode branches, const ValueWriter& values, onnx::GraphProto* proto) {
  NodeWriter(graph, branches, values)
      .Write(IfScopes::kOutside, {graph.outputs().begin(), graph.outputs().end()}, proto);
}

}  // namespace preon

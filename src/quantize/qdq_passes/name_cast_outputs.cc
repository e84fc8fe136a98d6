// name_cast_outputs: what stands in front of the Cast at an output of a float16 model is called by that output.
//
// Before:      y = Cast(DequantizeLinear(QuantizeLinear(y_Cast_input))), all between named y_Cast_input_…
// After:       y = Cast(y_Cast_input), y_Cast_input = DequantizeLinear(QuantizeLinear(y_QuantizeLinear_Input)), all
//              between named y_…
// Conditions:  the new name is free.
// Formula:     -
// Why:         Quark puts these Casts in last: --compat quark.
#include "quantize/qdq_passes/qdq_passes.h"

namespace preon {
namespace {

constexpr std::string_view kSuffix = "_Cast_input";

// The name that Quark gives; "" where it is the same.
std::string NameInQuark(std::string_view name, const std::string& output) {
  const std::string cast_input = StrCat(output, kSuffix), begin = cast_input + "_";
  if (name == cast_input) return output + "_QuantizeLinear_Input";
  if (name == begin + "DequantizeLinear_Output") return cast_input;
  return name.starts_with(begin) ? StrCat(output, "_", name.substr(begin.size())) : std::string();
}

bool RenameTensor(Graph& graph, const std::string& from, const std::string& to) {
  if (to.empty() || graph.HasTensor(to) || graph.IsOutput(from) || graph.HasCapturedUse(from)) return false;
  if (const Tensor* constant = graph.Initializer(from); constant != nullptr) {
    graph.SetInitializer(to, *constant);
    graph.ReplaceUses(from, to);
    graph.RemoveInitializer(from);
    return true;
  }
  if (const ValueInfo* info = graph.Info(from)) graph.SetInfo(to, ValueInfo(*info));
  graph.RenameOutput(from, to);
  graph.ReplaceUses(from, to);
  return true;
}

bool RenameNode(Graph& graph, Node* node, const std::string& to) {
  if (to.empty() || graph.FindNode(to) != nullptr) return false;
  const std::vector<std::string> outputs = node->outputs();
  Node* named = graph.AddNode(node->op_type, node->inputs(), outputs, to, node->domain, node);
  named->attributes = node->attributes;
  named->origins = node->origins;
  named->home = node->home;
  graph.RemoveNode(node);
  return true;
}

bool Rename(Graph& graph, const std::string& output) {
  std::vector<std::string> tensors = {StrCat(output, kSuffix)};  // first: another one takes its name over
  std::vector<Node*> nodes;
  for (const auto& node : graph.nodes()) {
    nodes.push_back(node.get());
    tensors.insert(tensors.end(), node->outputs().begin(), node->outputs().end());
  }
  for (const auto& [name, constant] : graph.initializers()) tensors.push_back(name);
  bool changed = false;
  for (const std::string& tensor : tensors)
    changed = RenameTensor(graph, tensor, NameInQuark(tensor, output)) || changed;
  for (Node* node : nodes) changed = RenameNode(graph, node, NameInQuark(node->name, output)) || changed;
  return changed;
}

class NameCastOutputs final : public QdqPass {
 public:
  std::string_view name() const override { return "name_cast_outputs"; }
  std::string_view summary() const override {
    return "pairs in front of the Cast at an output of a float16 model have the names of the output";
  }
  bool WantedBy(const QuantPlan& plan) const override { return plan.compat == Compat::kQuark; }

  Result<Effect> Apply(Model& model, const QuantPlan&, std::vector<std::string>&) const override {
    Graph& graph = model.graph;
    bool changed = false;
    for (const std::string& output : graph.outputs()) {
      const Node* cast = graph.Producer(output);
      if (cast != nullptr && cast->Is("Cast") && cast->input(0) == StrCat(output, kSuffix, "_DequantizeLinear_Output"))
        changed = Rename(graph, output) || changed;
    }
    return changed ? Effect::kChanged : Effect::kUnchanged;
  }
};

}  // namespace

std::unique_ptr<QdqPass> MakeNameCastOutputsPass() { return std::make_unique<NameCastOutputs>(); }

}  // namespace preon

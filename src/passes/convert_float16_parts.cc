// Parts of a graph compute in float32, with the values that their float16 constants have.
//
// Before:      y = Conv2(Relu(Conv1(x, W)), W2), all of type FLOAT16; the part is Conv1 to Relu
// After:       r = Cast(Relu(Conv1(Cast(x) {to = FLOAT}, W))) {to = FLOAT16}; y = Conv2(r, W2), W FLOAT
// Conditions:  no sub-graphs in the part; nothing that reads float16 as bits
// Formula:     -
#include "passes/convert_float16_parts.h"

#include <algorithm>
#include <set>

#include "base/spelling.h"
#include "ir/sub_graphs.h"
#include "passes/support/widen_float16.h"

namespace preon {
namespace {

using Nodes = std::set<const Node*>;

Result<Nodes> Named(const Graph& graph, const std::vector<std::string>& names) {
  Nodes nodes;
  for (const std::string& name : names) {
    const Node* node = graph.FindNode(name);
    if (node == nullptr) {
      std::vector<std::string> known;
      for (const auto& each : graph.nodes()) known.push_back(each->name);
      return Error(ErrorId::kNameNotInModel, "subgraphs_to_include: the model has no node '", name, "'",
                   DidYouMean(name, known));
    }
    nodes.insert(node);
  }
  return nodes;
}

bool IsReadIn(const Graph& graph, const Node& node, const Nodes& nodes) {
  return std::ranges::any_of(node.outputs(), [&](const std::string& tensor) {
    return std::ranges::any_of(graph.Uses(tensor), [&](const Use& use) { return nodes.contains(use.node); });
  });
}

// From the starts on; all nodes where there are none.
Nodes Forward(const Graph& graph, Nodes reached) {
  const bool bounded = !reached.empty();
  for (const auto& node : graph.nodes()) {
    if (bounded && !reached.contains(node.get())) continue;
    reached.insert(node.get());
    for (const std::string& tensor : node->outputs())
      for (const Use& use : graph.Uses(tensor)) reached.insert(use.node);
  }
  return reached;
}

// Up to the ends.
Nodes Backward(const Graph& graph, Nodes reached) {
  const bool bounded = !reached.empty();
  for (auto node = graph.nodes().rbegin(); node != graph.nodes().rend(); ++node)
    if (!bounded || IsReadIn(graph, **node, reached)) reached.insert(node->get());
  return reached;
}

class PartConverter {
 public:
  PartConverter(Graph& graph, const Nodes& part) : graph_(graph), part_(part) {
    for (const auto& node : graph.nodes())
      if (part.contains(node.get())) nodes_.push_back(node.get());
  }

  Status Check(const Model& model) const {
    if (const std::string function = FunctionOfType(model, DataType::kFloat16); !function.empty())
      return Error(ErrorId::kModelTypeUnsupported, model.source_path, ": subgraphs_to_include: function ", function,
                   " names the type float16");
    for (const Node* node : nodes_) {
      if (const std::string why = WhyNot(*node); !why.empty())
        return Error(ErrorId::kModelTypeUnsupported, model.source_path, ": subgraphs_to_include: node ", node->name,
                     " (", node->op_type, ") ", why);
    }
    return Status::Ok();
  }

  bool Run() {
    for (Node* node : nodes_) Enter(*node);
    for (Node* node : nodes_) {
      const bool constant = std::ranges::any_of(node->attributes, [](const auto& attribute) {
        const auto* tensor = std::get_if<Tensor>(&attribute.second);
        return tensor != nullptr && tensor->type() == DataType::kFloat16;
      });
      changed_ = changed_ || constant;
      WidenAttributes(*node);
      for (const std::string& tensor : std::vector(node->outputs()))
        if (graph_.TypeOf(tensor) == DataType::kFloat16) Leave(tensor);
    }
    return changed_;
  }

 private:
  std::string WhyNot(const Node& node) const {
    if (node.HasSubgraph() || node.IsFlatIf())
      return "has sub-graphs; only the conversion of the whole model handles them";
    for (const std::string& tensor : node.inputs()) {
      if (graph_.opaque_constants.contains(tensor)) return StrCat("reads the sparse constant '", tensor, "'");
    }
    for (const std::string& tensor : node.outputs()) {
      if (!tensor.empty() && graph_.TypeOf(tensor) == DataType::kUndefined)
        return StrCat("writes '", tensor, "', whose type is not known");
    }
    return WhyNotWidened(graph_, node);
  }

  bool IsInside(const Use& use) const { return !use.captured && part_.contains(use.node); }

  void ReadInside(const std::string& tensor, const std::string& instead) {
    for (const Use& use : std::vector<Use>(graph_.Uses(tensor)))
      if (IsInside(use)) graph_.SetInput(use.node, use.input, instead);
  }

  // What the node reads from outside, and its constants.
  void Enter(const Node& node) {
    for (const std::string& tensor : std::vector(node.inputs())) {
      if (tensor.empty() || graph_.TypeOf(tensor) != DataType::kFloat16) continue;
      if (const Tensor* value = graph_.Initializer(tensor); value != nullptr && !graph_.IsInput(tensor)) {
        EnterConstant(tensor, *value);
        continue;
      }
      if (part_.contains(graph_.Producer(tensor))) continue;
      const std::string wide = graph_.UniqueTensorName(tensor + "_subgraph_entry_cast");
      CopyInfo(graph_, tensor, wide);
      ReadInside(tensor, wide);
      AddCast(graph_, tensor, wide, DataType::kFloat, graph_.UniqueNodeName(StrCat("_subgraph_entry_cast_", casts_++)));
      changed_ = true;
    }
  }

  void EnterConstant(const std::string& tensor, const Tensor& value) {
    const bool inside_alone = !graph_.IsOutput(tensor) &&
                              std::ranges::all_of(graph_.Uses(tensor), [&](const Use& use) { return IsInside(use); });
    const std::string wide = inside_alone ? tensor : graph_.UniqueTensorName(tensor + "_subgraph_fp32");
    graph_.SetInitializer(wide, Widened(value));
    if (!inside_alone) ReadInside(tensor, wide);
    changed_ = true;
  }

  void Leave(const std::string& tensor) {
    changed_ = true;
    const bool stays = !graph_.IsOutput(tensor) &&
                       std::ranges::all_of(graph_.Uses(tensor), [&](const Use& use) { return IsInside(use); });
    if (stays) return SetElementType(graph_, tensor, DataType::kFloat);
    const std::string wide = graph_.UniqueTensorName(tensor + "_subgraph_exit_fp32");
    const ValueInfo info = *graph_.Info(tensor);
    graph_.RenameOutput(tensor, wide);
    graph_.SetInfo(wide, ValueInfo(info));
    SetElementType(graph_, wide, DataType::kFloat);
    ReadInside(tensor, wide);
    graph_.SetInfo(tensor, ValueInfo(info));
    AddCast(graph_, wide, tensor, DataType::kFloat16, graph_.UniqueNodeName(StrCat("_subgraph_exit_cast_", casts_++)));
  }

  Graph& graph_;
  const Nodes& part_;
  std::vector<Node*> nodes_;  // of the part, in the order of the graph
  int64_t casts_ = 0;
  bool changed_ = false;
};

}  // namespace

Result<Effect> ConvertFloat16Parts(Model& model, const std::vector<Float16Part>& parts,
                                   std::vector<std::string>& warnings) {
  if (parts.empty()) return Effect::kUnchanged;
  Model converted = model;
  Graph& graph = converted.graph;
  Nodes inside;
  for (const Float16Part& part : parts) {
    PREON_ASSIGN_OR_RETURN(const Nodes starts, Named(graph, part.starts));
    PREON_ASSIGN_OR_RETURN(const Nodes ends, Named(graph, part.ends));
    Nodes between;
    std::ranges::set_intersection(Forward(graph, starts), Backward(graph, ends), std::inserter(between, between.end()));
    if (between.empty())
      return Error(ErrorId::kNameNotInModel, "subgraphs_to_include: no node lies between ", JoinNames(part.starts),
                   " and ", JoinNames(part.ends), "; are first and last nodes swapped?");
    inside.merge(between);
  }
  PartConverter converter(graph, inside);
  PREON_RETURN_IF_ERROR(converter.Check(model));
  if (!converter.Run()) {
    warnings.push_back("subgraphs_to_include: has no effect: nothing in these parts is float16");
    return Effect::kUnchanged;
  }
  model = std::move(converted);
  return Effect::kChanged;
}

}  // namespace preon

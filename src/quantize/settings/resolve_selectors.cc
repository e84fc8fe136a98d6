#include "quantize/settings/resolve_selectors.h"

#include <algorithm>
#include <deque>

#include "base/spelling.h"
#include "passes/support/model_border.h"
#include "quantize/settings/node_selection.h"
#include "quantize/settings/resolve_tensor_settings.h"

namespace preon {
namespace {

// The user's graph with what messages about it need.
class Resolver {
 public:
  explicit Resolver(const Graph& graph) : graph_(graph) {
    for (const auto& node : graph.nodes()) {
      names_.push_back(node->name);
    }
  }

  Status Resolve(NodeSelectors* selectors) const {
    selectors->nodes.clear();
    for (const std::string& pattern : selectors->patterns) {
      PREON_ASSIGN_OR_RETURN(const NamePattern matches, NamePattern::Parse(pattern));
      bool any = false;
      for (const auto& node : graph_.nodes()) {
        if (!matches.Matches(*node)) continue;
        selectors->nodes.insert(node->name);
        any = true;
      }
      if (!any)
        return Error(ErrorId::kNameNotInModel, "no node of the model matches '", pattern, "'",
                     DidYouMean(pattern, names_));
    }
    for (const SubGraphSelector& sub_graph : selectors->sub_graphs)
      PREON_RETURN_IF_ERROR(AddPaths(sub_graph, &selectors->nodes));
    return Status::Ok();
  }

  /// Adds what lies in front of the first, or behind the last nodes: those that no path reaches from them.
  Status AddOutside(const std::vector<std::string>& border, bool first, std::set<std::string>* names) const {
    if (border.empty()) return Status::Ok();
    Nodes ends;
    for (const std::string& name : border) {
      PREON_ASSIGN_OR_RETURN(const Nodes nodes, Named(name));
      ends.insert(nodes.begin(), nodes.end());
    }
    const Nodes inside = Reachable(ends, first);
    for (const auto& node : graph_.nodes())
      if (!inside.contains(node.get())) names->insert(node->name);
    return Status::Ok();
  }

 private:
  using Nodes = std::set<const Node*>;

  // A node, the readers of a graph input, or the writer of a graph output.
  Result<Nodes> Named(const std::string& name) const {
    if (const Node* node = graph_.FindNode(name)) return Nodes{node};
    Nodes nodes;
    for (const Use& use : graph_.IsInput(name) ? graph_.Uses(name) : std::vector<Use>()) nodes.insert(use.node);
    if (graph_.IsOutput(name) && graph_.Producer(name) != nullptr) nodes.insert(graph_.Producer(name));
    if (!nodes.empty()) return nodes;
    return Error(ErrorId::kNameNotInModel, "no node, input or output '", name, "' in the model",
                 DidYouMean(name, names_));
  }

  Result<Nodes> Find(const std::vector<std::string>& names, std::string_view role) const {
    Nodes nodes;
    for (const std::string& name : names) {
      const Node* node = graph_.FindNode(name);
      if (node == nullptr)
        return Error(ErrorId::kNameNotInModel, "sub-graph: no ", role, " node '", name, "' in the model",
                     DidYouMean(name, names_));
      nodes.insert(node);
    }
    if (nodes.empty()) return Error(ErrorId::kBadConfig, "sub-graph: no ", role, " nodes given");
    return nodes;
  }

  Nodes Reachable(const Nodes& from, bool forward) const {
    Nodes seen = from;
    std::deque<const Node*> open(from.begin(), from.end());
    const auto visit = [&](const Node* node) {
      if (node != nullptr && seen.insert(node).second) open.push_back(node);
    };
    while (!open.empty()) {
      const Node* node = open.front();
      open.pop_front();
      if (forward) {
        for (const std::string& output : node->outputs())
          for (const Use& use : graph_.Uses(output)) visit(use.node);
      } else {
        for (const std::string& input : node->inputs()) visit(graph_.Producer(input));
        for (const std::string& input : node->Captures()) visit(graph_.Producer(input));
      }
    }
    return seen;
  }

  Status AddPaths(const SubGraphSelector& selector, std::set<std::string>* names) const {
    PREON_ASSIGN_OR_RETURN(const Nodes starts, Find(selector.starts, "start"));
    PREON_ASSIGN_OR_RETURN(const Nodes ends, Find(selector.ends, "end"));
    const Nodes behind = Reachable(starts, true), before = Reachable(ends, false);
    Nodes selected;
    std::ranges::set_intersection(behind, before, std::inserter(selected, selected.end()));
    selected.insert(starts.begin(), starts.end());
    selected.insert(ends.begin(), ends.end());
    for (const Node* node : selected) {
      if (!starts.contains(node)) PREON_RETURN_IF_ERROR(CheckClosed(*node, selected));
      names->insert(node->name);
    }
    return Status::Ok();
  }

  Status CheckClosed(const Node& node, const Nodes& selected) const {
    for (const std::string& input : node.inputs()) {
      if (input.empty() || graph_.Initializer(input) != nullptr) continue;
      const Node* producer = graph_.Producer(input);
      if (producer != nullptr && (selected.contains(producer) || producer->Is("Constant"))) continue;
      return Error(ErrorId::kBadConfig, "sub-graph: not closed between its start and end nodes: node '", node.name,
                   "' reads '", input, "' from outside; wanted ",
                   producer == nullptr ? "the readers of that input" : StrCat("'", producer->name, "'"),
                   " among the start nodes");
    }
    return Status::Ok();
  }

  const Graph& graph_;
  std::vector<std::string> names_;
};

}  // namespace

Status ResolveSelectors(const Graph& source, PlanOptions* options) {
  const Resolver resolver(source);
  options->settings.source_types.clear();
  if (!options->settings.layers.empty() || !options->exclude.types.empty())
    for (const auto& node : source.nodes()) options->settings.source_types.emplace(node->name, node->op_type);
  PREON_RETURN_IF_ERROR(resolver.Resolve(&options->exclude.paths).WithContext("exclude"));
  std::set<std::string>* excluded = &options->exclude.paths.nodes;
  PREON_RETURN_IF_ERROR(resolver.AddOutside(options->exclude.first_nodes, true, excluded).WithContext("InputNodes"));
  PREON_RETURN_IF_ERROR(resolver.AddOutside(options->exclude.last_nodes, false, excluded).WithContext("OutputNodes"));
  for (size_t index = 0; index < options->settings.layers.size(); ++index)
    PREON_RETURN_IF_ERROR(
        resolver.Resolve(&options->settings.layers[index].selectors).WithContext("layer configuration ", index + 1));
  return Status::Ok();
}

Status ResolveNames(const Graph& source, const std::set<std::string>& nhwc_of, PlanOptions* options) {
  PREON_RETURN_IF_ERROR(CheckNames(source, options->exclude.names, options->op_list.selection.nodes,
                                   options->op_list.pairs.no_output_nodes));
  for (const std::string& tensor : nhwc_of)
    PREON_RETURN_IF_ERROR(CheckIsBorderTensor(source, tensor).WithContext("convert_nchw_to_nhwc"));
  PREON_RETURN_IF_ERROR(ResolveSelectors(source, options));
  return ResolveOverrides(source, options);
}

}  // namespace preon

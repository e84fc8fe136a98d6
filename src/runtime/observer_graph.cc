#include "runtime/observer_graph.h"

#include <algorithm>
#include <set>

#include "runtime/observe_op.h"

namespace preon {
namespace {

constexpr char kBlockedDomain[] = "com.microsoft.nchwc";
constexpr char kReorderOutput[] = "ReorderOutput";

/// How the observer of tensor `index` has to read it.
struct Reading {
  size_t index;
  int64_t block = 1;
  int64_t channels = 0;  ///< logical ones; only used with a block
};

Node* AddObserver(Graph& graph, const Reading& reading, const std::string& input, const std::string& output) {
  // As early as can be: the runtime's optimizer takes time with the square of the tensors that wait for a reader far
  // behind. Named after what it writes: no search for a free name.
  Node* node = graph.AddNode(kObserveOp, {input}, {output}, output, kObserveDomain, graph.FirstPlaceToRead(input));
  node->attributes[kIndexAttribute] = static_cast<int64_t>(reading.index);
  node->attributes[kBlockAttribute] = reading.block;
  node->attributes[kChannelsAttribute] = reading.channels;
  return node;
}

void InsertObserver(Graph& graph, const Reading& reading, const std::string& tensor) {
  const std::string other = graph.UniqueTensorName(tensor + "_observe");
  if (const Node* producer = graph.Producer(tensor)) {
    // The name stays on the observer's right, where graph outputs and sub-graphs look for it.
    graph.RenameOutput(tensor, other);
    // Beside the producer: a tensor is seen when it is computed, even if only a branch reads it.
    AddObserver(graph, reading, other, tensor)->home = producer->home;
  } else {
    graph.ReplaceUses(tensor, other);
    AddObserver(graph, reading, tensor, other);
  }
}

void ImportObserveDomain(Model& model) { model.opsets[kObserveDomain] = 1; }

std::vector<Node*> FindMarkers(const Graph& graph) {
  std::vector<Node*> markers;
  for (const auto& node : graph.nodes()) {
    if (node->op_type == kObserveOp && node->domain == kObserveDomain) markers.push_back(node.get());
  }
  return markers;
}

/// The node that turns the blocked form of a tensor into the plain one, if only one reader wants the plain one.
Node* ReorderForOneReader(const Graph& graph, const std::string& tensor) {
  Node* producer = graph.Producer(tensor);
  const bool reorders = producer != nullptr && producer->domain == kBlockedDomain &&
                        producer->op_type == kReorderOutput && producer->Int("channels_last", 0) == 0;
  return reorders && graph.UseCount(tensor) == 1 ? producer : nullptr;
}

}  // namespace

Status CheckObservable(const Graph& graph, const std::vector<std::string>& tensors) {
  for (const std::string& tensor : tensors) {
    if (graph.Producer(tensor) == nullptr && !graph.IsInput(tensor)) {
      return Error(ErrorId::kNameNotInModel, "no node of the model writes tensor '", tensor, "' and it is no input");
    }
    const DataType type = graph.TypeOf(tensor);
    if (type != DataType::kFloat && type != DataType::kUndefined) {
      return Error(ErrorId::kModelTypeUnsupported, "tensor '", tensor, "' is ", DataTypeName(type),
                   "; only float can be observed");
    }
  }
  return Status::Ok();
}

void InsertObservers(Model& model, const std::vector<std::string>& tensors) {
  ImportObserveDomain(model);
  for (size_t index = 0; index < tensors.size(); ++index) InsertObserver(model.graph, {index}, tensors[index]);
}

void AddMarkers(Model& model, const std::vector<std::string>& tensors) {
  ImportObserveDomain(model);
  for (size_t index = 0; index < tensors.size(); ++index) {
    AddObserver(model.graph, {index}, tensors[index], model.graph.UniqueTensorName(tensors[index] + "_marked"));
  }
}

bool HasBlockedMarker(const Model& model) {
  const std::vector<Node*> markers = FindMarkers(model.graph);
  return std::any_of(markers.begin(), markers.end(),
                     [&](const Node* marker) { return ReorderForOneReader(model.graph, marker->input(0)) != nullptr; });
}

Result<std::vector<ObserverPlace>> ReplaceMarkers(Model& model, size_t count, int64_t block) {
  Graph& graph = model.graph;
  std::vector<ObserverPlace> places(count, ObserverPlace::kFloatGraph);
  std::set<size_t> seen;
  for (Node* marker : FindMarkers(graph)) {
    Reading reading{static_cast<size_t>(marker->Int(kIndexAttribute, 0))};
    if (marker->input(0).empty() || reading.index >= count || !seen.insert(reading.index).second)
      return Error(ErrorId::kModelInvalid, "observers: the index ", reading.index,
                   " is used twice, has no input, or is above the number of observed tensors, ", count);
    std::string tensor = marker->input(0);
    Node* reorder = ReorderForOneReader(graph, tensor);
    graph.RemoveNode(marker);
    if (reorder != nullptr) {
      reading.block = block;
      reading.channels = reorder->Int("channels", 0);
      tensor = reorder->input(0);
      graph.RemoveNode(reorder);
    }
    InsertObserver(graph, reading, tensor);
    places[reading.index] = reorder != nullptr ? ObserverPlace::kBlocked : ObserverPlace::kOptimized;
  }
  if (seen.size() != count)
    return Error(ErrorId::kInternal, "observers: ONNX Runtime's optimizer left ", seen.size(), " of ", count);
  return places;
}

}  // namespace preon

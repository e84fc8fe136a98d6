#include "passes/fix_shapes.h"

#include "base/spelling.h"
#include "base/text.h"
#include "ir/model_io.h"

namespace preon {
namespace {

using SizeOf = std::map<std::string, int64_t>;  // by name of an open dimension

std::vector<std::string> Border(const Graph& graph) {
  std::vector<std::string> tensors = graph.inputs();
  tensors.insert(tensors.end(), graph.outputs().begin(), graph.outputs().end());
  return tensors;
}

Status CheckFits(const Graph& graph, const std::string& tensor, const Shape& wanted, SizeOf* sizes) {
  if (!graph.IsInput(tensor) && !graph.IsOutput(tensor)) {
    const std::vector<std::string> known = Border(graph);
    return Error(ErrorId::kNameNotInModel, "'", tensor, "' is no input or output of the model",
                 DidYouMean(tensor, known));
  }
  const ValueInfo& info = *graph.Info(tensor);
  if (!info.shape) return Status::Ok();
  const auto differs = [&] {
    return Error(ErrorId::kBadOptionValue, "'", tensor, "': got ", ShapeToString(wanted), ", but the model has ",
                 ShapeToString(*info.shape));
  };
  if (info.shape->size() != wanted.size()) return differs();
  for (size_t axis = 0; axis < wanted.size(); ++axis) {
    const int64_t known = (*info.shape)[axis];
    if (known != kDynamicDim && known != wanted[axis]) return differs();
    if (known != kDynamicDim || axis >= info.dim_names.size() || info.dim_names[axis].empty()) continue;
    const auto [size, fresh] = sizes->emplace(info.dim_names[axis], wanted[axis]);
    if (fresh || size->second == wanted[axis]) continue;
    return Error(ErrorId::kBadOptionValue, "'", tensor, "': dimension '", size->first, "' is to be ", wanted[axis],
                 ", but also ", size->second, "; wanted one size for all tensors that have it");
  }
  return Status::Ok();
}

}  // namespace

Status FixShapes(Model& model, const std::map<std::string, Shape>& shapes) {
  Graph& graph = model.graph;
  SizeOf sizes;
  for (const auto& [tensor, shape] : shapes) PREON_RETURN_IF_ERROR(CheckFits(graph, tensor, shape, &sizes));
  for (const std::string& tensor : Border(graph)) {
    ValueInfo info = *graph.Info(tensor);
    if (const auto given = shapes.find(tensor); given != shapes.end()) {
      info.shape = given->second;
      info.dim_names.clear();
    }
    for (size_t axis = 0; axis < info.dim_names.size(); ++axis) {
      const auto size = sizes.find(info.dim_names[axis]);
      if (size == sizes.end() || (*info.shape)[axis] != kDynamicDim) continue;
      (*info.shape)[axis] = size->second;
      info.dim_names[axis].clear();
    }
    graph.SetInfo(tensor, std::move(info));
  }
  graph.ClearInferredInfo();
  InferShapes(model);
  return Status::Ok();
}

}  // namespace preon

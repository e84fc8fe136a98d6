// fix_shapes: inputs and outputs of the model get the shapes that PassEnv::fixed_shapes names.
//
// Before:      g (float[N, 3, H, H] x, float[N] s)
// After:       g (float[2, 3, 4, 4] x, float[2] s)      x: [2, 3, 4, 4]
// Conditions:  the names are inputs or outputs; rank and known dimensions agree, and no dimension gets two sizes. Else
//              an error.
// Formula:     -
#include "passes/fix_shapes.h"

#include "base/text.h"
#include "ir/model_io.h"
#include "passes/passes.h"
#include "passes/support/model_border.h"

namespace preon {
namespace {

using SizeOf = std::map<std::string, int64_t>;  // by name of an open dimension

Status CheckFits(const Graph& graph, const std::string& tensor, const Shape& wanted, SizeOf* sizes) {
  PREON_RETURN_IF_ERROR(CheckIsBorderTensor(graph, tensor));
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

std::vector<std::optional<Shape>> BorderShapes(const Graph& graph) {
  std::vector<std::optional<Shape>> shapes;
  for (const std::string& tensor : BorderTensors(graph)) shapes.push_back(graph.ShapeOf(tensor));
  return shapes;
}

class FixShapesPass final : public Pass {
 public:
  std::string_view name() const override { return "fix_shapes"; }
  std::string_view summary() const override { return "inputs and outputs get the shapes of --fix-shape"; }
  PassPhase phase() const override { return PassPhase::kSource; }
  Result<Effect> Apply(Model& model, const PassEnv& env) const override {
    if (env.fixed_shapes.empty()) return Effect::kUnchanged;
    const auto before = BorderShapes(model.graph);
    PREON_RETURN_IF_ERROR(FixShapes(model, env.fixed_shapes));
    return BorderShapes(model.graph) == before ? Effect::kUnchanged : Effect::kChanged;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeFixShapesPass() { return std::make_unique<FixShapesPass>(); }

Status FixShapes(Model& model, const std::map<std::string, Shape>& shapes) {
  Graph& graph = model.graph;
  SizeOf sizes;
  for (const auto& [tensor, shape] : shapes) PREON_RETURN_IF_ERROR(CheckFits(graph, tensor, shape, &sizes));
  for (const std::string& tensor : BorderTensors(graph)) {
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

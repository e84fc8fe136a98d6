#include "passes/typical_shapes.h"

#include <algorithm>
#include <map>

#include "passes/infer_all_shapes.h"
#include "passes/passes.h"

namespace preon {
namespace {

constexpr int64_t kPixels = 640, kSamplesOfSound = 16000, kPlaces = 64;

// Of what an input leaves open. Floats [N, T] and [N, 1, T] are a signal. Images have an open height and width; where
// one of them is fixed, as in a cache of keys [N, heads, T, 64], the other counts places.
int64_t TypicalSize(const ValueInfo& info, size_t axis) {
  const size_t rank = info.shape->size();
  const auto open = [&](size_t of) { return (*info.shape)[of] < 0; };
  if (axis == 0) return 1;
  if (rank >= 4) {
    const bool is_nhwc = rank == 4 && open(1) && open(2) && !open(3);
    const bool is_pixels = is_nhwc ? axis <= 2 : axis >= 2 && open(2) && open(3);
    return is_pixels ? kPixels : kPlaces;
  }
  const bool is_signal = rank == 2 || (rank == 3 && axis == 2 && (*info.shape)[1] == 1);
  return info.type == DataType::kFloat && is_signal ? kSamplesOfSound : kPlaces;
}

// Sizes with one name are one size.
Shape TypicalInput(const ValueInfo& info, std::map<std::string, int64_t>& sizes) {
  Shape shape = *info.shape;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] >= 0) continue;
    shape[axis] = TypicalSize(info, axis);
    if (axis < info.dim_names.size() && !info.dim_names[axis].empty())
      shape[axis] = sizes.emplace(info.dim_names[axis], shape[axis]).first->second;
  }
  return shape;
}

// The shapes of all tensors, where they follow from those of the inputs. Inference alone does not see through all that
// exporters compute a Reshape's target by.
void Compute(Model& model, Evaluator* evaluator) {
  InferAllShapes(model, evaluator);
  const auto is_known = [&](const std::string& tensor) {
    const std::optional<Shape> shape = model.graph.ShapeOf(tensor);
    return !IsFloatingType(model.graph.TypeOf(tensor)) || (shape && IsStatic(*shape));
  };
  const auto all_known = [&](const auto& node) { return std::ranges::all_of(node->outputs(), is_known); };
  if (std::ranges::all_of(model.graph.nodes(), all_known)) return;
  const std::unique_ptr<Pass> folds[] = {MakeFoldShapesPass(), MakeFoldConstantsPass()};
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& fold : folds) {
      const Result<Effect> effect = fold->Apply(model, {.evaluator = evaluator});
      if (!effect.ok()) return;
      changed = changed || *effect == Effect::kChanged;
    }
    if (changed) InferAllShapes(model, evaluator);
  }
}

}  // namespace

void SetTypicalShapes(Model& model, Evaluator* evaluator) {
  model.graph.typical_shapes.clear();
  Model typical = model;
  std::map<std::string, int64_t> sizes;
  bool is_open = false;
  for (const std::string& input : model.graph.inputs()) {
    ValueInfo info = *model.graph.Info(input);
    if (!info.shape || IsStatic(*info.shape)) continue;
    is_open = true;
    info.shape = TypicalInput(info, sizes);
    info.dim_names.clear();
    typical.graph.SetInfo(input, std::move(info));
  }
  if (!is_open) return;
  typical.graph.ClearInferredInfo();
  Compute(typical, evaluator);
  const auto keep = [&](const std::string& tensor) {
    const std::optional<Shape> known = model.graph.ShapeOf(tensor);
    std::optional<Shape> shape = typical.graph.ShapeOf(tensor);
    if (!shape) return;
    for (size_t axis = 0; known && known->size() == shape->size() && axis < shape->size(); ++axis) {
      if ((*shape)[axis] < 0) (*shape)[axis] = (*known)[axis];
    }
    if (shape != known) model.graph.typical_shapes.emplace(tensor, *shape);
  };
  std::ranges::for_each(model.graph.inputs(), keep);
  for (const auto& node : model.graph.nodes()) std::ranges::for_each(node->outputs(), keep);
}

}  // namespace preon

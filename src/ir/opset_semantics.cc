#include <algorithm>

#include "ir/constant_value.h"
#include "ir/opset_adapters.h"

namespace preon {
namespace {

Status NoConversion(const Node& node, std::string_view what) {
  return Error(ErrorId::kOpsetConversion, "no conversion for operator ", node.op_type, " ", what);
}

}  // namespace

// Before opset 13 these work on the tensor flattened to a matrix at `axis`; since then along `axis` alone. The two are
// the same where nothing but dimensions of 1 follows the axis; elsewhere the flattening is spelled out.
Status KeepFlattenedSoftmax(Graph* graph, Node* node) {
  const int64_t axis = node->Int("axis", 1);
  const std::optional<Shape> shape = graph->ShapeOf(node->input(0));
  const int64_t rank = shape ? static_cast<int64_t>(shape->size()) : 0;
  const int64_t first = axis < 0 ? axis + rank : axis;
  if (shape && first >= 0 && first < rank &&
      std::all_of(shape->begin() + first + 1, shape->end(), [](int64_t dim) { return dim == 1; })) {
    node->attributes["axis"] = first + 1 == rank ? int64_t{-1} : first;
    return Status::Ok();
  }

  const std::string input = node->input(0), output = node->output();
  const auto fresh = [&](std::string_view what) { return graph->UniqueTensorName(StrCat(output, "_", what)); };
  const std::string shape_of = fresh("shape");
  graph->AddNode("Shape", {input}, {shape_of}, shape_of, "", node)->origins = node->origins;
  const std::string flat = fresh("flat_input");
  Node* flatten = graph->AddNode("Flatten", {input}, {flat}, flat, "", node);
  flatten->attributes["axis"] = axis;
  flatten->origins = node->origins;

  const Node* next = graph->NodeBehind(node);
  const std::string flat_output = fresh("flat");
  graph->SetInput(node, 0, flat);
  graph->SetOutput(node, 0, flat_output);
  node->attributes["axis"] = int64_t{-1};
  graph->AddNode("Reshape", {flat_output, shape_of}, {output}, output + "_reshape", "", next)->origins = node->origins;
  return Status::Ok();
}

Status UpsampleToResize(Graph*, Node* node) {
  node->op_type = "Resize";
  return Status::Ok();
}

// Resize 10 has one coordinate rule (asymmetric), and nearest takes the pixel below when it enlarges and the one above
// when it shrinks, as the runtime does it (the specification of opset 10 is silent).
Status PinResizeCoordinates(Graph* graph, Node* node) {
  const std::string scales = node->input(1);
  node->attributes["coordinate_transformation_mode"] = std::string("asymmetric");
  if (node->String("mode", "nearest") == "nearest") {
    const Tensor* values = ConstantValue(*graph, scales);
    if (values == nullptr || values->type() != DataType::kFloat) return NoConversion(*node, "with dynamic scales");
    const auto floats = values->floats();
    const bool enlarges = std::any_of(floats.begin(), floats.end(), [](float scale) { return scale > 1; });
    const bool shrinks = std::any_of(floats.begin(), floats.end(), [](float scale) { return scale < 1; });
    if (enlarges && shrinks) return NoConversion(*node, "that enlarges one axis and shrinks another");
    node->attributes["nearest_mode"] = std::string(shrinks ? "ceil" : "floor");
  }
  const std::string roi = graph->UniqueTensorName(node->output() + "_roi");
  graph->SetInitializer(roi, Tensor::FromFloats({0}, {}));  // required until opset 13, read by no mode used here
  graph->SetInputs(node, {node->input(0), roi, scales});
  return Status::Ok();
}

Status ScatterToElements(Graph*, Node* node) {
  node->op_type = "ScatterElements";
  return Status::Ok();
}

Status DropSpatial(Graph*, Node* node) {
  if (node->Int("spatial", 1) != 1) return NoConversion(*node, "with spatial=0");
  node->attributes.erase("spatial");
  return Status::Ok();
}

Status CheckInferenceBatchNorm(Graph* graph, Node* node) {
  for (size_t output = 1; output < node->outputs().size(); ++output) {
    if (graph->UseCount(node->output(output)) > 0) return NoConversion(*node, "in training mode");
  }
  graph->SetOutputs(node, {node->output()});
  return Status::Ok();
}

Status CheckDropoutMask(Graph* graph, Node* node) {
  if (graph->UseCount(node->output(1)) == 0) return Status::Ok();
  return NoConversion(*node, "whose mask is read: its type changed");
}

Status CountSplitOutputs(Graph*, Node* node) {
  if (node->input(1).empty()) node->attributes["num_outputs"] = static_cast<int64_t>(node->outputs().size());
  return Status::Ok();
}

Status PinRoiAlignCoordinates(Graph*, Node* node) {
  node->attributes["coordinate_transformation_mode"] = std::string("output_half_pixel");
  return Status::Ok();
}

Status RenameGridSampleMode(Graph*, Node* node) {
  const std::string mode = node->String("mode", "bilinear");
  node->attributes["mode"] = mode == "bilinear" ? "linear" : mode == "bicubic" ? "cubic" : mode;
  return Status::Ok();
}

Status RefuseGroupNorm(Graph*, Node* node) { return NoConversion(*node, "with one scale per group"); }

}  // namespace preon

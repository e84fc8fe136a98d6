
#include "ir/opset_adapters.h"

namespace preon {
namespace {

std::string AddConstant(Graph* graph, const Node& node, std::string_view what, Tensor value) {
  const std::string tensor = graph->UniqueTensorName(StrCat(node.output(), "_", what));
  graph->SetInitializer(tensor, std::move(value));
  return tensor;
}

std::string AddInts(Graph* graph, const Node& node, std::string_view what, const std::vector<int64_t>& values) {
  return AddConstant(graph, node, what, Tensor::FromInt64s({static_cast<int64_t>(values.size())}, values));
}

// A scalar of the type of the node's first input; a Cast spares preon the arithmetic of every float type.
Result<std::string> AddScalarLikeInput(Graph* graph, Node* node, std::string_view what, float value) {
  const std::string scalar = AddConstant(graph, *node, what, Tensor::ScalarFloat(value));
  const DataType type = graph->TypeOf(node->input(0));
  if (type == DataType::kFloat) return scalar;
  if (type == DataType::kUndefined) {
    return Error(ErrorId::kOpsetConversion, "no conversion for operator ", node->op_type, " of unknown element type");
  }
  const std::string converted = graph->UniqueTensorName(scalar + "_cast");
  Node* cast = graph->AddNode("Cast", {scalar}, {converted}, converted, "", node);
  cast->attributes["to"] = static_cast<int64_t>(type);
  cast->origins = node->origins;
  return converted;
}

// Attribute of a list of integers -> input at `index`; nothing where the attribute is absent.
void MoveInts(Graph* graph, Node* node, const std::string& attribute, size_t index) {
  if (!node->Has(attribute)) return;
  graph->SetInput(node, index, AddInts(graph, *node, attribute, node->Ints(attribute)));
  node->attributes.erase(attribute);
}

}  // namespace

Status MoveClipBounds(Graph* graph, Node* node) {
  size_t index = 1;
  for (const char* bound : {"min", "max"}) {
    if (node->Has(bound)) {
      PREON_ASSIGN_OR_RETURN(std::string tensor, AddScalarLikeInput(graph, node, bound, node->Float(bound, 0)));
      graph->SetInput(node, index, std::move(tensor));
      node->attributes.erase(bound);
    }
    ++index;
  }
  return Status::Ok();
}

Status MovePadAttributes(Graph* graph, Node* node) {
  MoveInts(graph, node, "pads", 1);
  const float value = node->Float("value", 0);
  node->attributes.erase("value");
  if (value == 0 || node->String("mode", "constant") != "constant") return Status::Ok();
  PREON_ASSIGN_OR_RETURN(std::string tensor, AddScalarLikeInput(graph, node, "value", value));
  graph->SetInput(node, 2, std::move(tensor));
  return Status::Ok();
}

Status MoveSliceRanges(Graph* graph, Node* node) {
  MoveInts(graph, node, "starts", 1);
  MoveInts(graph, node, "ends", 2);
  MoveInts(graph, node, "axes", 3);
  return Status::Ok();
}

Status MoveTopK(Graph* graph, Node* node) {
  graph->SetInput(node, 1, AddInts(graph, *node, "k", {node->Int("k", 1)}));
  node->attributes.erase("k");
  return Status::Ok();
}

Status MoveAxes(Graph* graph, Node* node) {
  MoveInts(graph, node, "axes", 1);
  return Status::Ok();
}

Status MoveSplitSizes(Graph* graph, Node* node) {
  MoveInts(graph, node, "split", 1);
  return Status::Ok();
}

Status MoveDropoutRatio(Graph* graph, Node* node) {
  // The ratio has no effect in inference, which is all that an opset below 12 can say.
  node->attributes.erase("ratio");
  return Status::Ok();
}

Status MoveUpsampleScales(Graph* graph, Node* node) {
  const auto found = node->attributes.find("scales");
  const auto* scales = found == node->attributes.end() ? nullptr : std::get_if<std::vector<float>>(&found->second);
  if (scales == nullptr) return Error(ErrorId::kOpsetConversion, "no conversion for operator Upsample without scales");
  const Shape shape = {static_cast<int64_t>(scales->size())};
  graph->SetInput(node, 1, AddConstant(graph, *node, "scales", Tensor::FromFloats(shape, *scales)));
  node->attributes.erase("scales");
  return Status::Ok();
}

Status MoveDftAxis(Graph* graph, Node* node) {
  const int64_t axis = node->Int("axis", 1);
  graph->SetInput(node, 2, AddConstant(graph, *node, "axis", Tensor::FromInt64s({}, {&axis, 1})));
  node->attributes.erase("axis");
  return Status::Ok();
}

}  // namespace preon

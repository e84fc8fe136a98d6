#include <onnx/defs/shape_inference.h>
#include <onnx/shape_inference/implementation.h>

#include <algorithm>
#include <array>
#include <exception>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph_proto.h"
#include "ir/model_io.h"
#include "ir/schemas/runtime_schemas.h"
#include "ir/value_info_proto.h"

namespace preon {
namespace {

// Longer vectors are no shapes, axes or pads.
constexpr int64_t kLongestPropagated = 1024;

// Operators of ai.onnx.ml that give one float for each value, for which ONNX infers nothing: all behind one of them had
// no shape.
constexpr std::array<std::string_view, 2> kOneFloatEach = {"Normalizer", "Scaler"};

void InferOneFloatEach(onnx::InferenceContext& context) {
  onnx::updateOutputElemType(context, 0, onnx::TensorProto::FLOAT);
  if (onnx::hasNInputShapes(context, 1)) onnx::propagateShapeFromInputToOutput(context, 0, 0);
}

// ONNX's own makes a list of `num_outputs` sizes before it counts the outputs: gigabytes for an absurd number.
void InferSplit(const onnx::InferenceFunction& infer, onnx::InferenceContext& context) {
  const onnx::AttributeProto* wanted = context.getAttribute("num_outputs");
  if (wanted == nullptr || wanted->i() == static_cast<int64_t>(context.getNumOutputs())) infer(context);
}

// ONNX's data propagation writes down one dimension per element of every vector whose length it knows, whatever its
// type: gigabytes for a long signal or an absurd declared shape. These are ONNX's operators with that step left out
// where a vector is too long to be a shape, and with the inference that ONNX lacks.
class CompletedSchemas : public onnx::ISchemaRegistry {
 public:
  const onnx::OpSchema* GetSchema(const std::string& op_type, int version, const std::string& domain) const override {
    if (const onnx::OpSchema* schema = RuntimeSchema(domain, op_type)) return schema;
    const onnx::OpSchema* schema = onnx::OpSchemaRegistry::Instance()->GetSchema(op_type, version, domain);
    if (schema == nullptr) return schema;
    const bool lacks = domain == "ai.onnx.ml" && !schema->has_type_and_shape_inference_function() &&
                       std::ranges::find(kOneFloatEach, op_type) != kOneFloatEach.end();
    const bool splits = domain.empty() && op_type == "Split";
    if (!lacks && !splits && !schema->has_data_propagation_function()) return schema;
    const auto [entry, fresh] = completed_.try_emplace(schema, *schema);
    if (fresh && lacks) entry->second.TypeAndShapeInferenceFunction(InferOneFloatEach);
    if (fresh && splits) {
      entry->second.TypeAndShapeInferenceFunction(
          [infer = schema->GetTypeAndShapeInferenceFunction()](auto& context) { InferSplit(infer, context); });
    }
    if (fresh && schema->has_data_propagation_function()) {
      entry->second.PartialDataPropagationFunction([propagate = schema->GetDataPropagationFunction()](auto& context) {
        if (IsBounded(context)) propagate(context);
      });
    }
    return &entry->second;
  }

 private:
  static bool IsBounded(const onnx::DataPropagationContext& context) {
    for (size_t input = 0; input < context.getNumInputs(); ++input) {
      const onnx::TypeProto* type = context.getInputType(input);
      if (type == nullptr || type->tensor_type().shape().dim_size() != 1) continue;
      if (type->tensor_type().shape().dim(0).dim_value() > kLongestPropagated) return false;
    }
    return true;
  }

  mutable std::map<const onnx::OpSchema*, onnx::OpSchema> completed_;
};

// What a node leaves out has the standard's default. Inference has defaults of its own in its code, and where the two
// differ (`onesided` of STFT: 1, and 0 there) all shapes behind the node are wrong, and the runtime refuses the result.
void WriteDefaults(const onnx::ISchemaRegistry& schemas, const std::map<std::string, int>& opsets,
                   onnx::GraphProto* graph) {
  for (auto& node : *graph->mutable_node()) {
    for (auto& attribute : *node.mutable_attribute())
      if (attribute.has_g()) WriteDefaults(schemas, opsets, attribute.mutable_g());
    const auto opset = opsets.find(node.domain());
    const onnx::OpSchema* schema =
        opset == opsets.end() ? nullptr : schemas.GetSchema(node.op_type(), opset->second, node.domain());
    if (schema == nullptr) continue;
    std::set<std::string_view> given;
    for (const auto& attribute : node.attribute()) given.insert(attribute.name());
    std::vector<const onnx::AttributeProto*> missing;
    for (const auto& [name, attribute] : schema->attributes())
      if (attribute.default_value.has_type() && !given.contains(name)) missing.push_back(&attribute.default_value);
    for (const onnx::AttributeProto* attribute : missing) *node.add_attribute() = *attribute;
  }
}

void WriteDefaults(const onnx::ISchemaRegistry& schemas, onnx::ModelProto* proto) {
  std::map<std::string, int> opsets;
  for (const auto& import : proto->opset_import()) opsets[import.domain()] = static_cast<int>(import.version());
  WriteDefaults(schemas, opsets, proto->mutable_graph());
}

bool Contradicts(const ValueInfo& stated, const ValueInfo& inferred) {
  if (!stated.shape || !inferred.shape) return false;
  const Shape &a = *stated.shape, &b = *inferred.shape;
  const auto differ = [](int64_t x, int64_t y) { return x != kDynamicDim && y != kDynamicDim && x != y; };
  return a.size() != b.size() || std::ranges::mismatch(a, b, std::not_fn(differ)).in1 != a.end();
}

// What the operators give, with the dimensions that the file alone knows.
ValueInfo Completed(ValueInfo inferred, const ValueInfo& stated) {
  if (inferred.shape->size() != stated.shape->size()) return inferred;
  for (size_t axis = 0; axis < inferred.shape->size(); ++axis) {
    int64_t& size = (*inferred.shape)[axis];
    if (size != kDynamicDim || (*stated.shape)[axis] == kDynamicDim) continue;
    size = (*stated.shape)[axis];
    if (axis < inferred.dim_names.size()) inferred.dim_names[axis].clear();
  }
  return inferred;
}

bool StatesInnerShapes(const Graph& graph) {
  return std::ranges::any_of(graph.nodes(), [&](const auto& node) {
    return std::ranges::any_of(node->outputs(), [&](const std::string& tensor) {
      return !graph.IsOutput(tensor) && graph.ShapeOf(tensor).has_value();
    });
  });
}

}  // namespace

std::vector<std::string> CorrectShapes(Model& model) {
  if (!StatesInnerShapes(model.graph)) return {};  // most files: nothing is inferred, nothing copied
  Model unstated = model;
  unstated.graph.ClearInferredInfo();
  InferShapes(unstated);
  std::vector<std::string> corrected;
  for (const auto& node : model.graph.nodes()) {
    for (const std::string& tensor : node->outputs()) {
      const ValueInfo *stated = model.graph.Info(tensor), *inferred = unstated.graph.Info(tensor);
      if (stated == nullptr || inferred == nullptr || !Contradicts(*stated, *inferred)) continue;
      model.graph.SetInfo(tensor, Completed(*inferred, *stated));
      corrected.push_back(tensor);
    }
  }
  return corrected;
}

void InferShapes(Model& model, std::string* warning) {
  try {
    onnx::ModelProto proto = ToProto(model, InitializerMode::kStructure, BranchMode::kOutside);
    const onnx::ShapeInferenceOptions options(/*check_type=*/false, /*strict_mode=*/0, /*data_prop=*/true);
    const CompletedSchemas schemas;
    WriteDefaults(schemas, &proto);
    onnx::shape_inference::InferShapes(proto, &schemas, options);
    for (const auto* values : {&proto.graph().value_info(), &proto.graph().output()}) {
      for (const auto& value : *values) {
        if (model.graph.Producer(value.name()) == nullptr) continue;
        if (model.graph.Info(value.name()) == nullptr) model.graph.inferred.insert(value.name());
        model.graph.SetInfo(value.name(), ReadValueInfo(value));
      }
    }
  } catch (const std::exception& error) {
    // What an operator's inference throws on is caught inside; this is a graph that can't be walked at all.
    if (warning != nullptr) *warning = StrCat("shape inference failed: ", error.what());
  }
}

}  // namespace preon

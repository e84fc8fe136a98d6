// convert_float16: the graph computes in float32, with the values that its float16 constants have.
//
// Before:      y = Conv(x, W, b), all of type FLOAT16
// After:       x_Cast_0_output = Cast(x) {to = FLOAT};  y_Cast_input = Conv(x_Cast_0_output, W, b), W and b FLOAT;
//              y = Cast(y_Cast_input) {to = FLOAT16}
// Conditions:  a constant is FLOAT16, or what a node other than Cast computes, or an input or output without a Cast of
//              the kind shown; a Cast to FLOAT16 and back may be meant as rounding. An error, and no change: sparse
//              constants, types as attributes, BitCast from or to FLOAT16, functions that name the type.
// Formula:     every tensor of type FLOAT16 becomes FLOAT, in sub-graphs too; Cast {to = FLOAT16} becomes Cast {to =
//              FLOAT}, which remove_identity then takes out. All of an operator's float16 tensors change, so types fit
//              as before.
// Why:         runtimes have integer kernels for float32 models only, and float16 scales would be denormal below
//              6.1e-5. One Cast per input, not one per reader: it is one tensor to observe and to quantize.
#include "passes/convert_float16.h"

#include <algorithm>
#include <set>

#include "ir/sub_graphs.h"
#include "passes/infer_all_shapes.h"
#include "passes/passes.h"
#include "passes/support/widen_float16.h"

namespace preon {
namespace {

constexpr auto kFloatNumber = static_cast<int64_t>(DataType::kFloat);
constexpr auto kFloat16Number = static_cast<int64_t>(DataType::kFloat16);

bool IsCastTo(const Node& node, int64_t type) { return node.Is("Cast") && node.Int("to", 0) == type; }

// Sub-graphs, which read a tensor under its own name, have a Cast inside.
bool ReadOnlyByCasts(const Graph& graph, const std::string& tensor) {
  return std::ranges::all_of(graph.Uses(tensor),
                             [](const Use& use) { return use.captured || IsCastTo(*use.node, kFloatNumber); });
}

// y = Cast(float) for a float16 graph output y.
bool IsBorderCast(const Graph& graph, const Node& node) {
  return IsCastTo(node, kFloat16Number) && graph.IsOutput(node.output()) && ReadOnlyByCasts(graph, node.output()) &&
         graph.TypeOf(node.input(0)) == DataType::kFloat;
}

bool HasType(const Node& node, DataType type) {
  return std::ranges::any_of(node.attributes, [&](const auto& attribute) {
    const auto* tensor = std::get_if<Tensor>(&attribute.second);
    return tensor != nullptr && tensor->type() == type;
  });
}

bool NeedsConversion(const Graph& graph, Float16Border border) {
  const auto is_half = [&](const std::string& tensor) { return graph.TypeOf(tensor) == DataType::kFloat16; };
  const bool kept = border == Float16Border::kKept;
  const auto computes = [&](const auto& node) {
    return !node->Is("Cast") && std::ranges::any_of(node->outputs(), is_half);
  };
  return std::ranges::any_of(graph.nodes(), computes) ||
         std::ranges::any_of(graph.initializers(),
                             [](const auto& entry) { return entry.second.type() == DataType::kFloat16; }) ||
         std::ranges::any_of(graph.nodes(), [](const auto& node) { return HasType(*node, DataType::kFloat16); }) ||
         std::ranges::any_of(graph.inputs(),
                             [&](const auto& x) { return is_half(x) && !(kept && ReadOnlyByCasts(graph, x)); }) ||
         std::ranges::any_of(graph.outputs(), [&](const auto& y) {
           const Node* node = graph.Producer(y);
           return is_half(y) && !(kept && (graph.IsInput(y) || (node != nullptr && IsBorderCast(graph, *node))));
         });
}

Status CheckConvertible(const Model& model) {
  const auto unsupported = [&](auto... what) {
    return Error(ErrorId::kModelTypeUnsupported, model.source_path, ": float16 model: ", what...);
  };
  const Graph& graph = model.graph;
  if (!graph.opaque_constants.empty())
    return unsupported("sparse constant '", *graph.opaque_constants.begin(), "'; wanted dense ones");
  for (const auto& node : graph.nodes()) {
    if (const std::string why = WhyNotWidened(graph, *node); !why.empty())
      return unsupported("node ", node->name, " (", node->op_type, ") ", why);
  }
  const std::string function = FunctionOfType(model, DataType::kFloat16);
  return function.empty() ? Status::Ok() : unsupported("function ", function, " names the type");
}

// Everything but inputs and outputs of the model; `kept` are tensors outside that stay float16.
Status ConvertInside(Model& model, const std::set<std::string>& kept) {
  Graph& graph = model.graph;
  PREON_RETURN_IF_ERROR(CheckConvertible(model));
  const auto convert_body = [&](Model& body) -> Status {
    body.source_path = model.source_path;
    PREON_RETURN_IF_ERROR(ConvertInside(body, kept));
    Graph& inner = body.graph;
    for (const std::string& input : std::vector<std::string>(inner.inputs())) {
      if (!kept.contains(input)) {
        if (inner.TypeOf(input) == DataType::kFloat16) SetElementType(inner, input, DataType::kFloat);
      } else if (inner.Uses(input).size() > 0 && !inner.nodes().empty()) {
        const std::string wide = inner.UniqueTensorName(StrCat(input, "_Cast_in_", inner.name, "_output"));
        CopyInfo(inner, input, wide);
        inner.ReplaceUses(input, wide);
        AddCast(inner, input, wide, DataType::kFloat, StrCat(input, "_Cast_in_", inner.name));
      }
    }
    for (const std::string& output : inner.outputs()) {
      if (inner.TypeOf(output) == DataType::kFloat16) SetElementType(inner, output, DataType::kFloat);
    }
    return Status::Ok();
  };
  PREON_RETURN_IF_ERROR(EditSubGraphs(model, convert_body));
  for (const auto& [name, value] : std::map<std::string, Tensor, std::less<>>(graph.initializers())) {
    if (value.type() == DataType::kFloat16) graph.SetInitializer(name, Widened(value));
  }
  for (const auto& node : graph.nodes()) {
    for (const std::string& output : node->outputs()) {
      if (!graph.IsOutput(output) && graph.TypeOf(output) == DataType::kFloat16)
        SetElementType(graph, output, DataType::kFloat);
    }
    if (kept.contains(node->output()) && IsBorderCast(graph, *node)) continue;
    WidenAttributes(*node);
  }
  return Status::Ok();
}

void CastInput(Graph& graph, const std::string& input) {
  if (ReadOnlyByCasts(graph, input)) return;  // or by nobody, or in sub-graphs alone
  const std::string wide = graph.UniqueTensorName(input + "_Cast_0_output");
  CopyInfo(graph, input, wide);
  graph.ReplaceUses(input, wide);
  AddCast(graph, input, wide, DataType::kFloat, input + "_Cast_0");
}

void CastOutput(Graph& graph, const std::string& output) {
  const Node* producer = graph.Producer(output);
  if (graph.IsInput(output) || (producer != nullptr && IsBorderCast(graph, *producer))) return;
  const std::string wide = graph.UniqueTensorName(output + "_Cast_input");
  const ValueInfo info = *graph.Info(output);
  if (producer == nullptr) {
    const Tensor value = *graph.Initializer(output);
    graph.RemoveInitializer(output);
    graph.SetInitializer(wide, value);
  } else {
    graph.RenameOutput(output, wide);
    SetElementType(graph, wide, DataType::kFloat);
  }
  graph.ReplaceUses(output, wide);
  graph.SetInfo(output, info);
  AddCast(graph, wide, output, DataType::kFloat16, output + "_Cast");
}

class ConvertFloat16Pass final : public Pass {
 public:
  std::string_view name() const override { return "convert_float16"; }
  std::string_view summary() const override { return "converts a float16 graph to float32"; }
  PassPhase phase() const override { return PassPhase::kSource; }
  Result<Effect> Apply(Model& model, const PassEnv& env) const override {
    InferAllShapes(model, env.evaluator);  // comes before the runner does it
    return ConvertFloat16(model, Float16Border::kKept);
  }
};

}  // namespace

Result<Effect> ConvertFloat16(Model& model, Float16Border border) {
  if (!NeedsConversion(model.graph, border)) return Effect::kUnchanged;
  Model converted = model;
  Graph& graph = converted.graph;
  std::set<std::string> kept;
  for (const auto* tensors : {&graph.inputs(), &graph.outputs()}) {
    for (const std::string& tensor : *tensors) {
      if (graph.TypeOf(tensor) == DataType::kFloat16) kept.insert(tensor);
    }
  }
  const bool keeps = border == Float16Border::kKept;
  PREON_RETURN_IF_ERROR(ConvertInside(converted, keeps ? kept : std::set<std::string>()));
  for (const std::string& tensor : kept) {
    if (!keeps) {
      SetElementType(graph, tensor, DataType::kFloat);
      continue;
    }
    if (graph.IsInput(tensor)) CastInput(graph, tensor);
    if (graph.IsOutput(tensor)) CastOutput(graph, tensor);
  }
  model = std::move(converted);
  return Effect::kChanged;
}

std::unique_ptr<Pass> MakeConvertFloat16Pass() { return std::make_unique<ConvertFloat16Pass>(); }

}  // namespace preon

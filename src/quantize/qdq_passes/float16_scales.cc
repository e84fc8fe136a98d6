// float16_scales: the model computes in float16, with scales in float16.
//
// Before:      y = Cast(DQ(Q(Cast(x) {to = FLOAT}, s), s)) {to = FLOAT16}, s FLOAT                   x, y: FLOAT16
// After:       y = DQ(Q(x, s), s), s FLOAT16
// Conditions:  no sub-graphs; operators with kernels for float16; constants within ±65504. A scale below 2^-14, where
//              float16 loses digits, or above 65504 stays FLOAT: y = Cast(DQ(Q(Cast(x) {to = FLOAT}))) {to = FLOAT16};
//              so do those in front of a Concat, which ONNX Runtime makes QLinearConcat of, whatever its scales are.
// Formula:     float16(s) = s (1 + e), |e| <= 2^-11
// Why:         Quark's UseFP32Scale=false: accelerators with float16 arithmetic take such models. Quark itself writes 1
//              for scales below 6.1e-5.
#include "quantize/qdq_passes/float16_scales.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "base/half.h"
#include "formats/quark_operators.h"
#include "quantize/read/stored_codes.h"

namespace preon {
namespace {

constexpr auto kFloatNumber = static_cast<int64_t>(DataType::kFloat);
constexpr auto kFloat16Number = static_cast<int64_t>(DataType::kFloat16);
constexpr float kLeastNormal = 0x1p-14F, kLargest = 65504;

// Attributes that say in which type a node computes or gives values.
constexpr std::array<std::string_view, 3> kTypeAttributes = {"to", "dtype", "output_dtype"};
// Beside integer operators, whose scales are float32.
constexpr std::array<std::string_view, 2> kFloat32Alone = {"NonMaxSuppression", "MatMulInteger"};
constexpr std::array<std::string_view, 4> kOfIntegers = {"QLinear", "QGemm", "Dynamic", "ConvInteger"};

bool IsCastTo(const Node& node, int64_t type) { return node.Is("Cast") && node.Int("to", 0) == type; }

bool ComputesInFloat32Alone(const Node& node) {
  const auto begins = [&](std::string_view prefix) { return node.op_type.starts_with(prefix); };
  return node.HasSubgraph() || node.domain == kQuarkDomain || node.domain == kOlderQuarkDomain ||
         std::ranges::any_of(kFloat32Alone, [&](std::string_view type) { return node.op_type == type; }) ||
         std::ranges::any_of(kOfIntegers, begins);
}

bool IsWithinFloat16(const Tensor& tensor) {
  return std::ranges::all_of(tensor.As<float>(),
                             [](float value) { return !std::isfinite(value) || std::abs(value) <= kLargest; });
}

bool IsNormalInFloat16(const Tensor& scales) {
  return std::ranges::all_of(scales.As<float>(),
                             [](float scale) { return scale == 0 || (scale >= kLeastNormal && scale <= kLargest); });
}

Tensor Narrowed(const Tensor& tensor) {
  Tensor narrow = Tensor::Allocate(DataType::kFloat16, tensor.shape());
  std::ranges::transform(tensor.As<float>(), narrow.Mutable<Half>().begin(), [](float value) { return Half(value); });
  return narrow;
}

void SetType(Graph& graph, const std::string& tensor, DataType type) {
  const ValueInfo* known = graph.Info(tensor);
  ValueInfo info = known == nullptr ? ValueInfo() : *known;
  info.type = type;
  graph.SetInfo(tensor, std::move(info));
}

class Narrowing {
 public:
  explicit Narrowing(Model& model) : model_(model), graph_(model.graph) {}

  Result<int64_t> Run() {
    PREON_RETURN_IF_ERROR(FindWhatStays());
    RemoveBorderCasts();
    PREON_RETURN_IF_ERROR(NarrowConstants());
    NarrowNodes();
    for (Node* node : between_casts_) PutBetweenCasts(node);
    PREON_RETURN_IF_ERROR(graph_.SortTopologically());
    graph_.RemoveUnusedInitializers();
    return static_cast<int64_t>(wide_scales_.size());
  }

 private:
  Status FindWhatStays() {
    for (const auto& node : graph_.nodes()) {
      if (ComputesInFloat32Alone(*node))
        return Error(ErrorId::kNotYetSupported, "node ", node->name, " (", node->op_type,
                     ") computes in float32 alone");
      if (node->Is("Resize") && !node->input(2).empty()) stays_.insert(node->input(2));
      if (!QuantizesTensor(*node) && !DequantizesTensor(*node)) continue;
      const Tensor* scales = graph_.Initializer(node->input(1));
      if (scales == nullptr)
        return Error(ErrorId::kNotYetSupported, "node ", node->name, " (", node->op_type, ") has no constant scale");
      if (scales->type() != DataType::kFloat) continue;
      if (!IsNormalInFloat16(*scales)) wide_scales_.insert(node->input(1));
      if (IsFusedAnyway(*node)) stays_.insert(node->input(1));
    }
    stays_.insert(wide_scales_.begin(), wide_scales_.end());
    for (const auto& node : graph_.nodes()) {
      if ((QuantizesTensor(*node) || DequantizesTensor(*node)) && stays_.contains(node->input(1)))
        between_casts_.push_back(node.get());
    }
    return Status::Ok();
  }

  // ONNX Runtime makes QLinearConcat of a Concat between pairs, whose scales are float32.
  bool IsFusedAnyway(const Node& node) const {
    if (!DequantizesTensor(node)) return false;
    return std::ranges::any_of(graph_.Uses(node.output()), [](const Use& use) { return use.node->Is("Concat"); });
  }

  void RemoveBorderCasts() {
    for (const std::string& input : std::vector(graph_.inputs())) {
      if (graph_.TypeOf(input) != DataType::kFloat16) continue;
      for (const Use& use : graph_.Uses(input)) {
        if (!IsCastTo(*use.node, kFloatNumber) || graph_.IsOutput(use.node->output())) continue;
        graph_.ReplaceUses(use.node->output(), input);
        graph_.RemoveNode(use.node);
      }
    }
    for (const std::string& output : std::vector(graph_.outputs())) {
      Node* cast = graph_.Producer(output);
      if (cast == nullptr || !IsCastTo(*cast, kFloat16Number)) continue;
      const std::string wide = cast->input(0);
      Node* writer = graph_.Producer(wide);
      if (writer == nullptr || graph_.IsOutput(wide)) continue;
      graph_.RenameOutput(output, graph_.UniqueTensorName(output + "_cast"));
      graph_.RemoveNode(cast);
      const auto place = std::ranges::find(writer->outputs(), wide) - writer->outputs().begin();
      graph_.SetOutput(writer, static_cast<size_t>(place), output);
      graph_.ReplaceUses(wide, output);
    }
  }

  Status NarrowConstants() {
    for (const auto& [name, value] : std::map<std::string, Tensor, std::less<>>(graph_.initializers())) {
      if (value.type() != DataType::kFloat || stays_.contains(name)) continue;
      if (!IsWithinFloat16(value))
        return Error(ErrorId::kNotYetSupported, "constant '", name, "' has values beyond 65504");
      graph_.SetInitializer(name, Narrowed(value));
    }
    return Status::Ok();
  }

  void NarrowNodes() {
    for (const auto& node : graph_.nodes()) {
      for (auto& [name, value] : node->attributes) {
        if (auto* tensor = std::get_if<Tensor>(&value); tensor != nullptr && tensor->type() == DataType::kFloat)
          *tensor = Narrowed(*tensor);
        auto* number = std::get_if<int64_t>(&value);
        if (number != nullptr && *number == kFloatNumber &&
            std::ranges::find(kTypeAttributes, name) != kTypeAttributes.end())
          *number = kFloat16Number;
      }
      for (const std::string& output : node->outputs()) {
        if (!output.empty() && !graph_.IsOutput(output) && graph_.TypeOf(output) == DataType::kFloat)
          SetType(graph_, output, DataType::kFloat16);
      }
    }
    for (const std::string& input : std::vector(graph_.inputs())) {
      if (graph_.TypeOf(input) == DataType::kFloat && !graph_.Uses(input).empty())
        CastBehind(input, DataType::kFloat16);
    }
    for (const std::string& output : std::vector(graph_.outputs())) {
      if (graph_.TypeOf(output) == DataType::kFloat && graph_.Producer(output) != nullptr)
        SetType(graph_, CastInFrontOf(output, DataType::kFloat), DataType::kFloat16);
    }
  }

  void AddCast(const std::string& from, const std::string& to, DataType type, const Node* behind) {
    Node* cast = graph_.AddNode("Cast", {from}, {to}, graph_.UniqueNodeName(to + "_Cast"), "", behind);
    cast->attributes["to"] = static_cast<int64_t>(type);
    SetType(graph_, to, type);
  }

  void CastBehind(const std::string& tensor, DataType type) {
    const std::string cast = graph_.UniqueTensorName(tensor + "_Cast_0_output");
    graph_.ReplaceUses(tensor, cast);
    AddCast(tensor, cast, type, graph_.FirstPlaceToRead(tensor));
  }

  // `tensor` is cast from what its writer writes now; the name of that.
  std::string CastInFrontOf(std::string tensor, DataType type) {  // NOLINT: a name that the writer has now
    const std::string before = graph_.UniqueTensorName(tensor + "_Cast_input");
    const ValueInfo info = graph_.Info(tensor) == nullptr ? ValueInfo{.type = type} : *graph_.Info(tensor);
    graph_.RenameOutput(tensor, before);
    AddCast(before, tensor, type, graph_.FirstPlaceToRead(before));
    graph_.SetInfo(tensor, info);
    return before;
  }

  void PutBetweenCasts(Node* node) {
    if (QuantizesTensor(*node)) {
      const std::string wide = graph_.UniqueTensorName(node->input(0) + "_Cast_output");
      AddCast(node->input(0), wide, DataType::kFloat, graph_.FirstPlaceToRead(node->input(0)));
      graph_.SetInput(node, 0, wide);
      return;
    }
    SetType(graph_, CastInFrontOf(node->output(), DataType::kFloat16), DataType::kFloat);
  }

  Model& model_;
  Graph& graph_;
  std::set<std::string> stays_, wide_scales_;
  std::vector<Node*> between_casts_;
};

}  // namespace

Result<int64_t> ComputeInFloat16(Model& model) {
  Model narrowed = model;
  PREON_ASSIGN_OR_RETURN(const int64_t wide_scales, Narrowing(narrowed).Run());
  model = std::move(narrowed);
  return wide_scales;
}

}  // namespace preon

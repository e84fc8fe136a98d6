#include "quantize/params/position_problem.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/text.h"
#include "quantize/plan/alignment.h"
#include "quantize/plan/dpu_operators.h"

namespace preon {
namespace {

constexpr std::array<std::string_view, 5> kActivationFunctions = {"Relu", "Clip", "LeakyRelu", "PRelu", "Gelu"};
constexpr std::array<std::string_view, 10> kPositioned = {
    "Concat", "MaxPool", "AveragePool", "GlobalAveragePool", "Pad", "Slice", "Add", "Sub", "Mul", "Conv"};
constexpr std::array<std::string_view, 3> kAlsoPositioned = {"Gemm", "HardSigmoid", "Sigmoid"};

class Builder {
 public:
  Builder(const Graph& graph, ScaleSource& scales) : graph_(graph), scales_(scales) {}

  Result<PositionProblem> Build() {
    for (const auto& node : graph_.nodes()) {
      if (!node->domain.empty() || (!Contains(kPositioned, node->op_type) && !Contains(kAlsoPositioned, node->op_type)))
        continue;
      PositionedNode positioned{.node = node.get(), .at = {.output = Output(*node)}};
      PREON_RETURN_IF_ERROR(AddInputs(*node, positioned.at));
      for (const Use& use : graph_.Uses(node->output()))
        positioned.is.feeds_leaky_relu = positioned.is.feeds_leaky_relu || use.node->Is("LeakyRelu");
      positioned.is.hard_sigmoid = IsHardSigmoid(*node);
      positioned.is.swish = node->Is("Mul") && IsSwish(*node);
      if (positioned.at.bias) positioned.is.finest_bias = scales_.FinestPositionOf(node->input(2));
      problem_.nodes.push_back(std::move(positioned));
    }
    return std::move(problem_);
  }

 private:
  PositionIndex Variable(const std::optional<KeptScale>& scale) {
    const std::optional<int> position = scale ? PositionOf(scale->scale) : std::nullopt;
    if (!position) return std::nullopt;
    const auto [known, fresh] = variables_.try_emplace(scale->owner, problem_.owners.size());
    if (fresh) {
      problem_.owners.push_back(scale->owner);
      problem_.positions.push_back(*position);
    }
    return known->second;
  }

  PositionIndex OfActivation(const std::string& tensor) { return Variable(scales_.OfActivation(tensor)); }

  Result<PositionIndex> Input(const Node& node, size_t index) {
    const std::string& tensor = node.input(index);
    if (graph_.Initializer(tensor) != nullptr) {
      PREON_ASSIGN_OR_RETURN(const std::optional<KeptScale> scale, scales_.OfConstant(tensor, node));
      return Variable(scale);
    }
    PositionIndex found = OfActivation(tensor);
    const Node* producer = graph_.Producer(tensor);
    if (!found && Contains(kAlignedPools, node.op_type) && producer != nullptr && producer->Is("Pad"))
      found = OfActivation(producer->input(0));
    return found;
  }

  Status AddInputs(const Node& node, NodeVariables& at) {
    const bool kernel = node.Is("Conv") || node.Is("Gemm");
    const bool all = node.Is("Concat"), two = node.Is("Add") || node.Is("Sub") || node.Is("Mul");
    const size_t count = all ? node.inputs().size() : two ? 2 : 1;
    for (size_t index = 0; index < count; ++index) {
      PREON_ASSIGN_OR_RETURN(at.inputs.emplace_back(), Input(node, index));
    }
    if (!kernel) return Status::Ok();
    PREON_ASSIGN_OR_RETURN(at.weight, Input(node, 1));
    if (!node.input(2).empty()) {
      PREON_ASSIGN_OR_RETURN(at.bias, Input(node, 2));
    }
    return Status::Ok();
  }

  PositionIndex Output(const Node& node) {
    PositionIndex found = OfActivation(node.output());
    const Node* reader = found ? nullptr : OnlyReader(graph_, node.output());
    if (reader == nullptr || reader->input(0) != node.output()) return found;
    const bool scaled = reader->Is("Mul") && (Contains(kAlignedPools, node.op_type) || node.Is("HardSigmoid"));
    return scaled || Contains(kActivationFunctions, reader->op_type) ? OfActivation(reader->output()) : std::nullopt;
  }

  bool IsHardSigmoid(const Node& node) const {
    return (node.Is("Sigmoid") && scales_.BecomesHardSigmoid(node)) || IsDpuHardSigmoid(node);
  }

  bool IsSwish(const Node& product) const {
    return std::ranges::any_of(product.inputs(), [&](const std::string& factor) {
      return std::ranges::any_of(graph_.Uses(factor), [&](const Use& use) { return IsHardSigmoid(*use.node); });
    });
  }

  const Graph& graph_;
  ScaleSource& scales_;
  std::map<std::string, size_t> variables_;
  PositionProblem problem_;
};

}  // namespace

Result<PositionProblem> MakePositionProblem(const Graph& graph, ScaleSource& scales) {
  return Builder(graph, scales).Build();
}

std::optional<int> PositionOf(float scale) {
  int exponent = 0;
  return std::frexp(scale, &exponent) == 0.5f ? std::optional(1 - exponent) : std::nullopt;
}

}  // namespace preon

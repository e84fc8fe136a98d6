#include "ranges/refine/output_tensors.h"

#include <algorithm>
#include <array>
#include <ranges>

namespace preon {
namespace {

constexpr std::array kSums = {"Conv",
                              "ConvTranspose",
                              "DeformConv",
                              "ConvInteger",
                              "QLinearConv",
                              "Gemm",
                              "MatMul",
                              "MatMulInteger",
                              "QLinearMatMul",
                              "Einsum",
                              "LSTM",
                              "GRU",
                              "RNN",
                              "Attention",
                              "AveragePool",
                              "GlobalAveragePool",
                              "LpPool",
                              "GlobalLpPool",
                              "ReduceMean",
                              "ReduceSum",
                              "ReduceL1",
                              "ReduceL2",
                              "ReduceSumSquare",
                              "ReduceLogSum",
                              "ReduceLogSumExp",
                              "CumSum",
                              "If",
                              "Loop",
                              "Scan"};

constexpr std::array kMoves = {"Transpose", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity"};

// The mean of constants, weighted by a Softmax: how detectors decode the distance to a side of a box (Li et al. 2020,
// "Generalized Focal Loss"). Scores that share tensors with it are only decoded.
bool IsExpectation(const Graph& graph, const Node& node) {
  if (!(node.Is("Conv") || node.Is("MatMul")) || graph.Initializer(node.input(1)) == nullptr) return false;
  const Node* before = graph.Producer(node.input(0));
  while (before != nullptr && std::ranges::any_of(kMoves, [&](const char* type) { return before->Is(type); }))
    before = graph.Producer(before->input(0));
  return before != nullptr && before->Is("Softmax");
}

bool SumsUp(const Graph& graph, const Node& node) {
  if (!node.domain.empty()) return true;
  return std::ranges::find(kSums, node.op_type) != kSums.end() && !IsExpectation(graph, node);
}

}  // namespace

std::set<std::string> FindOutputTensors(const Graph& graph, const std::set<std::string>& tensors) {
  std::set<std::string> lead_on;
  const auto leads_on = [&](const std::string& tensor) {
    return lead_on.contains(tensor) || graph.HasCapturedUse(tensor);
  };
  for (const auto& node : graph.nodes() | std::views::reverse) {
    if (SumsUp(graph, *node) || std::ranges::any_of(node->outputs(), leads_on))
      lead_on.insert(node->inputs().begin(), node->inputs().end());
  }
  std::set<std::string> behind;
  for (const std::string& tensor : tensors) {
    if (!leads_on(tensor)) behind.insert(tensor);
  }
  return behind;
}

}  // namespace preon

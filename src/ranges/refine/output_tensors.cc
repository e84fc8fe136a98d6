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

bool SumsUp(const Node& node) { return !node.domain.empty() || std::ranges::find(kSums, node.op_type) != kSums.end(); }

}  // namespace

std::set<std::string> FindOutputTensors(const Graph& graph, const std::set<std::string>& tensors) {
  std::set<std::string> lead_on;
  const auto leads_on = [&](const std::string& tensor) {
    return lead_on.contains(tensor) || graph.HasCapturedUse(tensor);
  };
  for (const auto& node : graph.nodes() | std::views::reverse) {
    if (SumsUp(*node) || std::ranges::any_of(node->outputs(), leads_on))
      lead_on.insert(node->inputs().begin(), node->inputs().end());
  }
  std::set<std::string> behind;
  for (const std::string& tensor : tensors) {
    if (!leads_on(tensor)) behind.insert(tensor);
  }
  return behind;
}

}  // namespace preon

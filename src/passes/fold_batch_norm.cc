// fold_batch_norm: BatchNormalization behind linear operators goes into their weights.
//
// Before:      y = BN(t), t = a linear operator and moves of its result, as in fold_affine
//              y = BN(Concat(t1, t2, …)), each ti such a tensor        (axis = channels)
// After:       y = t with other weights and biases
//              y = Concat(t1, t2, …), each with its slice of the parameters
// Conditions:  BN as in MatchBatchNorm; its channels are those of the linear operators; else those of fold_affine.
// Formula:     m = gamma / sqrt(var + epsilon);  W'[c] = m[c] * W[c];  b'[c] = m[c] * b[c] + beta[c] - mean[c] * m[c]
#include <algorithm>

#include "passes/node_pass.h"
#include "passes/passes.h"
#include "passes/support/batch_norm.h"
#include "passes/support/match.h"
#include "passes/support/rewrite.h"

namespace preon {
namespace {

// The linear operator whose channels dimension 1 of the tensor counts.
std::optional<LinearOp> LinearOfChannels(const Graph& graph, const std::string& tensor) {
  std::optional<LinearOp> linear = MatchLinearBehind(graph, tensor);
  if (linear && (linear->channel_axis != 1 || linear->adds_zeros)) linear.reset();
  return linear;
}

// The linear operators whose channels, one after the other, are those of `tensor`; empty if it is not made so.
std::vector<LinearOp> Branches(const Graph& graph, const std::string& tensor) {
  if (const std::optional<LinearOp> linear = LinearOfChannels(graph, tensor)) return {*linear};
  const Node* concat = ProducerOf(graph, tensor, "Concat");
  if (concat == nullptr || concat->Int("axis", 0) != 1 || OnlyReader(graph, tensor) == nullptr) return {};
  std::vector<LinearOp> branches;
  for (const std::string& input : concat->inputs()) {
    const std::optional<LinearOp> linear = LinearOfChannels(graph, input);
    if (!linear.has_value()) return {};
    branches.push_back(*linear);
  }
  return branches;
}

class FoldBatchNorm final : public NodePass {
 public:
  FoldBatchNorm()
      : NodePass({.name = "fold_batch_norm",
                  .summary = "folds BatchNormalization after Conv, ConvTranspose or Gemm into weight and bias",
                  .target_ops = {"BatchNormalization"},
                  .aliases = {"FoldBatchNorm"}}) {}

 private:
  Result<bool> Rewrite(Model& model, Node& node, const PassEnv& env) const override {
    Graph& graph = model.graph;
    const std::vector<LinearOp> branches = Branches(graph, node.input(0));
    const auto all_are = [&](std::string_view op_type) {
      return std::ranges::all_of(branches, [&](const LinearOp& branch) { return branch.node->Is(op_type); });
    };
    Arithmetic arithmetic = env.arithmetic;
    if (all_are("Conv")) arithmetic.missing_epsilon = kDefaultEpsilon;
    if (all_are("ConvTranspose")) arithmetic.missing_epsilon = arithmetic.missing_epsilon_transposed;
    const std::optional<ChannelAffine> affine = MatchBatchNorm(graph, node, arithmetic);
    if (!affine.has_value()) return false;
    size_t channels = 0;
    for (const LinearOp& branch : branches) channels += static_cast<size_t>(branch.channels);
    if (branches.empty() || channels != affine->scale.size()) return false;

    size_t first = 0;
    for (const LinearOp& branch : branches) {
      Absorb(*branch.node, node);
      const auto slice = [&](const std::vector<double>& values) {
        const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
        return std::vector<double>(begin, begin + branch.channels);
      };
      FoldAffine(graph, branch, {slice(affine->scale), slice(affine->shift)});
      first += static_cast<size_t>(branch.channels);
    }
    MergeIntoProducer(graph, node);
    return true;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeFoldBatchNormPass() { return std::make_unique<FoldBatchNorm>(); }

}  // namespace preon

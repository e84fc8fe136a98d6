#include "reconstruct/reconstruct.h"

#include <algorithm>
#include <cmath>

#include "reconstruct/output_judge.h"
#include "reconstruct/segment.h"
#include "reconstruct/solve_layer.h"

namespace preon {
namespace {

constexpr double kLeastError = 1e-20;  // 200 dB

double Decibels(double error) { return -10 * std::log10(std::max(error, kLeastError)); }

// How much larger the error of the outputs may be than the least so far. Where few codes make each layer's step large,
// a step may be right before the layers behind it have made up for it, and ten samples tell little of it.
double MostGrowth(const CodeGrids& grids, bool selective) {
  constexpr float kFewCodes = 31;
  const CodeGrid& grid = grids.grids.front();
  return !selective && grid.most - grid.least < kFewCodes ? 2 : 1;
}

class Reconstructor {
 public:
  Reconstructor(Model& quantized, const ReconstructionRule& rule, const OutputJudge& judge, bool selective,
                const RunContext& context)
      : quantized_(quantized), rule_(rule), judge_(judge), selective_(selective), context_(context) {}

  Status Begin(const LiveRuns& live) {
    PREON_ASSIGN_OR_RETURN(least_, judge_.Error(quantized_, live));
    last_ = least_;
    return Status::Ok();
  }
  double error() const { return last_; }

  /// Codes and bias; where the outputs do not bear them, the bias that fits the old codes; else nothing.
  Result<LayerOutcome> Improve(const MatchedLayer& layer, const LayerData& data, const LiveRuns& live) {
    LayerOutcome outcome{.node = layer.float_node->name, .outputs = static_cast<int64_t>(layer.in_float.bias.size())};
    std::vector<ReconstructionRule> attempts = {rule_};
    if (rule_.rounds && rule_.updates_bias) {
      attempts.push_back(rule_);
      attempts.back().rounds = false;
    }
    for (const ReconstructionRule& attempt : attempts) {
      const LayerSolution solution =
          SolveLayer(layer, data, attempt, OnThreads(static_cast<size_t>(context_.ThreadCount())));
      PREON_ASSIGN_OR_RETURN(const bool taken, Take(layer, solution, live));
      outcome.kept = solution.kept;
      if (taken) return outcome;
    }
    outcome.kept = 0;
    outcome.stays = true;
    return outcome;
  }

 private:
  // If the outputs bear the solution, the model gets it.
  Result<bool> Take(const MatchedLayer& layer, const LayerSolution& solution, const LiveRuns& live) {
    Model changed = quantized_;
    const Node& node = *changed.graph.FindNode(layer.name);
    WriteCodes(changed.graph, layer.coded, solution.codes);
    if (rule_.updates_bias && HasBias(changed.graph, node, solution.bias.size()))
      SetBias(changed.graph, node, solution.bias);
    PREON_ASSIGN_OR_RETURN(const double error, judge_.Error(changed, live));
    if (error >= MostGrowth(GridsOf(layer.coded, 0), selective_) * least_) return false;
    quantized_ = std::move(changed);
    last_ = error;
    least_ = std::min(error, least_);
    return true;
  }

  Model& quantized_;
  const ReconstructionRule& rule_;
  const OutputJudge& judge_;
  const bool selective_;
  const RunContext& context_;
  double least_ = 0, last_ = 0;  // error of the outputs
};

}  // namespace

Result<Reconstruction> Reconstruct(Model& quantized, const FloatReference& reference, const std::vector<Batch>& batches,
                                   const ReconstructionRule& rule, const ReconstructionScope& scope,
                                   const RunContext& context) {
  Reconstruction result;
  std::vector<MatchedLayer> layers = MatchLayers(quantized.graph, reference, result.left_out);
  std::erase_if(layers, [&](const MatchedLayer& layer) { return !scope.op_types.contains(layer.float_node->op_type); });
  LiveRuns live(batches, context);
  PREON_RETURN_IF_ERROR(SetTargets(reference.model, batches, scope.rows_per_input, live, layers));
  PREON_ASSIGN_OR_RETURN(const OutputJudge judge, OutputJudge::Make(reference.model, scope.output, live));
  const Model first = quantized;
  Reconstructor reconstructor(quantized, rule, judge, scope.selective, context);
  PREON_RETURN_IF_ERROR(reconstructor.Begin(live));
  const double before = reconstructor.error();
  const LiveRuns inputs = live;
  Progress progress{"reconstruct", 0, static_cast<int64_t>(layers.size())};
  for (MatchedLayer& layer : layers) {
    context.Report(progress);
    PREON_RETURN_IF_ERROR(context.CheckCancelled());
    const Model& read = scope.parallel ? first : quantized;
    layer.coded.node = read.graph.FindNode(layer.name);  // a layer before may have made the graph anew
    PREON_RETURN_IF_ERROR(live.GoOn(read, AliveBefore(read.graph, *layer.coded.node), scope.memory_bytes));
    PREON_ASSIGN_OR_RETURN(const LayerData data,
                           CollectLayer(read, layer.coded, layer.in_float, layer.targets, live, context));
    PREON_ASSIGN_OR_RETURN(LayerOutcome outcome, reconstructor.Improve(layer, data, scope.parallel ? inputs : live));
    result.layers.push_back(std::move(outcome));
    layer.targets = {};
    ++progress.done;
  }
  if (reconstructor.error() > before) quantized = first;
  result.before_db = Decibels(before);
  result.after_db = Decibels(std::min(before, reconstructor.error()));
  return result;
}

}  // namespace preon

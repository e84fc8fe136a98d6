#include "reconstruct/reconstruct.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "reconstruct/output_judge.h"
#include "reconstruct/segment.h"
#include "reconstruct/solve_layer.h"

namespace preon {
namespace {

constexpr double kLeastError = 1e-20;  // 200 dB
// One pass of the float model gives the targets of so many layers, or fewer whose outputs are as large as this.
constexpr size_t kTargetsAtOnce = 16;
constexpr int64_t kTargetElements = int64_t{1} << 21;  // of one run

double Decibels(double error) { return -10 * std::log10(std::max(error, kLeastError)); }

// How much larger the error of the outputs may be than the least so far. The few runs that judge tell little of one
// layer: refusals by chance cost 0.4 dB on unseen samples (ResNet20 and MobileNetV2, 7 presets each). Not of matrices,
// whose rows may be tokens that no output depends on: there the layer's own error tells less (SST-2 lost 1 to 3 dB).
// Where few codes make each layer's step large, a step may be right before the layers behind make up for it.
constexpr double kMostGrowthOfConv = 1.3, kMostGrowthOfFewCodes = 2;

class Reconstructor {
 public:
  Reconstructor(Model& quantized, const Model& reference, const ReconstructionRule& rule,
                const ReconstructionScope& scope, const OutputJudge& judge, const LiveRuns& live)
      : quantized_(quantized),
        first_(quantized),
        reference_(reference),
        inputs_(live),
        rule_(rule),
        scope_(scope),
        judge_(judge),
        in_float_(live),
        live_(live) {}

  Status Begin() {
    PREON_ASSIGN_OR_RETURN(least_, judge_.Error(quantized_, live_));
    last_ = before_ = least_;
    return Status::Ok();
  }
  double error() const { return last_; }
  const Model& first() const { return first_; }

  /// All layers, in groups.
  Status ImproveAll(std::span<MatchedLayer> layers, const RunContext& context, std::vector<LayerOutcome>& outcomes) {
    if (layers.empty()) return Status::Ok();
    const size_t together = scope_.blocks == 0 ? 1 : (layers.size() + scope_.blocks - 1) / scope_.blocks;
    size_t with_targets = 0;
    for (size_t first = 0; first < layers.size(); first += together) {
      context.Report({"reconstruct", static_cast<int64_t>(first), static_cast<int64_t>(layers.size())});
      if (refused_ >= scope_.most_refused) {
        for (const MatchedLayer& layer : layers.subspan(first)) outcomes.push_back(Stays(layer));
        return Status::Ok();
      }
      if (first >= with_targets) {
        const size_t count = TargetsAtOnce(layers.subspan(first), together);
        PREON_RETURN_IF_ERROR(
            SetTargets(reference_, scope_.rows, layers.subspan(first), count, scope_.memory_bytes, in_float_));
        with_targets = first + count;
      }
      const std::span group = layers.subspan(first, std::min(together, layers.size() - first));
      PREON_RETURN_IF_ERROR(group.size() == 1 ? ImproveOne(group.front(), context, outcomes)
                                              : Improve(group, context, outcomes));
      for (MatchedLayer& layer : group) layer.targets = {};  // of layers without evidence, too
    }
    return Status::Ok();
  }

 private:
  // Of these layers, which come in groups: at least one group.
  size_t TargetsAtOnce(std::span<const MatchedLayer> layers, size_t group) const {
    size_t count = 0;
    int64_t elements = 0;
    while (count < std::min(kTargetsAtOnce, layers.size()) && elements < kTargetElements)
      elements += ElementCount(reference_.graph.ShapeOf(layers[count++].float_node->output()).value_or(Shape{}));
    return std::min(layers.size(), std::max(count / group, size_t{1}) * group);
  }

  // Layers that follow each other, judged together.
  Status Improve(std::span<MatchedLayer> layers, const RunContext& context, std::vector<LayerOutcome>& outcomes) {
    const Model before = quantized_;
    const LiveRuns live_before = live_;
    std::vector<LayerOutcome> together;
    for (MatchedLayer& layer : layers) {
      if (!HasEvidence(layer)) {
        together.push_back(Stays(layer));
        continue;
      }
      PREON_ASSIGN_OR_RETURN(const LayerSolution solution, Solve(layer, context));
      Write(layer, &solution.codes, solution.bias, quantized_);
      together.push_back(OutcomeOf(layer, solution.kept));
    }
    const auto stays = [](const LayerOutcome& outcome) { return outcome.stays; };
    bool borne = std::ranges::all_of(together, stays);  // nothing has changed
    if (!borne) {
      PREON_ASSIGN_OR_RETURN(borne, IsBorne(quantized_, layers.front()));
    }
    if (!borne) {
      ++refused_;
      quantized_ = before;
      live_ = live_before;
      for (size_t i = 0; i < layers.size(); ++i) together[i] = Stays(layers[i]);
    }
    outcomes.insert(outcomes.end(), together.begin(), together.end());
    return Status::Ok();
  }

  // Are there enough rows that codes are fitted to?
  bool HasEvidence(const MatchedLayer& layer) const {
    size_t rows = 0;
    for (size_t run = 0; run < live_.runs(); ++run) rows += live_.Fits(run) ? layer.targets.places[run].size() : 0;
    return static_cast<double>(rows) >= scope_.rows.evidence * static_cast<double>(layer.coded.form.inputs);
  }

  static LayerOutcome Stays(const MatchedLayer& layer) {
    LayerOutcome outcome = OutcomeOf(layer, 0);
    outcome.stays = true;
    return outcome;
  }

  static LayerOutcome OutcomeOf(const MatchedLayer& layer, int64_t kept) {
    return {.node = layer.float_node->name, .outputs = static_cast<int64_t>(layer.in_float.bias.size()), .kept = kept};
  }

  // By what the layer reads, given the layers before; the runs go on to it.
  Result<LayerSolution> Solve(MatchedLayer& layer, const RunContext& context) {
    PREON_RETURN_IF_ERROR(context.CheckCancelled());
    const Model& read = scope_.parallel ? first_ : quantized_;
    layer.coded.node = read.graph.FindNode(layer.name);  // a layer before may have made the graph anew
    PREON_RETURN_IF_ERROR(live_.GoOn(read, AliveBefore(read.graph, *layer.coded.node), scope_.memory_bytes));
    if (!rule_.updates_bias && !layer.coded.bias) KeepBias(read.graph, layer);
    PREON_ASSIGN_OR_RETURN(LayerData data,
                           CollectLayer(read, layer.coded, layer.in_float, layer.targets, live_, context));
    layer.targets = {};
    return SolveLayer(layer, std::move(data), rule_, OnThreads(static_cast<size_t>(context.ThreadCount())));
  }

  // Codes are fitted beside the bias that the quantized layer has.
  static void KeepBias(const Graph& quantized, MatchedLayer& layer) {
    const std::optional<std::vector<float>> stays =
        BiasValues(quantized, *layer.coded.node, layer.in_float.bias.size());
    if (stays) layer.in_float.bias = *stays;
    layer.in_float.keeps_bias = stays.has_value();
  }

  // @param codes  null: they stay
  void Write(const MatchedLayer& layer, const std::vector<Matrix>* codes, const std::vector<double>& bias,
             Model& model) const {
    const Node& node = *model.graph.FindNode(layer.name);
    if (codes != nullptr) WriteCodes(model.graph, layer.coded, *codes);
    if (rule_.updates_bias && HasBias(model.graph, node, bias.size())) SetBias(model.graph, node, bias);
  }

  double MostError(const MatchedLayer& layer) const {
    if (scope_.selective) return least_;
    if (layer.coded.has_few_codes()) return kMostGrowthOfFewCodes * least_;
    // What was gained so far may be lost again, and no more.
    return layer.float_node->Is("Conv") ? std::min(kMostGrowthOfConv * least_, before_) : least_;
  }

  // Do the outputs bear the change that begins with this layer?
  Result<bool> IsBorne(const Model& changed, const MatchedLayer& layer) {
    PREON_ASSIGN_OR_RETURN(const double error, judge_.Error(changed, scope_.parallel ? inputs_ : live_));
    if (error >= MostError(layer)) return false;
    last_ = error;
    least_ = std::min(error, least_);
    return true;
  }

  // Codes and bias; where the outputs do not bear them, the bias that fits the old codes; else nothing. Few rows are
  // enough here, because the outputs judge this layer alone.
  Status ImproveOne(MatchedLayer& layer, const RunContext& context, std::vector<LayerOutcome>& outcomes) {
    PREON_ASSIGN_OR_RETURN(const LayerSolution solution, Solve(layer, context));
    Model changed = quantized_;
    Write(layer, &solution.codes, solution.bias, changed);
    PREON_ASSIGN_OR_RETURN(bool borne, IsBorne(changed, layer));
    int64_t kept = solution.kept;
    if (!borne && rule_.updates_bias) {
      kept = 0;
      changed = quantized_;
      Write(layer, nullptr, solution.bias_alone, changed);
      PREON_ASSIGN_OR_RETURN(borne, IsBorne(changed, layer));
    }
    if (borne) quantized_ = std::move(changed);
    outcomes.push_back(borne ? OutcomeOf(layer, kept) : Stays(layer));
    return Status::Ok();
  }

  Model& quantized_;
  const Model first_;
  const Model& reference_;
  const LiveRuns inputs_;
  const ReconstructionRule& rule_;
  const ReconstructionScope& scope_;
  const OutputJudge& judge_;
  LiveRuns in_float_, live_;
  double before_ = 0, least_ = 0, last_ = 0;  // error of the outputs: of all layers as they were, at best, now
  size_t refused_ = 0;                        // groups of several layers that the outputs did not bear
};

}  // namespace

Result<double> OutputsDb(const Model& quantized, const Model& reference, const std::vector<Batch>& runs,
                         const RunContext& context) {
  const LiveRuns live(runs, context, 1);
  PREON_ASSIGN_OR_RETURN(const OutputJudge judge, OutputJudge::Make(reference, std::nullopt, live));
  PREON_ASSIGN_OR_RETURN(const double error, judge.Error(quantized, live));
  return Decibels(error);
}

Result<Reconstruction> Reconstruct(Model& quantized, const FloatReference& reference, const std::vector<Batch>& batches,
                                   const ReconstructionRule& rule, const ReconstructionScope& scope,
                                   const RunContext& context) {
  Reconstruction result{.runs = static_cast<int64_t>(batches.size())};
  std::vector<MatchedLayer> layers = MatchLayers(quantized.graph, reference, result.left_out);
  std::erase_if(layers, [&](const MatchedLayer& layer) {
    const Node& node = *layer.float_node;
    return !scope.op_types.contains(node.op_type) || (!scope.only.empty() && !scope.only.contains(node.name));
  });
  const LiveRuns live(batches, context, scope.judging_step);
  PREON_ASSIGN_OR_RETURN(const OutputJudge judge, OutputJudge::Make(reference.model, scope.output, live));
  result.is_judged = judge.HasOutputs();
  if (!result.is_judged) return result;
  Reconstructor reconstructor(quantized, reference.model, rule, scope, judge, live);
  PREON_RETURN_IF_ERROR(reconstructor.Begin());
  const double before = reconstructor.error();
  result.before_db = result.after_db = Decibels(before);
  result.is_near = scope.enough_db && result.before_db >= *scope.enough_db;
  if (result.is_near) return result;
  if (Status done = reconstructor.ImproveAll(layers, context, result.layers); !done.ok()) {
    quantized = reconstructor.first();
    return done;
  }
  result.after_db = Decibels(std::min(before, reconstructor.error()));
  result.is_kept = reconstructor.error() <= before && result.after_db - result.before_db >= scope.least_gain_db;
  if (!result.is_kept) quantized = reconstructor.first();
  return result;
}

}  // namespace preon

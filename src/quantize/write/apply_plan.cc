// QuantPlan × ranges → Q/DQ graph. Order: parameters of activations, Relu/Clip that codes absorb, hooks of
// algorithms, weights (their scales may grow to keep a bias inside int32), biases, Q/DQ pairs; then the passes of
// quantize/qdq_passes/. What decides scales and codes stays in the writer: passes see a finished graph.
#include <algorithm>
#include <ranges>
#include <set>

#include "base/spelling.h"
#include "formats/quark_operators.h"
#include "ir/model_io.h"
#include "quantize/params/refine_positions.h"
#include "quantize/plan/float_reason.h"
#include "quantize/plan/op_traits.h"
#include "quantize/plan/quant_plan.h"
#include "quantize/write/apply_plan.h"
#include "quantize/write/constant_writer.h"
#include "quantize/write/dynamic_writer.h"
#include "quantize/write/nbits_writer.h"
#include "quantize/write/pair_writer.h"
#include "quantize/write/qdq_writer.h"
#include "quantize/write/type_writer.h"
#include "quantize/write/write_bodies.h"

namespace preon {
namespace {

constexpr size_t kToldNames = 3;

class PlanWriter {
 public:
  PlanWriter(Model& model, const QuantPlan& plan, const TensorRanges& ranges, const WriteHooks& hooks,
             std::vector<std::string>* warnings)
      : graph_(model.graph),
        plan_(plan),
        hooks_(hooks),
        warnings_(warnings),
        writer_(graph_, plan.domain),
        types_(graph_, writer_, plan),
        params_(graph_, plan, ranges),
        constants_(graph_, plan, hooks, params_, writer_, types_),
        pairs_(graph_, writer_, types_) {
    for (const NodeDecision& decision : plan.nodes) {
      const Node* node = graph_.FindNode(decision.node);
      // The other tools change what reads a tensor outside of branches alone.
      const bool as_others = node != nullptr && plan.compat != Compat::kOff &&
                             decision.reason == FloatReason::kSubgraph && (node->IsInBranch() || node->IsFlatIf());
      branches_stay_float_ |= as_others;
      if (as_others || decision.reason == FloatReason::kNotReached)
        all_take_ = false;
      else
        takers_.insert(node);
      if (!decision.is_static()) continue;
      integer_.insert(node);
      // MatMul and most Gemm also come with a float output; asked here, before clamps behind them are absorbed.
      const bool float_output = node->Is("MatMul") || (node->Is("Gemm") && !NeedsQuantizedOutput(graph_, *node));
      if (!float_output) writes_codes_.insert(node);
    }
  }

  const PositionTable& positions() const { return positions_; }

  Status Write() {
    PREON_RETURN_IF_ERROR(params_.Compute());
    AbsorbClamps();
    PREON_RETURN_IF_ERROR(RunHooksBeforeWeights());
    if (plan_.positions) PREON_RETURN_IF_ERROR(RefinePositions());
    PREON_RETURN_IF_ERROR(constants_.Write());
    UpdateBiases(params_, positions_);
    if (plan_.compat != Compat::kOff) DropBetas();
    if (const std::optional<std::string> warning = params_.Warning()) Warn(*warning);
    if (const std::set<std::string>& enlarged = constants_.enlarged(); !enlarged.empty()) {
      Warn(StrCat("scales of ", FirstNames(enlarged, kToldNames), " enlarged so that the bias fits int32"));
    }
    if (const std::set<std::string>& reduced = constants_.reduced(); !reduced.empty()) {
      Warn(StrCat(
          "the given scale of ", FirstNames(reduced, kToldNames),
          " leaves no room for processors without VNNI, which add two products in 16 bits: large codes were made "
          "smaller, and accuracy may be lower; --vnni keeps all codes, for processors with VNNI"));
    }
    PREON_RETURN_IF_ERROR(WritePairs());
    for (const std::unique_ptr<WriteHook>& hook : hooks_) hook->OnWritten(params_);
    return Status::Ok();
  }

 private:
  // Relu/Clip behind an integer kernel: the codes' own limits do its work, if they lie inside its bounds, which is
  // checked on the final scale. If not, the clamp stays and its input gets the same codes: nothing outside survives
  // it.
  void AbsorbClamps() {
    const std::set<std::string> folded(plan_.folded_clamps.begin(), plan_.folded_clamps.end());
    std::vector<std::pair<Node*, Range>> clamps;  // bounds as they are before one behind another has changed names
    for (const auto& node : graph_.nodes()) {
      if (folded.contains(node->name)) clamps.emplace_back(node.get(), ClampRange(graph_, *node).value());
    }
    for (const auto& [clamp, bounds] : clamps | std::views::reverse) {  // of one behind another the last has the codes
      const std::string input = clamp->input(0), output = clamp->output();
      const ActivationParams& activation = params_.activations().at(output);
      const Range covered = RepresentableRange(activation.params, activation.format);
      const float half_step = activation.params.scale / 2;
      const bool inside = covered.min >= bounds.min - half_step && covered.max <= bounds.max + half_step;
      if (activation.has_steps() && (inside || plan_.compat != Compat::kOff)) {  // other tools do not look
        Node* producer = graph_.Producer(input);
        graph_.SetOutput(clamp, 0, graph_.UniqueTensorName(output + "_unused"));
        graph_.SetInput(clamp, 0, "");
        graph_.SetOutput(producer, 0, output);
        producer->origins.insert(producer->origins.end(), clamp->origins.begin(), clamp->origins.end());
        integer_.erase(clamp);
        writes_codes_.erase(clamp);
        takers_.erase(clamp);
        graph_.RemoveNode(clamp);
      } else {
        ActivationParams same = activation;
        same.converts = {};
        params_.activations()[input] = same;
      }
    }
  }

  Status RunHooksBeforeWeights() {
    for (const std::unique_ptr<WriteHook>& hook : hooks_) {
      PREON_ASSIGN_OR_RETURN(const std::vector<DividedChannels> divided, hook->BeforeWeights(graph_, params_));
      for (const DividedChannels& channels : divided) {
        for (const std::unique_ptr<WriteHook>& told : hooks_) told->OnDivided(channels);
      }
    }
    return Status::Ok();
  }

  // Quark and ONNX Runtime write a Gemm without beta, whatever has become of its bias (docs/compat.md).
  void DropBetas() {
    for (const NodeDecision& decision : plan_.nodes) {
      if (decision.op_type != "Gemm" || !decision.is_static()) continue;
      Node* gemm = graph_.FindNode(decision.node);
      const bool has_codes = gemm->input(2).empty() || gemm->Float("beta", 1) == 1;
      if (gemm->attributes.erase("beta") > 0 && !has_codes)
        Warn(StrCat(decision.node, ": beta of this Gemm is dropped, as --compat ", CompatName(plan_.compat),
                    " asks: its outputs are wrong"));
    }
  }

  // Behind all that changes weights and ranges, in front of the first code.
  Status RefinePositions() {
    const auto params_of = [&](const std::string& constant, const WeightPlan& weight) {
      return constants_.ParamsOf(constant, weight);
    };
    PREON_ASSIGN_OR_RETURN(positions_, preon::RefinePositions(graph_, plan_, params_, params_of));
    if (!plan_.positions->moves || positions_.violations.empty()) return Status::Ok();
    Warn(StrCat("the NPU can't shift as far as these nodes need, so the model does not run there: ",
                FirstNames(positions_.violations, kToldNames),
                !positions_.cycle.empty()
                    ? StrCat(" (limits that contradict each other move the same positions again and again, at ",
                             JoinNames(positions_.cycle), ")")
                : positions_.rounds >= plan_.positions->rounds
                    ? StrCat(" (MaxLoopNum: ", positions_.rounds, " rounds were not enough)")
                    : ""));
    return Status::Ok();
  }

  Status WritePairs() {
    const std::set<const Node*> readers(integer_.begin(), integer_.end());
    for (const auto& [tensor, params] : params_.activations()) {
      const auto planned = plan_.activations.find(tensor);  // none: an input of a clamp that stayed
      const ActivationPlan& activation = planned == plan_.activations.end() ? ActivationPlan{} : planned->second;
      if (!activation.pair) continue;
      // Behind an integer kernel every reader takes the codes (a second reader of the raw value would keep the kernel
      // float); behind a float operator only integer readers do, the others keep the exact value.
      const Node* producer = graph_.Producer(tensor);
      const bool named = producer != nullptr && (graph_.IsOutput(tensor) || graph_.HasCapturedUse(tensor));
      const std::set<const Node*>* takers = &readers;  // null: everyone
      // Nodes of a branch that the data never took read what they read in the float model.
      if (plan_.dequantize_for_all_readers) takers = all_take_ || named ? nullptr : &takers_;
      if (producer != nullptr && writes_codes_.count(producer) > 0)
        takers = branches_stay_float_ && !named ? &takers_ : nullptr;
      PREON_RETURN_IF_ERROR(pairs_.Write(tensor, activation, params, named && takers == nullptr, takers));
    }
    return Status::Ok();
  }

  void Warn(std::string warning) {
    if (warnings_ != nullptr) warnings_->push_back(std::move(warning));
  }

  Graph& graph_;
  const QuantPlan& plan_;
  const WriteHooks& hooks_;
  std::vector<std::string>* warnings_;
  QdqWriter writer_;
  TypeWriter types_;
  PlanParams params_;
  ConstantWriter constants_;
  PairWriter pairs_;
  PositionTable positions_;
  std::set<const Node*> integer_;
  std::set<const Node*> takers_;  // those that may read behind a pair
  bool all_take_ = true;
  bool branches_stay_float_ = false;
  std::set<const Node*> writes_codes_;  // integer kernels that exist only with codes at the output
};

}  // namespace

Result<Model> ApplyPlan(const Model& model, const QuantPlan& plan, const TensorRanges& ranges, const WriteHooks& hooks,
                        std::vector<std::string>* warnings, const ApplyPlanOptions& options) {
  Model quantized = model;
  const auto store_floats = [&]() -> Status {
    PREON_ASSIGN_OR_RETURN(std::vector<StoredFloatWeight> stored, StoreFloatWeights(quantized.graph, plan));
    if (options.float_weights != nullptr) *options.float_weights = std::move(stored);
    const bool is_asked_for = plan.float_weights.excluded_too && plan.float_weights.smallest != FloatStorage::kFloat32;
    if (is_asked_for && warnings != nullptr && HasLargeWeights(quantized.graph))
      warnings->push_back(
          "--float-weights has no effect: the result has more than 1 GiB of weights, which the runtime maps from the "
          "file as they are");
    return Status::Ok();
  };
  if (plan.is_dynamic() && plan.activations.empty()) {
    PREON_RETURN_IF_ERROR(WriteDynamic(quantized, plan));
    PREON_RETURN_IF_ERROR(store_floats());
    return quantized;
  }
  // A body can't be run on its own, and passes that only the user asks for are for the model as a whole.
  const QdqPassOptions in_body{.disabled = options.passes.disabled};
  const auto write_body = [&](const Model& body, const QuantPlan& body_plan) {
    return ApplyPlan(body, body_plan, {}, {}, warnings, {.passes = in_body});
  };
  PREON_RETURN_IF_ERROR(WriteBodies(quantized, plan.bodies, write_body));
  PlanWriter writer(quantized, plan, ranges, hooks, warnings);
  PREON_RETURN_IF_ERROR(writer.Write());
  if (options.positions != nullptr) *options.positions = writer.positions();
  PREON_RETURN_IF_ERROR(WriteNBits(quantized, plan.nbits, hooks, options.threads));
  for (const char* domain : {kQuarkDomain, kContribDomain}) {
    const auto in_domain = [&](const auto& node) { return node->domain == domain; };
    if (std::ranges::any_of(quantized.graph.nodes(), in_domain)) quantized.opsets.emplace(domain, 1);
  }
  if (plan.compat != Compat::kOff) quantized.metadata.emplace_back("preon.compat", CompatName(plan.compat));
  std::vector<std::string> told;
  PREON_ASSIGN_OR_RETURN(const std::vector<PassRecord> records, RunQdqPasses(quantized, plan, options.passes, told));
  for (const PassRecord& record : records) {
    if (!record.problem.empty()) told.push_back(StrCat("pass ", record.name, ": ", record.problem));
  }
  if (warnings != nullptr) warnings->insert(warnings->end(), told.begin(), told.end());
  // They read and write floats, which the pairs between the static nodes have to give first.
  if (!plan.dynamic.nodes.empty()) PREON_RETURN_IF_ERROR(WriteDynamic(quantized, plan));
  PREON_RETURN_IF_ERROR(store_floats());  // behind all that reads float constants
  return quantized;
}

}  // namespace preon

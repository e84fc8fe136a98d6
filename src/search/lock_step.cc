#include "search/lock_step.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/system.h"
#include "pipeline/select_ranges.h"
#include "pipeline/write_plan.h"
#include "quantize/params/plan_params.h"
#include "quantize/read/stored_codes.h"
#include "quantize/write/dynamic_writer.h"
#include "ranges/refine/read_activation.h"
#include "runtime/observed_session.h"
#include "search/sum_of_squares.h"
#include "search/tail_copies.h"

namespace preon {
namespace {

constexpr size_t kSamples = 4;
constexpr double kEnoughElements = 4e6;  // of all tensors in one run or several: no further sample says much more
constexpr int64_t kElements = 16384;     // of a tensor and run

struct Watched {
  std::string tensor;
  std::string quantized;  // the tensor of the quantized model that its readers take in its place
  const ActivationParams* codes = nullptr;
  double (*function)(double) = nullptr;  // through which all readers see it
};

// Of one run.
struct Picked {
  std::vector<std::vector<float>> values;  // of each tensor, at the same places in both models
  std::vector<Shape> shapes;
  std::map<size_t, Tensor> whole;

  double Count(size_t index) const { return static_cast<double>(ElementCount(shapes[index])); }
};

class Picker final : public TensorObserver {
 public:
  explicit Picker(size_t tensors) : tensors_(tensors) { Take(); }

  void Observe(size_t index, const ObservedValue& value, const ParallelFor&) override {
    picked_.shapes[index] = value.shape;
    picked_.values[index] = SomeElements(value, kElements);
    if (whole_.contains(index))
      picked_.whole[index] =
          Tensor::FromFloats(value.shape, std::vector<float>(value.data, value.data + ElementCount(value.shape)));
  }

  void KeepWhole(size_t index) { whole_.insert(index); }
  Picked Take() {
    return std::exchange(picked_, {std::vector<std::vector<float>>(tensors_), std::vector<Shape>(tensors_), {}});
  }

 private:
  size_t tensors_;
  std::set<size_t> whole_;
  Picked picked_;
};

// Behind its pair, where it has one.
std::string InQuantized(const Graph& quantized, const std::string& tensor) {
  for (const Use& use : quantized.Uses(tensor)) {
    if (use.node->op_type != "QuantizeLinear" || use.input != 0) continue;
    for (const Use& reader : quantized.Uses(use.node->output()))
      if (reader.node->op_type == "DequantizeLinear" && reader.input == 0) return reader.node->output();
  }
  return tensor;
}

std::vector<Watched> TensorsToWatch(const PlannedModel& prepared, const Graph& quantized, PlanParams& params) {
  const Graph& graph = prepared.model.graph;
  std::vector<std::string> names = graph.inputs();
  for (const auto& node : graph.nodes()) names.insert(names.end(), node->outputs().begin(), node->outputs().end());
  std::vector<Watched> watched;
  for (const std::string& tensor : names) {
    if (tensor.empty() || graph.TypeOf(tensor) != DataType::kFloat || !quantized.HasTensor(tensor)) continue;
    const auto codes = params.activations().find(tensor);
    const ReadActivation activation = FindReadActivation(graph, tensor);
    watched.push_back({tensor, InQuantized(quantized, tensor),
                       codes == params.activations().end() || codes->second.block ? nullptr : &codes->second,
                       activation == ReadActivation::kNone ? nullptr : FunctionOf(activation)});
  }
  return watched;
}

// Constants in place of codes: the runtime gives each reader a DequantizeLinear of its own, also of weights that a
// hundred nodes share, and runs all of them first. Returns their names.
std::set<std::string> DecodeWeights(Graph& graph) {
  std::vector<Node*> decoders;
  for (const auto& node : graph.nodes())
    if (node->op_type == "DequantizeLinear" && graph.Initializer(node->input(0)) != nullptr)
      decoders.push_back(node.get());
  std::set<std::string> constants;
  for (Node* node : decoders) {
    const Tensor decoded = DecodedValues(*graph.Initializer(node->input(0)), CodesAt(graph, *node));
    if (decoded.type() != DataType::kFloat) continue;
    const std::string constant = graph.UniqueTensorName(node->output() + "_decoded");
    graph.SetInitializer(constant, decoded);
    graph.ReplaceUses(node->output(), constant);
    if (graph.UseCount(node->output()) == 0) graph.RemoveNode(node);
    constants.insert(constant);
  }
  graph.RemoveUnusedInitializers();
  return constants;
}

// Beside each integer Conv, Gemm and MatMul a twin whose weight is the rounding error of the first one's, so that its
// output is what that error makes of float inputs. Gives the sums of squares as outputs of the model, by node.
// @param decoded  constants of the quantized graph that were codes
std::map<std::string, std::string> AddTwins(Graph& graph, const QuantPlan& plan, const Graph& quantized,
                                            const std::set<std::string>& decoded) {
  std::map<std::string, std::string> sums;
  std::map<std::pair<std::string, std::string>, std::string>
      errors;  // by float and decoded weight, which nodes may share
  for (const NodeDecision& decision : plan.nodes) {
    const Node* node = graph.FindNode(decision.node);
    const Node* written = quantized.FindNode(decision.node);
    const bool in_branch = node != nullptr && node->IsInBranch();
    if (!decision.is_static() || node == nullptr || written == nullptr || in_branch) continue;
    const Tensor* weight = graph.Initializer(node->input(1));
    if (weight == nullptr || !(node->Is("Conv") || node->Is("Gemm") || node->Is("MatMul"))) continue;
    if (!decoded.contains(written->input(1))) continue;
    const Tensor& rounded = *quantized.Initializer(written->input(1));
    if (rounded.shape() != weight->shape()) continue;
    std::string& constant = errors[{node->input(1), written->input(1)}];
    if (constant.empty()) {
      std::vector<float> error(rounded.floats().begin(), rounded.floats().end());
      for (size_t i = 0; i < error.size(); ++i) error[i] -= weight->floats()[i];
      constant = graph.UniqueTensorName(node->input(1) + "_error");
      graph.SetInitializer(constant, Tensor::FromFloats(weight->shape(), error));
    }
    const std::string output = graph.UniqueTensorName(node->output() + "_weight_error");
    graph.AddNode(node->op_type, {node->input(0), constant}, {output}, "", "", graph.NodeBehind(node))->attributes =
        node->attributes;
    sums.emplace(decision.node, AddSumOfSquares(graph, output));
  }
  return sums;
}

// Copies of the dynamic nodes, which read floats, too: what they write less what the float nodes write is their error.
Status AddDynamicTwins(Model& model, const QuantPlan& plan, std::map<std::string, std::string>& sums) {
  Graph& graph = model.graph;
  QuantPlan twins;
  twins.dynamic.weights = plan.dynamic.weights;
  for (const std::string& name : plan.dynamic.nodes) {
    const Node* node = graph.FindNode(name);
    if (node->IsInBranch()) continue;
    std::vector<std::string> outputs = node->outputs();
    for (std::string& output : outputs)
      if (!output.empty()) output = graph.UniqueTensorName(output + "_twin");
    const std::string exact = node->FirstOutput();
    const size_t index = static_cast<size_t>(std::ranges::find(node->outputs(), exact) - node->outputs().begin());
    const std::string difference = graph.UniqueTensorName(exact + "_difference");
    const Node* behind = graph.NodeBehind(node);
    Node* twin = graph.AddNode(node->op_type, node->inputs(), outputs, name + "_twin", node->domain, behind);
    twin->attributes = node->attributes;
    graph.AddNode("Sub", {outputs[index], exact}, {difference}, "", "", behind);
    sums.emplace(name, AddSumOfSquares(graph, difference));
    twins.dynamic.nodes.push_back(twin->name);
  }
  return twins.dynamic.nodes.empty() ? Status::Ok() : WriteDynamic(model, twins);
}

void AddErrors(const Watched& watched, std::span<const float> exact, std::span<const float> got, double count,
               TensorError& error) {
  const size_t picked = std::min(exact.size(), got.size());
  if (picked == 0 || exact.size() != got.size()) return;
  const auto behind = [&](double value) { return watched.function == nullptr ? value : watched.function(value); };
  TensorError sums;
  for (size_t i = 0; i < picked; ++i) {
    const double value = exact[i], noise = got[i] - value;
    if (!std::isfinite(value) || !std::isfinite(noise)) continue;
    const double seen = behind(value);
    sums.signal += seen * seen;
    sums.noise += std::pow(behind(got[i]) - seen, 2);
    sums.inherited += noise * noise;
    if (watched.codes == nullptr) continue;
    const QuantParams& params = watched.codes->params;
    const int64_t code = EncodeValue(exact[i], params, watched.codes->format);
    const double rounded = params.scale * static_cast<double>(code - params.zero_point);
    sums.rounding += std::pow(behind(rounded) - seen, 2);
    sums.inherited -= std::pow(rounded - value, 2);
  }
  const double all = count / static_cast<double>(picked);
  error.signal += all * sums.signal;
  error.noise += all * sums.noise;
  error.rounding += all * sums.rounding;
  error.inherited += all * std::max(0.0, sums.inherited);
}

std::vector<const TrialRun*> SomeOf(const TrialSamples& samples) {
  std::vector<const TrialRun*> some;
  const size_t count = samples.runs().size(), step = std::max<size_t>(1, count / kSamples);
  for (size_t run = 0; run < count && some.size() < kSamples; run += step) some.push_back(&samples.runs()[run]);
  return some;
}

// What the copy of the float model gives out beside its tensors.
struct AddedSums {
  std::map<std::string, std::string> weights;  // of twins, by node
  std::vector<TailCopy> tails;
};

size_t IndexOf(const std::vector<Watched>& watched, const std::string& tensor) {
  return static_cast<size_t>(std::ranges::find(watched, tensor, &Watched::tensor) - watched.begin());
}

// Frees the model: each session has a copy of the weights.
Result<ObservedSession> OpenInPlaceOf(std::optional<Model>& model, const std::vector<std::string>& tensors,
                                      Picker& picker, const RunContext& context) {
  const ObservedSessionOptions as_written{
      .session = {.threads = context.ThreadCount()}, .optimize = false, .few_runs = true};
  Result<ObservedSession> session = ObservedSession::Open(*model, tensors, &picker, as_written, context);
  model.reset();
  return session;
}

// What the quantized model computes in the runs, or in the first of them that say enough.
Result<std::vector<Picked>> RunQuantized(std::optional<Model>& quantized, const std::vector<Watched>& watched,
                                         const std::vector<TailCopy>& tails, const std::vector<const TrialRun*>& runs,
                                         const RunContext& context) {
  std::vector<std::string> tensors;
  for (const Watched& one : watched) tensors.push_back(one.quantized);
  Picker picker(watched.size());
  for (const TailCopy& tail : tails) picker.KeepWhole(IndexOf(watched, tail.tensor));
  PREON_ASSIGN_OR_RETURN(ObservedSession session, OpenInPlaceOf(quantized, tensors, picker, context));
  std::vector<Picked> got;
  double seen = 0;
  for (const TrialRun* run : runs) {
    if (seen >= kEnoughElements) break;
    PREON_RETURN_IF_ERROR(session.Run(run->batch.feeds, context).status());
    got.push_back(picker.Take());
    for (size_t index = 0; index < watched.size(); ++index) seen += got.back().Count(index);
  }
  return got;
}

// @param got  of the quantized model in the same run
// @param outputs  of the float model, the added sums among them
void AddRun(const std::vector<Watched>& watched, const AddedSums& added, const Picked& exact, const Picked& got,
            const std::vector<NamedTensor>& outputs, LockStep& result) {
  const auto sum_of = [&](const std::string& sum) {
    return std::ranges::find(outputs, sum, &NamedTensor::name)->tensor.floats().front();
  };
  for (const auto& [node, sum] : added.weights) result.weights[node] += sum_of(sum);
  for (const TailCopy& tail : added.tails)
    for (const auto& [output, sum] : tail.sums) result.tails[output][tail.tensor] += sum_of(sum);
  for (size_t index = 0; index < watched.size(); ++index) {
    AddErrors(watched[index], exact.values[index], got.values[index], exact.Count(index),
              result.tensors[watched[index].tensor]);
    result.shapes[watched[index].tensor] = exact.shapes[index];
  }
}

// @param got  of the quantized model, in the first of the runs
Result<LockStep> RunFloat(std::optional<Model>& exact, const std::vector<Watched>& watched, const AddedSums& added,
                          const std::vector<const TrialRun*>& runs, const std::vector<Picked>& got,
                          const RunContext& context) {
  std::vector<std::string> tensors;
  for (const Watched& one : watched) tensors.push_back(one.tensor);
  Picker picker(watched.size());
  PREON_ASSIGN_OR_RETURN(ObservedSession session, OpenInPlaceOf(exact, tensors, picker, context));
  ReleaseFreeMemory();
  LockStep result;
  for (size_t i = 0; i < got.size(); ++i) {
    std::vector<NamedTensor> feeds = runs[i]->batch.feeds;
    for (const TailCopy& tail : added.tails)
      feeds.push_back({tail.input, got[i].whole.at(IndexOf(watched, tail.tensor))});
    PREON_ASSIGN_OR_RETURN(const std::vector<NamedTensor> outputs, session.Run(feeds, context));
    AddRun(watched, added, picker.Take(), got[i], outputs, result);
  }
  return result;
}

}  // namespace

const TensorError* ErrorBehind(const Graph& graph, const LockStep& measured, std::string tensor) {
  while (!measured.tensors.contains(tensor) && graph.UseCount(tensor) == 1 && !graph.IsOutput(tensor))
    tensor = graph.Uses(tensor)[0].node->output();
  const auto found = measured.tensors.find(tensor);
  return found == measured.tensors.end() ? nullptr : &found->second;
}

Result<LockStep> RunLockStep(const PlannedModel& prepared, const RangeMethod& method, const PlanInputs& inputs,
                             const TrialSamples& samples, const RunContext& context) {
  const std::vector<const Algorithm*> none;
  PlanInputs plain{.data = inputs.data,
                   .saved = inputs.saved,
                   .collected_ranges = inputs.collected_ranges,
                   .chosen = inputs.chosen,
                   .own_method = inputs.own_method,
                   .algorithms = none,
                   .passes = inputs.passes};
  PREON_ASSIGN_OR_RETURN(const TensorRanges ranges,
                         SelectRanges(PlanRanges(prepared.model.graph, prepared.plan), method, plain, context));
  PlanParams params(prepared.model.graph, prepared.plan, ranges);
  PREON_RETURN_IF_ERROR(params.Compute());
  PREON_ASSIGN_OR_RETURN(std::optional<Model> quantized,
                         WritePlan(prepared.model, prepared.plan, method, plain, context));
  const std::vector<Watched> watched = TensorsToWatch(prepared, quantized->graph, params);
  const std::set<std::string> decoded = DecodeWeights(quantized->graph);
  std::optional<Model> exact = prepared.model;
  AddedSums added{.weights = AddTwins(exact->graph, prepared.plan, quantized->graph, decoded), .tails = {}};
  PREON_RETURN_IF_ERROR(AddDynamicTwins(*exact, prepared.plan, added.weights));
  added.tails = AddTailCopies(exact->graph, prepared.plan, quantized->graph);
  // One after the other, for the sake of memory.
  const std::vector<const TrialRun*> runs = SomeOf(samples);
  PREON_ASSIGN_OR_RETURN(const std::vector<Picked> got, RunQuantized(quantized, watched, added.tails, runs, context));
  return RunFloat(exact, watched, added, runs, got, context);
}

}  // namespace preon

#include "quantize/write/float_weight_writer.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <set>

#include "ir/model_io.h"
#include "quantize/plan/op_traits.h"
#include "quantize/write/join_constants.h"
#include "quantize/write/qdq_writer.h"
#include "quantize/write/scaled_axes.h"

namespace preon {
namespace {

constexpr size_t kLeastSavedBytes = 1024;  // names of two nodes and their tensors take some hundred
// 60 dB: the rounding of float16 gives 73, unless values are so small that it has fewer bits.
constexpr double kMostErrorShare = 1e-6;

// In each of the channels: one of small values beside large ones matters as much as these.
bool FitsHalf(const Tensor& values, const Tensor& rounded, const ScaledAxes& axes) {
  size_t channels = 1, inner = 1;
  for (size_t axis = axes.first; axis < values.shape().size(); ++axis)
    (axis < axes.end ? channels : inner) *= static_cast<size_t>(values.shape()[axis]);
  std::vector<double> errors(channels), signals(channels);
  for (size_t i = 0; i < values.floats().size(); ++i) {
    const double value = values.floats()[i], difference = value - rounded.floats()[i];
    errors[i / inner % channels] += difference * difference;
    signals[i / inner % channels] += value * value;
  }
  return std::ranges::equal(errors, signals, [](double error, double signal) {
    return std::isfinite(error) && error <= kMostErrorShare * signal;
  });
}

// A weight as it is written: the scales broadcast against it.
struct Codes {
  EncodedTensor encoded;
  Shape scale_shape;
  size_t size_bytes() const { return encoded.codes.bytes().size() + sizeof(float) * encoded.params.size(); }
};

// None where one does not hold the values.
Result<std::optional<Codes>> AsHalf(const Tensor& values, const std::vector<ScaledAxes>& axes) {
  PREON_ASSIGN_OR_RETURN(EncodedTensor encoded,
                         EncodeTensor(values, {QuantParams()}, -1, {.type = DataType::kFloat16}));
  const Tensor rounded = DecodeTensor(encoded);
  if (!std::ranges::all_of(axes, [&](const ScaledAxes& own) { return FitsHalf(values, rounded, own); }))
    return std::optional<Codes>();
  return std::optional(Codes{std::move(encoded), {}});
}

// None where not all are finite.
Result<std::optional<Codes>> AsBytes(const Tensor& values, const ScaledAxes& axes) {
  if (!std::ranges::all_of(values.floats(), [](float value) { return std::isfinite(value); }))
    return std::optional<Codes>();
  const Shape shape = values.shape();
  Shape scale_shape(shape.size(), 1), rows = shape;
  int axis = static_cast<int>(axes.first);
  for (size_t scaled = axes.first; scaled < axes.end; ++scaled) scale_shape[scaled] = shape[scaled];
  if (axes.end - axes.first > 1) {  // leading ones
    rows = {ElementCount(scale_shape), values.count() / ElementCount(scale_shape)};
    axis = 0;
  }
  const Tensor seen = values.Reshaped(rows);
  constexpr IntFormat kFormat = {.type = DataType::kInt8, .symmetric = true};
  PREON_ASSIGN_OR_RETURN(const std::vector<Range> ranges, WeightRanges(seen, axis));
  std::vector<QuantParams> params;
  for (const Range& range : ranges) {
    PREON_ASSIGN_OR_RETURN(params.emplace_back(), ComputeQuantParams(range, kFormat));
  }
  PREON_ASSIGN_OR_RETURN(EncodedTensor encoded, EncodeTensor(seen, std::move(params), axis, kFormat));
  encoded.codes = encoded.codes.Reshaped(shape);
  return std::optional(Codes{std::move(encoded), std::move(scale_shape)});
}

class Storing {
 public:
  Storing(Graph& graph, const QuantPlan& plan)
      : graph_(graph), wanted_(plan.float_weights), is_mapped_(HasLargeWeights(graph)), writer_(graph) {
    for (const NodeDecision& decision : plan.nodes) {
      if (decision.is_static()) integer_.insert(decision.node);
      if (wanted_.excluded_too) continue;
      if (decision.reason == FloatReason::kExcluded) excluded_.insert(decision.node);
      if (decision.reason == FloatReason::kNotReached) never_run_.insert(decision.node);
    }
  }

  Result<std::vector<StoredFloatWeight>> Run() {
    std::vector<std::string> names;
    for (const auto& [name, value] : graph_.initializers())
      if (value.type() == DataType::kFloat) names.push_back(name);
    for (const std::string& name : names) PREON_RETURN_IF_ERROR(Store(name));
    PREON_RETURN_IF_ERROR(graph_.SortTopologically());
    graph_.RemoveUnusedInitializers();
    return std::move(stored_);
  }

 private:
  struct Wanted {
    FloatStorage storage;
    std::string why;
  };

  Status Store(const std::string& name) {
    const Tensor values = *graph_.Initializer(name);
    const size_t rank = values.shape().size();
    std::vector<Use> uses;  // of float nodes, as a weight
    std::vector<ScaledAxes> axes;
    for (const Use& use : graph_.Uses(name)) {
      const std::optional<ScaledAxes> own = AxesOf(use, rank);
      const bool may_be_weight = use.captured && rank > 1 && values.bytes().size() > kLeastSavedBytes;
      if (own) axes.push_back(*own);
      if (own || may_be_weight) uses.push_back(use);
    }
    if (uses.empty()) return Status::Ok();
    if (const std::string why = WhyFixed(name, rank); !why.empty())
      return Record(uses, name, FloatStorage::kFloat32, why);
    Wanted wanted = WantedBy(uses, axes);
    if (wanted.storage == FloatStorage::kFloat32) return Record(uses, name, wanted.storage, wanted.why);
    std::optional<Codes> codes;
    if (wanted.storage == FloatStorage::kInt8) {
      PREON_ASSIGN_OR_RETURN(codes, AsBytes(values, axes[0]));
      if (!codes) return Record(uses, name, FloatStorage::kFloat32, "not all of its values are finite");
    }
    if (!codes || codes->size_bytes() > values.bytes().size() / 2) {
      PREON_ASSIGN_OR_RETURN(std::optional<Codes> half, AsHalf(values, axes));
      if (!codes && !half) return Record(uses, name, FloatStorage::kFloat32, "float16 does not hold its values");
      if (codes && half) wanted = {FloatStorage::kFloat16, "int8 with its scales would not be smaller"};
      if (half) codes = std::move(half);
    }
    const size_t names = 8 * name.size();
    if (codes->size_bytes() + kLeastSavedBytes + names > values.bytes().size())
      return Record(uses, name, FloatStorage::kFloat32, "it is small");
    RoundTripNames behind{name, graph_.UniqueTensorName(name + "_float"), name};
    graph_.ReplaceUses(name, behind.y);
    writer_.AddCasts(behind, codes->encoded, codes->scale_shape);
    return Record(uses, name, wanted.storage, wanted.why);
  }

  // None where no float node reads a weight there.
  std::optional<ScaledAxes> AxesOf(const Use& use, size_t rank) const {
    if (use.captured || integer_.contains(use.node->name)) return std::nullopt;
    return ScaledAxesOf(*use.node, use.input, rank);
  }

  // Why a weight stays as it is, whatever its values are; "" where it need not.
  std::string WhyFixed(const std::string& name, size_t rank) const {
    if (is_mapped_) return "the runtime maps more than 1 GiB of weights from the file, as they are";
    if (graph_.IsOutput(name)) return "it is also an output of the model";
    if (graph_.overridable_initializers.contains(name)) return "it is also an input of the model";
    if (graph_.HasCapturedUse(name)) return "a sub-graph reads it";
    for (const Use& use : graph_.Uses(name))
      if (!AxesOf(use, rank)) return StrCat("node '", use.node->name, "' reads it, too, and not as a float weight");
    return "";
  }

  Wanted WantedBy(const std::vector<Use>& uses, const std::vector<ScaledAxes>& axes) const {
    Wanted wanted{wanted_.smallest, wanted_.why};
    if (std::ranges::any_of(uses, [&](const Use& use) { return never_run_.contains(use.node->name); }))
      return {FloatStorage::kFloat32, "no sample has run it"};
    if (wanted.storage != FloatStorage::kInt8) return wanted;
    for (const Use& use : uses) {
      const std::string& node = use.node->name;
      if (excluded_.contains(node)) return {FloatStorage::kFloat16, "excluded nodes have int8 only when asked for"};
      if (wanted_.costly.contains(node)) return {FloatStorage::kFloat16, wanted_.why_costly};
      if (wanted_.int8_nodes && !wanted_.int8_nodes->contains(node))
        return {FloatStorage::kFloat16, SafeFloatWeights().why};
    }
    if (std::ranges::adjacent_find(axes, std::ranges::not_equal_to()) != axes.end())
      return {FloatStorage::kFloat16, "its readers would need int8 scales along different axes"};
    return wanted;
  }

  Status Record(const std::vector<Use>& uses, const std::string& weight, FloatStorage storage, const std::string& why) {
    for (const Use& use : uses) stored_.push_back({weight, use.node->name, storage, why});
    return Status::Ok();
  }

  Graph& graph_;
  const FloatWeights wanted_;
  const bool is_mapped_;
  QdqWriter writer_;
  std::set<std::string> integer_, excluded_, never_run_;
  std::vector<StoredFloatWeight> stored_;
};

}  // namespace

Result<std::vector<StoredFloatWeight>> StoreFloatWeights(Graph& graph, const QuantPlan& plan) {
  if (plan.float_weights.smallest == FloatStorage::kFloat32) return std::vector<StoredFloatWeight>();
  if (!HasLargeWeights(graph)) JoinFloatConstants(graph);
  return Storing(graph, plan).Run();
}

}  // namespace preon

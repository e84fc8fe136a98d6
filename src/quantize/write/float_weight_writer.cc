#include "quantize/write/float_weight_writer.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "formats/quark_operators.h"
#include "ir/model_io.h"
#include "quantize/plan/op_traits.h"
#include "quantize/write/join_constants.h"
#include "quantize/write/qdq_writer.h"

namespace preon {
namespace {

constexpr size_t kLeastSavedBytes = 1024;  // names of two nodes and their tensors take some hundred
// 60 dB: the rounding of float16 gives 73, unless values are so small that it has fewer bits.
constexpr double kMostErrorShare = 1e-6;

// Axes that have a scale for each index: those from `first` to before `end`.
struct ScaledAxes {
  size_t first = 0, end = 0;
  bool operator==(const ScaledAxes&) const = default;
};

// Of the weight that a node reads at this input; none where it reads no weight there.
std::optional<ScaledAxes> AxesOf(const Use& use, size_t rank) {
  const Node& node = *use.node;
  const auto only = [](size_t axis) { return ScaledAxes{axis, axis + 1}; };
  if (rank < 2) return std::nullopt;
  if (node.Is("Conv") && use.input == 1) return only(0);
  if (node.Is("ConvTranspose") && use.input == 1) return only(1);
  if (node.Is("Gemm") && use.input == 1) return only(node.Int("transB", 0) != 0 ? 0 : 1);
  if (node.Is("MatMul")) return only(use.input == 1 ? rank - 1 : rank - 2);
  if (node.Is("Gather") && use.input == 0) return only(0);
  const bool is_recurrent = node.Is("LSTM") || node.Is("GRU") || node.Is("RNN");
  if (is_recurrent && rank == 3 && (use.input == 1 || use.input == 2)) return ScaledAxes{0, 2};
  if (node.domain == kContribDomain && node.op_type == "Attention" && use.input == 1) return only(rank - 1);
  return std::nullopt;
}

bool FitsHalf(const Tensor& values, const Tensor& rounded) {
  double error = 0, signal = 0;
  for (size_t i = 0; i < values.floats().size(); ++i) {
    const double value = values.floats()[i], difference = value - rounded.floats()[i];
    error += difference * difference;
    signal += value * value;
  }
  return std::isfinite(error) && error <= kMostErrorShare * signal;
}

// A weight as it is written: the scales broadcast against it.
struct Codes {
  EncodedTensor encoded;
  Shape scale_shape;
  size_t size_bytes() const { return encoded.codes.bytes().size() + sizeof(float) * encoded.params.size(); }
};

// None where one does not hold the values.
Result<std::optional<Codes>> AsHalf(const Tensor& values) {
  PREON_ASSIGN_OR_RETURN(EncodedTensor encoded,
                         EncodeTensor(values, {QuantParams()}, -1, {.type = DataType::kFloat16}));
  if (!FitsHalf(values, DecodeTensor(encoded))) return std::optional<Codes>();
  return std::optional(Codes{std::move(encoded), {}});
}

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
  Storing(Graph& graph, const QuantPlan& plan) : graph_(graph), wanted_(plan.float_weights), writer_(graph) {
    for (const NodeDecision& decision : plan.nodes) {
      if (decision.is_static()) integer_.insert(decision.node);
      if (decision.reason == FloatReason::kExcluded && !wanted_.excluded_too) excluded_.insert(decision.node);
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
  Status Store(const std::string& name) {
    const Tensor values = *graph_.Initializer(name);
    const std::vector<Use> uses = graph_.Uses(name);
    const bool is_fixed =
        graph_.IsOutput(name) || graph_.HasCapturedUse(name) || graph_.overridable_initializers.contains(name);
    if (uses.empty() || is_fixed) return Status::Ok();
    const std::optional<ScaledAxes> axes = AxesOf(uses[0], values.shape().size());
    FloatStorage wanted = wanted_.smallest;
    for (const Use& use : uses) {
      const std::optional<ScaledAxes> own = AxesOf(use, values.shape().size());
      if (!own || integer_.contains(use.node->name)) return Status::Ok();
      const bool keeps_bits =
          axes != own || wanted_.at_least_half.contains(use.node->name) || excluded_.contains(use.node->name);
      if (keeps_bits) wanted = std::min(wanted, FloatStorage::kFloat16);
    }
    std::optional<Codes> codes;
    if (wanted == FloatStorage::kInt8) {
      PREON_ASSIGN_OR_RETURN(codes, AsBytes(values, *axes));
    }
    if (wanted == FloatStorage::kFloat16 || (codes && codes->size_bytes() > values.bytes().size() / 2)) {
      wanted = FloatStorage::kFloat16;
      PREON_ASSIGN_OR_RETURN(codes, AsHalf(values));
    }
    const size_t names = 8 * name.size();
    if (!codes) return Record(uses, name, FloatStorage::kFloat32, "float16 does not hold its values");
    if (codes->size_bytes() + kLeastSavedBytes + names > values.bytes().size())
      return Record(uses, name, FloatStorage::kFloat32, "it is small");
    RoundTripNames behind{name, graph_.UniqueTensorName(name + "_float"), name};
    graph_.ReplaceUses(name, behind.y);
    writer_.AddCasts(behind, codes->encoded, codes->scale_shape);
    return Record(uses, name, wanted, wanted_.why);
  }

  Status Record(const std::vector<Use>& uses, const std::string& weight, FloatStorage storage, const std::string& why) {
    for (const Use& use : uses) stored_.push_back({weight, use.node->name, storage, why});
    return Status::Ok();
  }

  Graph& graph_;
  const FloatWeights wanted_;
  QdqWriter writer_;
  std::set<std::string> integer_, excluded_;
  std::vector<StoredFloatWeight> stored_;
};

}  // namespace

Result<std::vector<StoredFloatWeight>> StoreFloatWeights(Graph& graph, const QuantPlan& plan) {
  if (plan.float_weights.smallest == FloatStorage::kFloat32 || HasLargeWeights(graph))
    return std::vector<StoredFloatWeight>();
  JoinFloatConstants(graph);
  return Storing(graph, plan).Run();
}

}  // namespace preon

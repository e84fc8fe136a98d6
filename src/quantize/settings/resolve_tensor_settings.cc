#include "quantize/settings/resolve_tensor_settings.h"

#include <algorithm>

#include "base/spelling.h"
#include "formats/combination.h"
#include "ir/constant_value.h"
#include "quantize/plan/check_plan.h"
#include "quantize/plan/op_traits.h"
#include "quantize/plan/quant_plan.h"
#include "quantize/settings/layer_settings.h"
#include "quantize/settings/node_selection.h"

namespace preon {
namespace {

// What layers say of each tensor if all nodes were quantized that the user does not exclude.
QuantPlan AllQuantized(const Graph& source, const ExcludeOptions& exclude) {
  const Selection selection(exclude, {});
  QuantPlan plan;
  for (const auto& node : source.nodes())
    if (!selection.Excludes(*node)) plan.nodes.push_back({.node = node->name});
  return plan;
}

// The one axis along which the node's weight may have scales; nothing where any will do. Kernels of Conv and MatMul
// take scales per output, and so do biases, whose codes have the scale of products (found with ONNX Runtime 1.30).
std::optional<int64_t> OnlyAxis(const Graph& graph, const Node& node) {
  const bool biased = !node.input(2).empty() && graph.Initializer(node.input(2)) != nullptr;
  if (node.Is("ConvTranspose")) return biased ? std::optional<int64_t>(1) : std::nullopt;
  if (node.Is("Conv") || node.Is("MatMul") || (node.Is("Gemm") && biased)) return WeightAxis(graph, node);
  return std::nullopt;
}

class Checker {
 public:
  Checker(const Graph& source, PlanOptions& options)
      : source_(source),
        options_(options),
        effective_(WithLayerSettings(source, options, AllQuantized(source, options.exclude))) {}

  Status Run() {
    for (auto& [tensor, wanted] : options_.settings.overrides) Check(tensor, wanted);
    for (const auto& [tensor, wanted] : options_.settings.base_overrides) {
      if (!source_.HasTensor(tensor)) MissingTensor("MixedPrecisionTensor", tensor);
    }
    if (problems_.empty()) return Status::Ok();
    return Error(only_names_ ? ErrorId::kNameNotInModel : ErrorId::kBadConfig, Join(problems_, "; "));
  }

 private:
  void Check(const std::string& tensor, TensorOverride& wanted) {
    if (!source_.HasTensor(tensor)) return MissingTensor("overrides", tensor);
    const Tensor* constant = ConstantValue(source_, tensor);
    const TensorOverride& effective = effective_.settings.overrides.at(tensor);
    const TensorType type = effective.type.value_or(constant != nullptr ? options_.weight : options_.activation);
    const auto add = [&](const auto&... parts) {
      only_names_ = false;
      problems_.push_back(StrCat("overrides: ", tensor, ": ", parts...));
    };
    if (wanted.range && wanted.params)
      add("got rmin or rmax together with scale and zero_point, wanted one or the other");
    if (type.block() != nullptr && (wanted.range || wanted.params))
      add("got a range or a scale, but ", type.name(), " has blocks with exponents of their own");
    if (wanted.symmetric == false && !IsIntType(type.type()))
      add("symmetric: got false, but ", type.name(), " has no zero point");
    const ScaleType all = constant != nullptr ? options_.scale_type_of_weights() : options_.scale_type;
    if (IsIntType(type.type()) && !wanted.params) {
      const Status exists = CheckCombination(type, effective.scale_type.value_or(all), Granularity::kPerTensor, true);
      if (!exists.ok()) add(exists.message());
    }
    CheckZeroPoints(wanted, type, add);
    if (constant != nullptr) {
      if (!wanted.converts.empty()) add("convert: it is a constant; only activations have a second pair");
      ResolveChannels(tensor, *constant, wanted, type, add);
    } else {
      const std::pair<bool, const char*> of_constants[] = {{wanted.axis.has_value(), "axis"},
                                                           {wanted.block_size.has_value(), "block_size"},
                                                           {wanted.reduce_range.has_value(), "reduce_range"}};
      for (const auto& [given, key] : of_constants)
        if (given) add(key, ": it is an activation; only constants have it");
      for (const ConvertOverride& convert : wanted.converts) CheckConvert(tensor, convert, type, add);
    }
  }

  // Without a type of the entry's own only here it is known which codes there are.
  template <typename Add>
  void CheckZeroPoints(const TensorOverride& wanted, const TensorType& type, const Add& add) {
    std::vector<QuantParams> params = wanted.channel_params;
    if (wanted.params) params.push_back(*wanted.params);
    if (type.block() != nullptr || params.empty()) return;
    for (const QuantParams& each : params) {
      const Status fits = IsIntType(type.type()) ? CheckZeroPoint(each, type.type()) : Status::Ok();
      if (!fits.ok()) return add(fits.message());
      if (!IsIntType(type.type()) && each.zero_point != 0)
        return add("zero_point: got ", each.zero_point, ", wanted 0, the only zero point of ", type.name());
    }
  }

  template <typename Add>
  void ResolveChannels(const std::string& tensor, const Tensor& constant, TensorOverride& wanted,
                       const TensorType& type, const Add& add) {
    const Shape& shape = constant.shape();
    const auto rank = static_cast<int64_t>(shape.size());
    if (wanted.block_size && !wanted.axis && rank == 0) add("block_size: it is a single value");
    if (!wanted.axis) return;
    if (!HasScale(type, /*scaled=*/false))
      add("axis: got ", *wanted.axis, ", but ", type.name(),
          " has no scales per channel; wanted an integer type or no axis");
    if (*wanted.axis < -rank || *wanted.axis >= rank)
      return add("axis: got ", *wanted.axis, " for shape ", ShapeToString(shape), ", wanted ",
                 rank == 0 ? "none: it is a single value" : StrCat(-rank, " to ", rank - 1));
    if (*wanted.axis < 0) *wanted.axis += static_cast<int>(rank);
    for (const Use& use : source_.Uses(tensor)) {
      const std::optional<int64_t> only = use.input == 1 ? OnlyAxis(source_, *use.node) : std::nullopt;
      if (only && *only != *wanted.axis)
        add("axis: got ", *wanted.axis, ", but node '", use.node->name, "' (", use.node->op_type, ") takes scales ",
            *only < 0 ? "for the whole weight" : StrCat("along axis ", *only), " alone; wanted ",
            *only < 0 ? "" : StrCat(*only, " or "), "no axis");
    }
    const int64_t count = shape[static_cast<size_t>(*wanted.axis)];
    if (wanted.channels > 1 && wanted.channels != count)
      add("got ", wanted.channels, " entries for ", count, " channels along axis ", *wanted.axis, ", wanted 1 or ",
          count);
    const auto repeat = [&](auto& channels) {
      if (channels.size() == 1) channels.assign(static_cast<size_t>(count), channels[0]);
    };
    repeat(wanted.channel_ranges);
    repeat(wanted.channel_params);
  }

  template <typename Add>
  void CheckConvert(const std::string& tensor, const ConvertOverride& convert, const TensorType& type, const Add& add) {
    if (convert.type == type)
      add("convert: quant_type: got ", type.name(), ", which is the tensor's own, wanted another");
    std::vector<std::string> readers;
    for (const Use& use : source_.Uses(tensor)) readers.push_back(use.node->name);
    for (const std::string& node : convert.nodes) {
      if (std::ranges::find(readers, node) != readers.end()) continue;
      const bool only_names = only_names_;
      add("convert: recv_nodes: no node '", node, "' reads it", DidYouMean(node, readers),
          "; readers: ", readers.empty() ? "none" : JoinNames(readers));
      only_names_ = only_names;
    }
  }

  void MissingTensor(std::string_view where, const std::string& tensor) {
    problems_.push_back(StrCat(where, ": the model has no tensor '", tensor, "'", DidYouMean(tensor, Tensors())));
  }

  std::vector<std::string> Tensors() const {
    std::vector<std::string> names = source_.inputs();
    for (const auto& [name, value] : source_.initializers()) names.push_back(name);
    for (const auto& node : source_.nodes()) names.insert(names.end(), node->outputs().begin(), node->outputs().end());
    return names;
  }

  const Graph& source_;
  PlanOptions& options_;
  const PlanOptions effective_;
  std::vector<std::string> problems_;
  bool only_names_ = true;
};

}  // namespace

Status ResolveOverrides(const Graph& source, PlanOptions* options) {
  if (options->settings.overrides.empty() && options->settings.base_overrides.empty()) return Status::Ok();
  return Checker(source, *options).Run();
}

}  // namespace preon

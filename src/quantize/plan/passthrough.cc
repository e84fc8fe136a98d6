#include "quantize/plan/passthrough.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/spelling.h"

namespace preon {
namespace {

constexpr auto kMoves = std::to_array<std::string_view>(
    {"Reshape", "Transpose", "MaxPool", "Split", "Slice", "Squeeze", "Unsqueeze", "Gather"});
constexpr auto kJoins = std::to_array<std::string_view>(
    {"Add", "Concat", "Div", "Max", "MatMul", "Mean", "Min", "Mul", "Pow", "Sub", "Sum", "Where"});

bool IsFloat(const Graph& graph, const std::string& tensor) {
  const DataType type = graph.TypeOf(tensor);
  return type == DataType::kFloat || type == DataType::kUndefined;
}

Range ExtremesOf(const Tensor& values) {
  Range range{0, 0};
  for (const float value : values.floats()) {
    if (!std::isfinite(value)) continue;
    range.min = std::min(range.min, value);
    range.max = std::max(range.max, value);
  }
  return range;
}

using Overrides = std::map<std::string, TensorOverride>;

class Inheritance {
 public:
  Inheritance(const Graph& graph, const std::vector<std::string>& passthrough, const Overrides& overrides,
              QuantPlan& plan)
      : graph_(graph), passthrough_(passthrough), overrides_(overrides), plan_(plan) {}

  void Run() {
    for (auto& [tensor, activation] : plan_.activations) {
      const Node* producer = graph_.Producer(tensor);
      if (producer == nullptr || !Passes(*producer) || IsSet(tensor)) continue;
      const std::string source = SourceOf(*producer);
      if (!IsFloat(graph_, source)) {
        plan_.warnings.push_back(StrCat("passthrough: '", tensor, "': its source '", source,
                                        "' is not float32, so it keeps a range of its own"));
        continue;
      }
      Inherit(source, activation);
    }
    for (auto& [tensor, activation] : plan_.activations) FollowShares(activation);
  }

 private:
  bool Passes(const Node& node) const {
    return node.domain.empty() && std::ranges::find(passthrough_, node.op_type) != passthrough_.end();
  }

  bool IsSet(const std::string& tensor) const {
    const auto own = overrides_.find(tensor);
    return own != overrides_.end() && (own->second.range || own->second.params);
  }

  std::string SourceOf(const Node& last) const {
    const Node* node = &last;
    while (true) {
      const std::string& tensor = node->input(0);
      const Node* producer = graph_.Producer(tensor);
      if (producer == nullptr || !Passes(*producer) || IsSet(tensor)) return tensor;
      node = producer;
    }
  }

  void Inherit(const std::string& source, ActivationPlan& activation) {
    activation.inherited = true;
    activation.shares.clear();
    if (const Tensor* constant = graph_.Initializer(source)) {
      activation.source = RangeSource::kFixed;
      activation.fixed = ExtremesOf(*constant);
      return;
    }
    const auto planned = plan_.activations.find(source);
    const std::string& root =
        planned == plan_.activations.end() || planned->second.shares.empty() ? source : planned->second.shares;
    const auto owner = plan_.activations.find(root);
    if (owner == plan_.activations.end()) {
      activation.range_of = source;  // stays float, but its values are these
      return;
    }
    const ActivationPlan& from = owner->second;
    if (from.format == activation.format && from.scale_type == activation.scale_type) {
      activation.shares = root;
    } else if (from.params) {
      activation.source = RangeSource::kFixed;
      activation.fixed = RepresentableRange(*from.params, from.format);
    } else {
      activation.source = from.source;
      activation.fixed = from.fixed;
      activation.bounds = from.bounds;
      activation.range_of = root;
    }
  }

  // What another shared may itself share now.
  void FollowShares(ActivationPlan& activation) const {
    while (!activation.shares.empty()) {
      const std::string& next = plan_.activations.at(activation.shares).shares;
      if (next.empty()) return;
      activation.shares = next;
    }
  }

  const Graph& graph_;
  const std::vector<std::string>& passthrough_;
  const Overrides& overrides_;
  QuantPlan& plan_;
};

}  // namespace

Status CheckPassthrough(const std::vector<std::string>& passthrough) {
  for (const std::string& type : passthrough) {
    if (std::ranges::find(kJoins, type) == kJoins.end()) continue;
    return Error(ErrorId::kBadOptionValue, "--passthrough: ", type,
                 " joins several tensors, so there is no range to inherit; wanted an operator with one data input");
  }
  return Status::Ok();
}

void InheritRanges(const Graph& graph, const std::vector<std::string>& passthrough, const Overrides& overrides,
                   QuantPlan* plan) {
  if (passthrough.empty()) return;
  std::vector<std::string> types;
  for (const auto& node : graph.nodes()) types.push_back(node->op_type);
  for (const std::string& type : passthrough) {
    if (std::ranges::find(types, type) == types.end()) {
      const std::vector<std::string> known(kMoves.begin(), kMoves.end());
      const bool is_known = std::ranges::find(known, type) != known.end();
      plan->warnings.push_back(StrCat("passthrough: '", type,
                                      "' has no effect: the rewritten model has no such operator",
                                      is_known ? "" : DidYouMean(type, known)));
    } else if (std::ranges::find(kMoves, type) == kMoves.end()) {
      plan->warnings.push_back(
          StrCat("passthrough: ", type, " changes values: its output may exceed the range of its input"));
    }
  }
  Inheritance(graph, passthrough, overrides, *plan).Run();
}

}  // namespace preon

#include "search/error_sources.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "search/outputs_as_floats.h"

namespace preon {
namespace {

class NoiseFlow {
 public:
  NoiseFlow(const Graph& graph, const QuantPlan& plan, const LockStep& measured)
      : graph_(graph), plan_(plan), measured_(measured) {}

  ErrorSources Follow() {
    Begin();
    for (auto node = graph_.nodes().rbegin(); node != graph_.nodes().rend(); ++node) {
      double passed = 0;
      for (const std::string& output : (*node)->outputs()) passed += LeaveRounding(output);
      passed -= LeaveWeight(**node, passed);
      if (passed > 0) PassOn(**node, passed);
    }
    for (const std::string& input : graph_.inputs()) LeaveRounding(input);
    return std::move(sources_);
  }

 private:
  const TensorError* Of(const std::string& tensor) const {
    const auto found = measured_.tensors.find(tensor);
    return found == measured_.tensors.end() ? nullptr : &found->second;
  }

  static double Relative(const TensorError* error) {
    return error == nullptr || error->signal <= 0 ? 0 : error->noise / error->signal;
  }

  void Begin() {
    double outputs = 0;
    const std::vector<std::string> floats = OutputsAsFloats(graph_);
    for (const std::string& output : floats) outputs += Of(output) != nullptr;
    for (const std::string& output : floats) {
      const double share = Relative(Of(output)) / std::max(1.0, outputs);
      sources_.noise += share;
      if (!EnterBeforeTail(output, share)) flow_[output] += share;
    }
  }

  // The tail rounds nothing; what came in at which tensor was measured.
  bool EnterBeforeTail(const std::string& output, double flow) {
    const auto tail = measured_.tails.find(output);
    if (tail == measured_.tails.end()) return false;
    double all = 0;
    for (const auto& [tensor, noise] : tail->second) all += noise;
    if (!(all > 0) || !std::isfinite(all)) return false;
    for (const auto& [tensor, noise] : tail->second) flow_[tensor] += flow * noise / all;
    return true;
  }

  // What is not the tensor's own rounding.
  double LeaveRounding(const std::string& tensor) {
    const auto flow = flow_.find(tensor);
    if (flow == flow_.end()) return 0;
    const auto activation = plan_.activations.find(tensor);
    const TensorError* error = Of(tensor);
    // A tensor that takes another one's scale has its values, and they are rounded there.
    if (activation == plan_.activations.end() || !activation->second.shares.empty() || error == nullptr)
      return flow->second;
    const double all = std::max(error->noise, error->rounding);
    const double own = all > 0 ? flow->second * error->rounding / all : 0;
    if (own > 0) sources_.activations[tensor] += own;
    return flow->second - own;
  }

  double LeaveWeight(const Node& node, double flow) {
    const auto weight = measured_.weights.find(node.name);
    if (weight == measured_.weights.end() || flow <= 0) return 0;
    const TensorError* error = ErrorBehind(graph_, measured_, node.FirstOutput());
    const double inherited = error == nullptr ? 0 : error->inherited;
    const double own =
        weight->second > 0 ? flow * std::min(1.0, weight->second / std::max(inherited, weight->second)) : 0;
    if (own > 0) sources_.weights[node.name] += own;
    return own;
  }

  void PassOn(const Node& node, double flow) {
    std::vector<std::pair<std::string, double>> parts;
    double all = 0;
    const bool sums = node.Is("Add") || node.Is("Sub") || node.Is("Sum") || node.Is("Concat");
    for (const std::string& input : std::set<std::string>(node.inputs().begin(), node.inputs().end())) {
      if (input.empty() || graph_.Initializer(input) != nullptr) continue;
      const TensorError* error = Of(input);
      const bool computed = error != nullptr || graph_.TypeOf(input) == DataType::kFloat;
      if (!computed) continue;
      const double noise = error == nullptr ? 0 : sums ? std::max(error->noise, error->rounding) : Relative(error);
      parts.emplace_back(input, noise);
      all += noise;
    }
    for (const auto& [input, noise] : parts)
      flow_[input] += flow * (all > 0 ? noise / all : 1.0 / static_cast<double>(parts.size()));
  }

  const Graph& graph_;
  const QuantPlan& plan_;
  const LockStep& measured_;
  std::map<std::string, double> flow_;  // noise over signal at the outputs that came through the tensor
  ErrorSources sources_;
};

}  // namespace

double ErrorSources::Around(const Node& node) const {
  const auto of = [](const std::map<std::string, double>& parts, const std::string& name) {
    const auto part = parts.find(name);
    return part == parts.end() ? 0 : part->second;
  };
  return of(weights, node.name) + of(activations, node.input(0)) + of(activations, node.output());
}

double ErrorSources::With(const QuantPlan& plan) const {
  const std::set<std::string_view> integer = IntegerNodes(plan);
  double left = 0;
  for (const auto& [tensor, part] : activations) left += plan.activations.contains(tensor) ? part : 0;
  for (const auto& [node, part] : weights) left += integer.contains(node) ? part : 0;
  return left;
}

void ErrorSources::Learn(const QuantPlan& plan, double share) {
  const std::set<std::string_view> integer = IntegerNodes(plan);
  double all = 0;
  for (const auto* parts : {&activations, &weights})
    for (const auto& [name, part] : *parts) all += part;
  const double left = With(plan);
  const double others = left > 0 ? (all - share * (all - left)) / left : 1;
  for (auto& [tensor, part] : activations) part *= plan.activations.contains(tensor) ? others : share;
  for (auto& [node, part] : weights) part *= integer.contains(node) ? others : share;
}

ErrorSources FindErrorSources(const Graph& graph, const QuantPlan& plan, const LockStep& measured) {
  return NoiseFlow(graph, plan, measured).Follow();
}

}  // namespace preon

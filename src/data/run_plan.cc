#include "data/run_plan.h"

#include <algorithm>
#include <map>
#include <string>

namespace preon {
namespace {

// What the values of further runs may take beside those of one.
constexpr int64_t kMaxFurtherBytes = int64_t{128} << 20;
constexpr int64_t kOpenAxis = 128;

int64_t TensorBytes(const Graph& graph, const std::string& tensor, int64_t batch) {
  const ValueInfo* info = graph.Info(tensor);
  if (info == nullptr || !info->shape) return 0;
  int64_t elements = 1;
  for (size_t axis = 0; axis < info->shape->size(); ++axis) {
    const int64_t size = (*info->shape)[axis];
    const int64_t times = size != kDynamicDim ? size : axis == 0 ? batch : kOpenAxis;
    if (__builtin_mul_overflow(elements, times, &elements) || elements > kMaxFurtherBytes) return kMaxFurtherBytes;
  }
  const DataType type = info->type == DataType::kUndefined ? DataType::kFloat : info->type;
  return static_cast<int64_t>(PackedSizeBytes(type, elements));
}

}  // namespace

int64_t ActivationBytes(const Graph& graph, int64_t batch) {
  std::map<std::string, const Node*> last_reader;
  for (const auto& node : graph.nodes()) {
    for (const std::string& input : node->inputs()) last_reader[input] = node.get();
  }
  int64_t alive = 0, most = 0;
  for (const auto& node : graph.nodes()) {
    for (const std::string& output : node->outputs()) alive += TensorBytes(graph, output, batch);
    most = std::max(most, alive);
    for (const std::string& input : node->inputs()) {
      const auto last = last_reader.find(input);
      if (last == last_reader.end() || last->second != node.get() || graph.Producer(input) == nullptr) continue;
      if (!graph.IsOutput(input)) alive -= TensorBytes(graph, input, batch);
      last_reader.erase(last);  // an input that the node reads twice
    }
  }
  return most;
}

RunPlan PlanRuns(const Model& model, int threads, const DataSource& source, MemoryUse memory) {
  const int64_t batch = source.BatchSize();
  int64_t at_once = memory == MemoryUse::kLow ? 1 : std::max(threads, 1);
  if (const auto samples = source.SampleCount()) {
    at_once = std::clamp<int64_t>((*samples + batch - 1) / batch, 1, at_once);
  }
  if (at_once > 1 && memory == MemoryUse::kBalanced) {
    const int64_t bytes = std::max<int64_t>(1, ActivationBytes(model.graph, batch));
    at_once = std::min(at_once, 1 + kMaxFurtherBytes / bytes);
  }
  return {.at_once = static_cast<int>(at_once), .threads = std::max(threads, 1) - static_cast<int>(at_once) + 1};
}

}  // namespace preon

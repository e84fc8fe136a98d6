#include "calib/collected_statistics.h"

namespace preon {

void CollectedStatistics::Add(CollectedStatistics more) {
  channel_means.merge(more.channel_means);
  channel_extremes.merge(more.channel_extremes);
  for (auto& [kind, tensors] : more.others) others[kind].merge(tensors);
}

StatisticsRequest LackedBy(const CalibrationData& data, const StatisticsRequest& request) {
  StatisticsRequest lacking;
  const auto lacks = [&](const std::string& tensor, const auto& has_more) {
    const auto sketch = data.tensors.find(tensor);
    return sketch == data.tensors.end() || (sketch->second.count() > 0 && !has_more(sketch->second.config()));
  };
  for (const std::string& tensor : request.tensors)
    if (!data.tensors.contains(tensor)) lacking.tensors.insert(tensor);
  for (const std::string& tensor : request.channel_extremes)
    if (lacks(tensor, [](const SketchConfig& config) { return config.channels > 0; }))
      lacking.channel_extremes.insert(tensor);
  for (const std::string& tensor : request.channel_means)
    if (lacks(tensor, [](const SketchConfig& config) { return config.mean_channels > 0; }))
      lacking.channel_means.insert(tensor);
  for (const auto& [kind, tensors] : request.others)
    for (const std::string& tensor : tensors)
      if (lacks(tensor, [&](const auto&) { return Find(data.statistics, kind->name(), tensor) != nullptr; }))
        lacking.others[kind].insert(tensor);
  return lacking;
}

StatisticsRequest LackedBy(const CollectedStatistics& collected, StatisticsRequest request) {
  request.tensors.clear();
  std::erase_if(request.channel_extremes, [&](const auto& name) { return collected.channel_extremes.contains(name); });
  std::erase_if(request.channel_means, [&](const auto& name) { return collected.channel_means.contains(name); });
  for (auto& [kind, tensors] : request.others) {
    std::erase_if(tensors, [&](const auto& name) { return Find(collected.others, kind->name(), name) != nullptr; });
  }
  return request;
}

CollectedStatistics Collected(const CalibrationData& data, const StatisticsRequest& request) {
  CollectedStatistics collected;
  const auto reached = [&](const std::string& tensor) -> const TensorSketch* {
    const auto sketch = data.tensors.find(tensor);
    return sketch != data.tensors.end() && sketch->second.count() > 0 ? &sketch->second : nullptr;
  };
  for (const std::string& tensor : request.channel_means) {
    const TensorSketch* sketch = reached(tensor);
    if (sketch != nullptr && sketch->config().mean_channels > 0)
      collected.channel_means[tensor] = sketch->channel_means();
  }
  for (const std::string& tensor : request.channel_extremes) {
    const TensorSketch* sketch = reached(tensor);
    if (sketch == nullptr || sketch->config().channels == 0) continue;
    collected.channel_extremes[tensor] = {{sketch->channel_min().begin(), sketch->channel_min().end()},
                                          {sketch->channel_max().begin(), sketch->channel_max().end()}};
  }
  for (const auto& [kind, tensors] : request.others) {
    for (const std::string& tensor : tensors) {
      if (const std::string* bytes = Find(data.statistics, kind->name(), tensor))
        collected.others[std::string(kind->name())][tensor] = *bytes;
    }
  }
  return collected;
}

}  // namespace preon

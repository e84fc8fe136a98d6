#include "calib/statistics_request.h"

#include <algorithm>

namespace preon {

const std::string* Find(const SerializedStatistics& statistics, std::string_view kind, const std::string& tensor) {
  const auto of_kind = statistics.find(std::string(kind));
  if (of_kind == statistics.end()) return nullptr;
  const auto of_tensor = of_kind->second.find(tensor);
  return of_tensor == of_kind->second.end() ? nullptr : &of_tensor->second;
}

void StatisticsRequest::Add(const StatisticsRequest& more) {
  tensors.insert(more.tensors.begin(), more.tensors.end());
  channel_extremes.insert(more.channel_extremes.begin(), more.channel_extremes.end());
  channel_means.insert(more.channel_means.begin(), more.channel_means.end());
  tensors.insert(channel_extremes.begin(), channel_extremes.end());
  tensors.insert(channel_means.begin(), channel_means.end());
  for (const auto& [kind, named] : more.others) {
    others[kind].insert(named.begin(), named.end());
    tensors.insert(named.begin(), named.end());
  }
}

void StatisticsRequest::RestrictTo(const std::set<std::string>& kept) {
  const auto restrict_to = [&](std::set<std::string>& named) {
    std::erase_if(named, [&](const std::string& tensor) { return !kept.contains(tensor); });
  };
  for (std::set<std::string>* named : {&tensors, &channel_extremes, &channel_means}) restrict_to(*named);
  for (auto& [kind, named] : others) restrict_to(named);
}

bool StatisticsRequest::empty() const {
  return tensors.empty() && channel_extremes.empty() && channel_means.empty() &&
         std::ranges::all_of(others, [](const auto& kind) { return kind.second.empty(); });
}

std::vector<const StatisticKind*> StatisticsRequest::Kinds() const {
  std::vector<const StatisticKind*> kinds;
  for (const auto& [kind, named] : others) kinds.push_back(kind);
  return kinds;
}

std::set<std::string> StatisticsRequest::AllTensors() const {
  std::set<std::string> all = tensors;
  all.insert(channel_extremes.begin(), channel_extremes.end());
  all.insert(channel_means.begin(), channel_means.end());
  for (const auto& [kind, named] : others) all.insert(named.begin(), named.end());
  return all;
}

std::vector<const StatisticKind*> StatisticsRequest::KindsOf(const std::string& tensor) const {
  std::vector<const StatisticKind*> kinds;
  for (const auto& [kind, named] : others) {
    if (named.contains(tensor)) kinds.push_back(kind);
  }
  return kinds;
}

}  // namespace preon

#include "report/shards.h"

#include <algorithm>

#include "base/text.h"
#include "report/json_object.h"
#include "report/text_writer.h"

namespace preon {

std::string_view ShardStateName(ShardState state) {
  switch (state) {
    case ShardState::kDone:
      return "done";
    case ShardState::kMissing:
      return "missing";
    case ShardState::kFailed:
      return "failed";
    case ShardState::kStale:
      return "stale";
  }
  return "";
}

int64_t StatusResult::CountOf(ShardState state) const { return std::ranges::count(shards, state, &ShardReport::state); }

std::string ToText(const StatusResult& result) {
  TextWriter out;
  int64_t samples = 0;
  for (const ShardReport& shard : result.shards) samples += shard.samples;
  out.Add("%s\n  model       %s\n  shards      %lld of %lld done, %s\n", Printable(result.description).c_str(),
          Printable(result.model).c_str(), static_cast<long long>(result.CountOf(ShardState::kDone)),
          static_cast<long long>(result.shards.size()), CountText(samples, "sample").c_str());
  for (const ShardReport& shard : result.shards) {
    if (shard.state == ShardState::kDone) continue;
    out.Add("  %-11s %s -> %s%s%s\n", std::string(ShardStateName(shard.state)).c_str(), shard.shard.c_str(),
            Printable(shard.result).c_str(), shard.reason.empty() ? "" : ": ", Printable(shard.reason).c_str());
  }
  return out.Take();
}

std::string ToJson(const StatusResult& result) {
  JsonObject json = BeginJson(result.facts);
  json["description"] = result.description;
  json["model"] = result.model;
  json["complete"] = result.CountOf(ShardState::kDone) == static_cast<int64_t>(result.shards.size());
  json["shards"] = JsonObject::array();
  for (const ShardReport& shard : result.shards) {
    JsonObject entry = {{"shard", shard.shard}, {"result", shard.result}, {"state", ShardStateName(shard.state)}};
    if (!shard.reason.empty()) entry["reason"] = shard.reason;
    if (shard.state == ShardState::kDone) entry["samples"] = shard.samples;
    json["shards"].push_back(std::move(entry));
  }
  return JsonLine(json);
}

}  // namespace preon

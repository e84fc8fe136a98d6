// What `preon status` answers: the shards of a run that may be spread over machines.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "report/results/results.h"

namespace preon {

enum class ShardState { kDone, kMissing, kFailed, kStale };
std::string_view ShardStateName(ShardState state);

struct ShardReport {
  std::string shard;   ///< "3/16", as --shard takes it
  std::string result;  ///< file
  ShardState state = ShardState::kMissing;
  std::string reason;  ///< one clause; empty where it is done or missing
  int64_t samples = 0;
};

struct StatusResult {
  RunFacts facts;
  std::string description, model;
  std::vector<ShardReport> shards;
  int64_t CountOf(ShardState state) const;
};

std::string ToText(const StatusResult& result);
std::string ToJson(const StatusResult& result);

}  // namespace preon

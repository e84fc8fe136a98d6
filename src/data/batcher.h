// Batcher: from counted samples to batches for the model.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/data_options.h"
#include "data/data_source.h"
#include "data/labels.h"
#include "data/sample_runs.h"
#include "data/sample_set.h"

namespace preon {

/// What of a set is wanted, and in which portions.
struct BatchPlan {
  std::vector<std::string> inputs;  ///< order of the feeds
  int64_t batch = 1;                ///< samples per batch
  bool exact = false;               ///< the model takes batches of exactly this size
  int64_t total = 0;                ///< samples of the stream before sharding
  Shard shard;
  int64_t part = 0, parts = 1;  ///< of the shard's batches (by place, k) those with k % parts == part
  SampleRuns seen;              ///< canonical; left out
};

/// Stacks samples of equal shapes that follow each other in the shard; another shape or a gap starts a new batch.
/// `labels` win over labels of the data.
std::unique_ptr<DataSource> MakeBatcher(std::unique_ptr<SampleSet> samples, BatchPlan plan,
                                        std::optional<LabelFile> labels);

/// Samples of `total` that belong to this shard.
int64_t ShardSize(const Shard& shard, int64_t total);

}  // namespace preon

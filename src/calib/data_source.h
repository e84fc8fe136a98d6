// DataSource: a stream of samples for a model's inputs, read file by file so that memory does not grow with their
// number.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/context.h"
#include "base/status.h"
#include "base/tensor.h"
#include "calib/sample_runs.h"
#include "runtime/session.h"

namespace preon {

/// Some samples, stacked along axis 0 of every input (except inputs without a batch axis, which are repeated
/// unchanged).
struct Batch {
  std::vector<NamedTensor> feeds;  ///< one per model input, by name
  int64_t samples = 0;
  int64_t first_sample = 0;                    ///< index of the first one in the whole stream (before sharding)
  int64_t sample_step = 1;                     ///< from one sample's index to the next one's (the number of shards)
  std::vector<std::string> names;              ///< one per sample: file or "file[17]", for messages and labels
  std::vector<std::optional<int64_t>> labels;  ///< one per sample; nullopt where unknown
  std::vector<NamedTensor>
      expected;  ///< outputs of an ONNX test set in the model's order (names may be empty); mostly none
};

/// One pass over the data; not thread-safe (the prefetcher owns it).
class DataSource {
 public:
  virtual ~DataSource() = default;
  /// nullopt at the end. Errors: kData*, kImageUnreadable, kIoRead, kOutOfMemory, naming file, array, sample; the
  /// stream is over then.
  virtual Result<std::optional<Batch>> Next() = 0;
  /// Samples this source will yield; nullopt if unknown before reading.
  virtual std::optional<int64_t> SampleCount() const = 0;
  /// Samples of a batch, unless their shapes differ or the end comes first.
  virtual int64_t BatchSize() const { return 1; }
};

/// What random samples look like where the model does not say; by input.
struct RandomValues {
  struct Interval {
    double low = 0, high = 1;  ///< integers: both included; floats: `high` is not
  };
  std::map<std::string, Shape> shapes;      ///< sizes of at most 0 are left to preon; empty, or one for every input
  std::map<std::string, Interval> ranges;   ///< empty, or one for every input
  std::optional<Interval> common;           ///< for inputs without a range of their own
};

struct DataOptions {
  std::vector<std::string> sources;                         ///< --data SRC…
  std::vector<std::pair<std::string, std::string>> inputs;  ///< --input NAME=SRC…
  std::string preprocess;  ///< --preprocess; empty is an error for images, except for uint8 inputs (`raw`)
  std::string labels;      ///< --labels FILE
  std::string only;        ///< --only FILE
  int64_t limit = -1;      ///< --samples N; -1 = all
  int64_t batch = 0;       ///< --batch N; 0 = the model's fixed batch, else 1
  uint64_t seed = 0;       ///< for random:N
  RandomValues random;     ///< of random:N
  int64_t random_samples = 0;  ///< so many random ones where there is no source at all
  int64_t shard_index = 0, shard_count = 1;  ///< --shard I/N, 0-based here: sample k goes to shard k % N
};

/// Which samples of the stream a pass takes.
struct SampleSelection {
  int64_t limit = -1;           ///< the first so many; -1 = all that --samples lets through
  SampleRuns seen;              ///< canonical; these are left out, and not even read
  int64_t part = 0, parts = 1;  ///< batch k of the shard only where k % parts == part
};

/// Opens all sources for a model with these inputs and checks names, types and shapes before anything is run
/// (docs/design/data.md has the rules). Errors: kMissingOption, kConflictingOptions, kBadOptionValue, kPreprocess,
/// kLabels, kData*.
Result<std::unique_ptr<DataSource>> OpenDataSource(const DataOptions& options, const std::vector<TensorSpec>& inputs,
                                                   const SampleSelection& selection = {});

/// Reads ahead on a thread of its own, at most `depth` batches.
std::unique_ptr<DataSource> Prefetch(std::unique_ptr<DataSource> source, int depth = 2);

}  // namespace preon

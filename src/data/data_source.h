// DataSource: a stream of samples for a model's inputs, read file by file so that memory does not grow with their
// number.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/context.h"
#include "base/status.h"
#include "base/tensor.h"
#include "base/tensor_spec.h"

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
      expected;           ///< outputs of an ONNX test set in the model's order (names may be empty); mostly none
  bool held_out = false;  ///< kept from calibration and from choosing: figures come from it (data/held_out.h)
  size_t part = 0;        ///< of the data; statistics are kept for each part, so that one can be left out
};

/// What a run of these samples gave: an error names the first of them, kCancelled stays as it is.
Result<std::vector<NamedTensor>> OfSamples(Result<std::vector<NamedTensor>> outputs, const Batch& batch);

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

/// Reads ahead on a thread of its own, at most `depth` batches.
std::unique_ptr<DataSource> Prefetch(std::unique_ptr<DataSource> source, int depth = 2);

}  // namespace preon

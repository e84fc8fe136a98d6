// SampleSet: a counted sequence of samples behind one source; what every form of SRC becomes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/tensor.h"

namespace preon {

/// How the feed of one input relates to its samples (docs/design/data.md has the table).
enum class FeedKind {
  kRow,       ///< shape [1, ...]: samples stack along axis 0
  kWhole,     ///< the input's whole shape: each sample is a run of its own
  kRepeated,  ///< the same for every sample
};

struct Feed {
  std::string input;
  Tensor tensor;
  FeedKind kind = FeedKind::kRow;
};

struct Sample {
  std::vector<Feed> feeds;
  std::optional<int64_t> label;
  std::vector<NamedTensor> expected;  ///< as in Batch
};

/// Samples by index. Calls with rising indices are cheap; not thread-safe.
class SampleSet {
 public:
  virtual ~SampleSet() = default;
  /// Number of samples; kRepeats if one constant stands for any number.
  virtual int64_t size() const = 0;
  /// True if samples can't be stacked: each is a run of its own.
  virtual bool single() const = 0;
  /// True if its only sample may also be taken as a constant beside sources with more samples.
  virtual bool can_repeat() const { return false; }
  /// The sample's name below its source ("cat/7.jpg", "x.npz[3]"), which labels are looked up by.
  virtual std::string Key(int64_t index) const = 0;
  /// The sample's name in messages: with the source's path.
  virtual std::string Name(int64_t index) const = 0;
  /// Errors: kData*, kImageUnreadable, kIoRead, each naming the sample.
  virtual Result<Sample> Read(int64_t index) = 0;
  /// Drops open files and buffers; Read opens them again.
  virtual void Close() {}

  static constexpr int64_t kRepeats = -1;
};

}  // namespace preon

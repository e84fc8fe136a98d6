// DataOptions: where samples come from, and which of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/shape.h"
#include "data/sample_runs.h"

namespace preon {

/// Random samples as a source: "random:N".
inline constexpr std::string_view kRandomPrefix = "random:";
bool IsRandomSource(const std::string& source);

/// What random samples look like where the model does not say; by input.
struct RandomValues {
  struct Interval {
    double low = 0, high = 1;  ///< integers: both included; floats: `high` is not
  };
  std::map<std::string, Shape> shapes;     ///< sizes of at most 0 are left to preon; empty, or one for every input
  std::map<std::string, Interval> ranges;  ///< empty, or one for every input
  std::optional<Interval> common;          ///< for inputs without a range of their own
};

struct RandomOptions {
  uint64_t seed = 0;  ///< --seed N
  RandomValues values;
};

/// Where samples come from.
struct SourceOptions {
  std::vector<std::string> sources;                         ///< --data SRC…
  std::vector<std::pair<std::string, std::string>> inputs;  ///< --input NAME=SRC…
  int64_t random_samples = 0;                               ///< so many random ones where there is no source at all

  bool has_sources() const { return !sources.empty() || !inputs.empty(); }
  bool has_samples() const { return has_sources() || random_samples > 0; }
  /// Some of the samples are random.
  bool has_random() const;
};

/// Sample k goes to shard k % count.
struct Shard {
  int64_t index = 0, count = 1;
};

struct DataOptions {
  SourceOptions from;
  std::string preprocess;  ///< --preprocess; empty is an error for images, except for uint8 inputs (`raw`)
  std::string labels;      ///< --labels FILE
  std::string only;        ///< --only FILE
  int64_t limit = -1;      ///< --samples N; -1 = all
  int64_t batch = 0;       ///< --batch N; 0 = the model's fixed batch, else 1
  RandomOptions random;    ///< of random:N
  Shard shard;             ///< --shard I/N, where I counts from 1

  /// Everything that is read.
  std::vector<std::string> Paths() const;
};

/// Which samples of the stream a pass takes.
struct SampleSelection {
  int64_t limit = -1;           ///< the first so many; -1 = all that --samples lets through
  SampleRuns seen;              ///< canonical; these are left out, and not even read
  int64_t part = 0, parts = 1;  ///< batch k of the shard only where k % parts == part
};

}  // namespace preon

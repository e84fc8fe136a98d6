// TensorStatistic: what an algorithm wants to know of a tensor's values beside its sketch.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/parallel.h"
#include "base/status.h"
#include "stats/channel_layout.h"

namespace preon {

/// A mergeable summary of one tensor. Update and Merge commute and associate exactly: any order of runs, split over
/// threads or merge of files gives the same bytes (sum in integers or with FixedSum, not in floating point).
class TensorStatistic {
 public:
  virtual ~TensorStatistic() = default;
  /// Adds the values of one run, in memory as `layout` says; padding of blocked channels is not to be counted. Calls
  /// for one tensor never overlap. Errors: kSketchMismatch where this run does not go with those before.
  virtual Status Update(const float* values, const ChannelLayout& layout, const ParallelFor& parallel_for) = 0;
  /// Adds what another one of the same kind has serialized. Errors: kCalibFileMalformed, kSketchMismatch.
  virtual Status Merge(std::string_view serialized) = 0;
  /// Equal statistics give equal bytes.
  virtual std::string Serialize() const = 0;
};

/// Makes statistics of one kind; an algorithm brings its own (algorithms/algorithm.h).
class StatisticKind {
 public:
  virtual ~StatisticKind() = default;
  /// Names the kind in .calib files.
  virtual std::string_view name() const = 0;
  virtual std::unique_ptr<TensorStatistic> Make() const = 0;
};

}  // namespace preon

// RangeCollector: how a range follows from a tensor's values in the order of the data, where statistics don't hold what
// a method needs: the order of the samples, or each sample's values.
#pragma once

#include <functional>
#include <span>

#include "base/status.h"
#include "formats/int_format.h"

namespace preon {

/// Shows all portions of a tensor again, in the same order. Errors: those of reading them.
using ValueReplay = std::function<Status(const std::function<void(std::span<const float> portion)>& visit)>;

/// One tensor's. Not thread-safe; a portion is the values of a sample, or of a run of several.
class RangeCollector {
 public:
  virtual ~RangeCollector() = default;
  /// The next portion: finite, at least one value.
  virtual void Add(std::span<const float> portion) = 0;
  /// True: a portion is all values of a run, as the data are batched; else those of a sample, however they are.
  virtual bool by_run() const { return false; }
  /// True: Finish reads the values again, so the caller has to keep them.
  virtual bool rereads() const { return false; }
  /// After at least one Add.
  virtual Result<Range> Finish(const ValueReplay& again) = 0;
};

}  // namespace preon

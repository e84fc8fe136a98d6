// FloatOutputs: what the float model made of the first samples of a calibration, so that a comparison need not run it
// over them again.
#pragma once

#include <map>
#include <vector>

#include "data/data_source.h"

namespace preon {

class FloatOutputs {
 public:
  /// Up to a number of runs and a bound of memory, from which on nothing more is kept.
  void Keep(const Batch& batch, const std::vector<NamedTensor>& outputs);
  /// Null unless the very feeds of `batch` were seen at its place in the stream: a caller's own stream may give others
  /// every time it is opened.
  const std::vector<NamedTensor>* Find(const Batch& batch) const;
  void Clear() { *this = {}; }

 private:
  struct Run {
    size_t feeds_hash;
    std::vector<NamedTensor> outputs;
  };
  std::map<int64_t, Run> runs_;  // by first sample
  size_t bytes_ = 0;
};

}  // namespace preon

// MostChanged: the samples on which two models differ most.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace preon {

struct ChangedSample {
  std::string name;    ///< of the source; "" where it is not known
  int64_t index = 0;   ///< in the order in which they were compared
  double sqnr_db = 0;  ///< over the worst output
};

/// Keeps eight.
class MostChanged {
 public:
  void Add(ChangedSample sample);
  /// The largest change first.
  const std::vector<ChangedSample>& samples() const { return samples_; }

 private:
  std::vector<ChangedSample> samples_;
};

}  // namespace preon

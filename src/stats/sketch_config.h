// SketchConfig: what a TensorSketch keeps.
#pragma once

#include <cstdint>

namespace preon {

enum class SketchMode : uint8_t {
  kSampled,  ///< extremes, zeros and the tail exact; the bulk of large tensors from a fixed subset of blocks
  kExact,    ///< every element in the histogram
};

struct SketchConfig {
  SketchMode mode = SketchMode::kSampled;
  int64_t channels = 0;       ///< > 0: also exact min/max per channel
  int64_t mean_channels = 0;  ///< > 0: also the mean per channel, of the values that are in the histogram's bulk
  bool operator==(const SketchConfig&) const = default;
};

}  // namespace preon

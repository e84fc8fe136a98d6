// The histograms that the reference collects batch by batch, in order. Source: spec options §10.4 and §10.6; ONNX
// Runtime 1.30 (calibrate.py) for the first two forms.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace preon::compat {

using Batches = std::span<const std::span<const float>>;

template <typename Edge>
struct ReferenceHistogram {
  std::vector<int64_t> counts;
  std::vector<Edge> edges;  ///< counts.size() + 1
  float min = 0, max = 0;   ///< of the signed values
};

/// Over |x|: the first batch's [min, max] in `bins` parts, further bins of that width above where later ones need them.
ReferenceHistogram<float> CollectAbsolute(Batches batches, size_t bins);
/// Over x: the first batch's [-t, t], t = max|x|; wider by whole bins to both sides where later ones need them.
ReferenceHistogram<float> CollectSigned(Batches batches, size_t bins);
/// Over x, for power-of-two MinMSE: the first batch's [min, max], wider by whole bins to the side that needs them;
/// edges in double.
ReferenceHistogram<double> CollectBetweenExtremes(Batches batches, size_t bins);

}  // namespace preon::compat

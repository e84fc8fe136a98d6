// The histograms that other tools collect batch by batch, in order. Source: Quark 0.13; ONNX Runtime
// 1.30 (calibrate.py) for the first two forms.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/status.h"
#include "ranges/range_collector.h"

namespace preon::compat {

template <typename Edge>
struct CompatHistogram {
  std::vector<int64_t> counts;
  std::vector<Edge> edges;  ///< counts.size() + 1
  float min = 0, max = 0;   ///< of the signed values
};

/// What values reach: of x and of |x|.
struct Extent {
  float min = 0, max = 0, least = 0, most = 0;
};
Extent ExtentOf(std::span<const float> values);
/// `seen` and `values`, which are the first where nothing was seen.
Extent Widened(const std::optional<Extent>& seen, std::span<const float> values);

/// Quark adds bins of the first batch's width until they cover what comes; a tiny first batch makes that
/// billions of them, and Quark runs out of memory. Errors: kOutOfMemory.
inline constexpr double kMostBins = 1 << 26;

enum class HistogramForm {
  kAbsolute,  ///< over |x|: the first batch's [min, max] in `bins` parts; later ones add bins of that width above
  kSigned,    ///< over x: the first batch's [-t, t], t = max|x|; wider by whole bins to both sides where later ones are
};

struct HistogramOptions {
  HistogramForm form = HistogramForm::kAbsolute;
  size_t bins = 2048;
  bool one_block = false;  ///< ONNX Runtime's: all batches make the first one; takes the values twice
};

class HistogramOfBatches {
 public:
  explicit HistogramOfBatches(const HistogramOptions& options) : options_(options) {}
  void Add(std::span<const float> batch);
  bool rereads() const { return options_.one_block; }
  /// Errors: kOutOfMemory, kRangeInvalid for signed values beyond half of the largest float, those of `again`.
  Result<CompatHistogram<float>> Finish(const ValueReplay& again);

 private:
  Status Begin(const Extent& extent);
  Status AddAbsolute(std::span<const float> batch, const Extent& extent);
  Status AddSigned(std::span<const float> batch, const Extent& extent);

  HistogramOptions options_;
  CompatHistogram<float> histogram_;
  float reach_ = 0;             // kSigned: where the edges end
  std::optional<Extent> seen_;  // one_block: of all batches
  Status status_;
};

/// Over x, for power-of-two MinMSE: the first batch's [min, max], wider by whole bins to the side that needs them;
/// edges in double.
class HistogramBetweenExtremes {
 public:
  explicit HistogramBetweenExtremes(size_t bins) : bins_(bins) {}
  void Add(std::span<const float> batch);
  /// Errors: kOutOfMemory.
  Result<CompatHistogram<double>> Finish() const;

 private:
  size_t bins_;
  Status status_;
  CompatHistogram<double> histogram_;
  double first_ = 0, width_ = 0;
};

}  // namespace preon::compat

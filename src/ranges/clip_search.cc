#include "ranges/clip_search.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace preon {
namespace {

constexpr double kMostOctaves = 12;

/// How far the ends are pulled in, in octaves.
struct Clip {
  double low, high;
  double error = 0;
};

class Search {
 public:
  Search(const SquareError& error, const Range& observed, const RangeQuery& query, bool symmetric)
      : error_(error), observed_(observed), query_(query), symmetric_(symmetric) {}

  Range RangeOf(const Clip& clip) const {
    if (symmetric_) {
      const float reach = PulledIn(std::max(-observed_.min, observed_.max), clip.low);
      return {std::max(-reach, observed_.min), std::min(reach, observed_.max)};
    }
    return {PulledIn(observed_.min, clip.low), PulledIn(observed_.max, clip.high)};
  }

  Clip Run() const {
    std::vector<Clip> best = Coarse();
    for (Clip& clip : best) clip = Refined(clip);
    return *std::min_element(best.begin(), best.end(), BySmallerError);
  }

 private:
  static constexpr size_t kStarts = 4;

  static float PulledIn(float end, double octaves) { return static_cast<float>(end * std::exp2(-octaves)); }
  static bool BySmallerError(const Clip& a, const Clip& b) { return a.error < b.error; }

  bool MovesLow() const { return symmetric_ || observed_.min < 0; }
  bool MovesHigh() const { return !symmetric_ && observed_.max > 0; }
  bool FewCodes() const { return query_.format.q_max() - query_.format.q_min() < 64; }
  /// Few codes: errors with many valleys, and cheap.
  double CoarseStep() const { return !MovesLow() || !MovesHigh() ? 0.125 : FewCodes() ? 0.25 : 0.5; }

  QuantParams ParamsOf(const Clip& clip) const {
    return *ComputeQuantParams(RangeOf(clip), query_.format, query_.scale_type);
  }

  /// With few codes steps are too wide for the estimate.
  Clip CoarseAt(double low, double high) const {
    const QuantParams params = ParamsOf({low, high});
    return {low, high, FewCodes() ? error_.Of(params, query_.format) : error_.Estimate(params, query_.format)};
  }

  /// With many codes steps are narrower than bins.
  Clip FineAt(double low, double high) const {
    const QuantParams params = ParamsOf({low, high});
    const bool many_codes = query_.format.q_max() - query_.format.q_min() >= 1024;
    return {low, high, many_codes ? error_.Estimate(params, query_.format) : error_.Of(params, query_.format)};
  }

  /// The best few of the whole grid. More than one, because rounding of the zero point and values that repeat make
  /// valleys beside the deepest.
  std::vector<Clip> Coarse() const {
    std::vector<Clip> clips;
    const double step = CoarseStep();
    for (double low = 0; low <= (MovesLow() ? kMostOctaves : 0); low += step) {
      for (double high = 0; high <= (MovesHigh() ? kMostOctaves : 0); high += step)
        clips.push_back(CoarseAt(low, high));
    }
    const size_t starts = std::min(FewCodes() ? 4 * kStarts : kStarts, clips.size());
    std::partial_sort(clips.begin(), clips.begin() + static_cast<ptrdiff_t>(starts), clips.end(), BySmallerError);
    clips.resize(starts);
    return clips;
  }

  /// Moves to the best of the neighbours, which come ever closer.
  Clip Refined(Clip best) const {
    best = FineAt(best.low, best.high);
    for (double step = CoarseStep() / 2; step >= 1.0 / 1024; step /= 2) {
      const Clip centre = best;
      for (double low : {-step, 0.0, step}) {
        for (double high : {-step, 0.0, step}) {
          if ((low == 0 && high == 0) || (low != 0 && !MovesLow()) || (high != 0 && !MovesHigh())) continue;
          const Clip clip = FineAt(std::max(0.0, centre.low + low), std::max(0.0, centre.high + high));
          if (clip.error < best.error) best = clip;
        }
      }
    }
    return best;
  }

  const SquareError& error_;
  const Range observed_;
  const RangeQuery query_;
  const bool symmetric_;
};

}  // namespace

Range SearchClip(const SquareError& error, const Range& observed, const RangeQuery& query, bool symmetric) {
  const Search search(error, observed, query, symmetric);
  return search.RangeOf(search.Run());
}

}  // namespace preon

// Tree-structured Parzen estimator: values that are frequent among the good points and rare among the others.
// Source: Bergstra, Bardenet, Bengio, Kégl 2011, "Algorithms for Hyper-Parameter Optimization", section 4.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "search/space/sampler.h"

namespace preon {
namespace {

constexpr size_t kFirstAtRandom = 10;
constexpr int kDraws = 24;        // of the good ones' density, of which the best is taken
constexpr size_t kMostGood = 25;  // a tenth of the points, at most so many

// A density over the values of one dimension: around each value seen, and even everywhere.
class Density {
 public:
  Density(const Dimension& dimension, std::vector<double> seen) : dimension_(dimension) {
    if (dimension.choices > 0) {
      counts_.assign(static_cast<size_t>(dimension.choices), 1.0 / static_cast<double>(dimension.choices));
      for (const double value : seen) counts_[static_cast<size_t>(value)] += 1;
      total_ = static_cast<double>(seen.size()) + 1;
      return;
    }
    for (double& value : seen) value = Scaled(value);
    std::ranges::sort(seen);
    centres_ = std::move(seen);
    // As wide as the distance to the farther neighbour, within bounds.
    const double least = 1 / std::min(100.0, static_cast<double>(centres_.size()) + 2);
    for (size_t i = 0; i < centres_.size(); ++i) {
      const double below = centres_[i] - (i > 0 ? centres_[i - 1] : 0);
      const double above = (i + 1 < centres_.size() ? centres_[i + 1] : 1) - centres_[i];
      widths_.push_back(std::clamp(std::max(below, above), least, 1.0));
    }
    centres_.push_back(0.5);
    widths_.push_back(1);
  }

  double Draw(RandomNumbers& random) const {
    if (!counts_.empty()) {
      double left = random.Uniform() * total_;
      size_t choice = 0;
      while (choice + 1 < counts_.size() && left >= counts_[choice]) left -= counts_[choice++];
      return static_cast<double>(choice);
    }
    const auto centre = static_cast<size_t>(random.Below(static_cast<int64_t>(centres_.size())));
    double place = -1;
    while (place < 0 || place > 1) place = centres_[centre] + widths_[centre] * random.Normal();
    return Unscaled(place);
  }

  double LogOf(double value) const {
    if (!counts_.empty()) return std::log(counts_[static_cast<size_t>(value)] / total_);
    const double place = Scaled(value);
    double sum = 0;
    for (size_t i = 0; i < centres_.size(); ++i) {
      const auto below = [&](double x) { return 0.5 * std::erfc((centres_[i] - x) / widths_[i] / std::sqrt(2.0)); };
      const double distance = (place - centres_[i]) / widths_[i];
      sum += std::exp(-distance * distance / 2) / widths_[i] / (below(1) - below(0));
    }
    return std::log(std::max(sum / static_cast<double>(centres_.size()), std::numeric_limits<double>::min()));
  }

 private:
  // To 0 … 1 and back.
  double Scaled(double value) const {
    const auto& [low, high] = std::pair(dimension_.low, dimension_.high);
    if (low == high) return 0.5;
    return dimension_.log ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
  }
  double Unscaled(double place) const {
    const auto& [low, high] = std::pair(dimension_.low, dimension_.high);
    return dimension_.Nearest(dimension_.log ? low * std::pow(high / low, place) : low + place * (high - low));
  }

  const Dimension& dimension_;
  std::vector<double> counts_;
  double total_ = 0;
  std::vector<double> centres_, widths_;
};

class TpeSampler final : public Sampler {
 public:
  std::string_view name() const override { return "tpe"; }
  std::string_view summary() const override {
    return "values that are frequent in the good trials (tree-structured Parzen estimator)";
  }
  std::optional<Point> Draw(const SearchSpace& space, std::span<const TriedPoint> tried,
                            RandomNumbers& random) const override {
    if (tried.size() < kFirstAtRandom) return AnyPoint(space, random);
    std::vector<const TriedPoint*> order;
    for (const TriedPoint& each : tried) order.push_back(&each);
    const auto loss = [](const TriedPoint* each) {
      return each->loss.value_or(std::numeric_limits<double>::infinity());
    };
    std::ranges::stable_sort(order, {}, loss);
    const size_t good = std::min((order.size() + 9) / 10, kMostGood);
    Point point(space.dimensions().size());
    for (size_t i = 0; i < point.size(); ++i) {
      if (space.IsActive(i, point)) point[i] = DrawValue(i, space.dimensions()[i], order, good, random);
    }
    return point;
  }

 private:
  static std::vector<double> SeenAt(size_t dimension, std::span<const TriedPoint* const> points) {
    std::vector<double> seen;
    for (const TriedPoint* each : points) {
      if (each->point[dimension]) seen.push_back(*each->point[dimension]);
    }
    return seen;
  }

  static double DrawValue(size_t index, const Dimension& dimension, std::span<const TriedPoint* const> order,
                          size_t good, RandomNumbers& random) {
    const Density near(dimension, SeenAt(index, order.first(good)));
    const Density other(dimension, SeenAt(index, order.subspan(good)));
    double best = 0, best_gain = -std::numeric_limits<double>::infinity();
    for (int draw = 0; draw < kDraws; ++draw) {
      const double value = near.Draw(random);
      const double gain = near.LogOf(value) - other.LogOf(value);
      if (gain <= best_gain) continue;
      best = value;
      best_gain = gain;
    }
    return best;
  }
};

}  // namespace

std::unique_ptr<Sampler> MakeTpeSampler() { return std::make_unique<TpeSampler>(); }

}  // namespace preon

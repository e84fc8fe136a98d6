// Sampler: which point of a space is tried next.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/registry.h"
#include "search/space/random_numbers.h"
#include "search/space/search_space.h"

namespace preon {

/// A point that has been tried.
struct TriedPoint {
  Point point;
  std::optional<double> loss;  ///< small is good, only the order counts; none: it could not be made
};

class Sampler {
 public:
  virtual ~Sampler() = default;
  virtual std::string_view name() const = 0;
  std::vector<std::string_view> aliases() const { return {}; }
  virtual std::string_view summary() const = 0;
  /// May be one that was tried. None: there is nothing behind those that were.
  virtual std::optional<Point> Draw(const SearchSpace& space, std::span<const TriedPoint> tried,
                                    RandomNumbers& random) const = 0;
};

std::unique_ptr<Sampler> MakeGridSampler();
std::unique_ptr<Sampler> MakeRandomSampler();
std::unique_ptr<Sampler> MakeTpeSampler();

/// In the order of help.
Registry<Sampler> MakeSamplers();

/// Of each dimension any value, all as likely.
Point AnyPoint(const SearchSpace& space, RandomNumbers& random);

/// A point that was not tried. It depends on the seed, the number of points tried and what they gave alone, so that a
/// search that goes on chooses what it would have chosen. None: all were tried.
std::optional<Point> NextPoint(const Sampler& sampler, const SearchSpace& space, std::span<const TriedPoint> tried,
                               uint64_t seed);

}  // namespace preon

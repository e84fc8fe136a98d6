#include "eval/score_channels.h"

#include <algorithm>
#include <cmath>

#include "eval/values.h"

namespace preon {
namespace {

constexpr int64_t kMostChannels = 1024;  // more are places
constexpr double kLouder = 100;
constexpr size_t kFewestPlaces = 16;  // fewer values of a channel may lie between 0 and 1 by chance

struct ChannelFigures {
  double low = 0, high = 0, squares = 0;
  bool is_score() const { return low >= 0 && high <= 1; }
};

std::vector<ChannelFigures> FiguresAlong(std::span<const double> values, size_t channels, size_t inner) {
  std::vector<ChannelFigures> figures(channels);
  for (size_t from = 0; from + inner <= values.size(); from += inner) {
    ChannelFigures& channel = figures[from / inner % channels];
    for (const double value : values.subspan(from, inner)) {
      channel.low = std::min(channel.low, value);
      channel.high = std::max(channel.high, value);
      channel.squares += value * value;
    }
  }
  return figures;
}

// Scores and coordinates, far apart.
bool IsMixed(const std::vector<ChannelFigures>& figures) {
  double loudest_score = -1, quietest_coordinate = -1;
  for (const ChannelFigures& channel : figures) {
    if (channel.is_score())
      loudest_score = std::max(loudest_score, channel.squares);
    else if (quietest_coordinate < 0 || channel.squares < quietest_coordinate)
      quietest_coordinate = channel.squares;
  }
  return loudest_score > 0 && quietest_coordinate >= kLouder * loudest_score;
}

// Along the rows of each table: never more than in the row before, and less in the end.
bool Ranks(std::span<const double> values, size_t rows, size_t channels, size_t channel) {
  for (size_t table = 0; table + rows * channels <= values.size(); table += rows * channels) {
    const auto score = [&](size_t row) { return values[table + row * channels + channel]; };
    for (size_t row = 1; row < rows; ++row)
      if (!(score(row) <= score(row - 1))) return false;
    if (!(score(rows - 1) < score(0))) return false;
  }
  return true;
}

}  // namespace

std::optional<ScoreChannels> ScoreChannels::Find(std::span<const double> values, const Shape& shape) {
  if (shape.size() < 3) return std::nullopt;  // a row of logits: any of them may lie between 0 and 1
  ScoreChannels found;
  for (size_t axis = shape.size(); axis-- > 1;) {
    const int64_t channels = shape[axis];
    const bool has_places = values.size() >= kFewestPlaces * static_cast<size_t>(channels);
    if (channels > 1 && channels <= kMostChannels && has_places) {
      const std::vector<ChannelFigures> figures = FiguresAlong(values, static_cast<size_t>(channels), found.inner_);
      if (IsMixed(figures)) {
        for (const ChannelFigures& channel : figures) found.is_score_.push_back(channel.is_score());
        const auto rows = static_cast<size_t>(shape[axis - 1]);
        for (size_t channel = 0; found.inner_ == 1 && rows >= kFewestPlaces && channel < figures.size(); ++channel) {
          if (!found.is_score_[channel] || !Ranks(values, rows, figures.size(), channel)) continue;
          found.ranking_ = channel;
          break;
        }
        return found;
      }
    }
    found.inner_ *= static_cast<size_t>(channels);
  }
  return std::nullopt;
}

std::vector<double> ScoreChannels::Weighed(std::span<const double> values, std::span<const double> expected) const {
  const size_t channels = is_score_.size();
  std::vector<double> weighed(values.begin(), values.end());
  for (size_t index = 0; index < weighed.size(); ++index)
    weighed[index] *= expected[index / channels * channels + *ranking_];
  return weighed;
}

template <typename T>
void ScoreChannels::Add(std::span<const T> a, std::span<const T> b, double& signal, double& noise) const {
  for (size_t from = 0; from + inner_ <= a.size(); from += inner_) {
    if (!is_score_[from / inner_ % is_score_.size()]) continue;
    for (size_t index = from; index < from + inner_; ++index) {
      const double exact = a[index], other = b[index];
      if (!std::isfinite(exact) || !std::isfinite(other)) continue;
      signal += exact * exact;
      noise += (exact - other) * (exact - other);
    }
  }
}

template void ScoreChannels::Add(std::span<const float>, std::span<const float>, double&, double&) const;
template void ScoreChannels::Add(std::span<const double>, std::span<const double>, double&, double&) const;

const ScoreChannels* OutputScores::Of(const Tensor& values) {
  if (values.shape() != shape_) {
    shape_ = values.shape();
    found_ = ScoreChannels::Find(ToDoubles(values), shape_);
  }
  return found_ ? &*found_ : nullptr;
}

}  // namespace preon

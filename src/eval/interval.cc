#include "eval/interval.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/split_mix.h"

namespace preon {
namespace {

constexpr double kZ = 1.959964;  // of a normal distribution, 95 % lie within so many deviations
constexpr size_t kDraws = 1000;

// Of Student's distribution. Source: Abramowitz and Stegun 1964, 26.7.5.
double StudentQuantile(double freedom) {
  const double z3 = std::pow(kZ, 3), z5 = std::pow(kZ, 5), z7 = std::pow(kZ, 7);
  return kZ + (z3 + kZ) / (4 * freedom) + (5 * z5 + 16 * z3 + 3 * kZ) / (96 * freedom * freedom) +
         (3 * z7 + 19 * z5 + 17 * z3 - 15 * kZ) / (384 * std::pow(freedom, 3));
}

// How far below the value that all draws spread around the low end lies, as a share of the draws.
double LowShare(size_t count) {
  const auto n = static_cast<double>(count);
  return 0.5 * std::erfc(std::sqrt(n / (n - 1)) * StudentQuantile(n - 1) / std::sqrt(2.0));
}

// Draws with replacement, the same ones every time.
class Draws {
 public:
  void Fill(std::span<size_t> drawn) {
    const size_t count = drawn.size();
    for (size_t& one : drawn) one = static_cast<size_t>((SplitMix64(state_ += kSplitMixStep) >> 32) * count >> 32);
  }

 private:
  uint64_t state_ = 0;
};

struct LogRatio {
  double value = 0, standard_error = 0;  // of ln(Σ signal / Σ noise), by the delta method
};

LogRatio LogRatioOf(std::span<const double> signal, std::span<const double> noise, std::span<const size_t> drawn) {
  double signals = 0, noises = 0, squares = 0;
  for (const size_t sample : drawn) {
    signals += signal[sample];
    noises += noise[sample];
  }
  for (const size_t sample : drawn) squares += std::pow(signal[sample] / signals - noise[sample] / noises, 2);
  return {std::log(signals / noises), std::sqrt(squares)};
}

}  // namespace

ConfidenceInterval ShareInterval(int64_t successes, int64_t of) {
  const auto n = static_cast<double>(of);
  const double share = static_cast<double>(successes) / n, z2 = kZ * kZ;
  const double middle = (share + z2 / (2 * n)) / (1 + z2 / n);
  const double half = kZ / (1 + z2 / n) * std::sqrt(share * (1 - share) / n + z2 / (4 * n * n));
  return {successes == 0 ? 0 : std::max(0.0, middle - half), successes == of ? 1 : std::min(1.0, middle + half)};
}

ConfidenceInterval DifferenceInterval(const PairedCounts& counts) {
  const int64_t all = counts.all();
  const auto a = static_cast<double>(counts.both), b = static_cast<double>(counts.first_only),
             c = static_cast<double>(counts.second_only), d = static_cast<double>(counts.neither),
             n = static_cast<double>(all);
  const double first = (a + b) / n, second = (a + c) / n;
  const ConfidenceInterval of_first = ShareInterval(counts.both + counts.first_only, all),
                           of_second = ShareInterval(counts.both + counts.second_only, all);
  const double product = (a + b) * (c + d) * (a + c) * (b + d);
  double numerator = a * d - b * c;
  if (numerator > 0) numerator = std::max(0.0, numerator - n / 2);
  const double phi = product > 0 ? numerator / std::sqrt(product) : 0;
  const auto half = [&](double of_one, double of_other) {
    return std::sqrt(std::max(0.0, of_one * of_one - 2 * phi * of_one * of_other + of_other * of_other));
  };
  const double difference = first - second;
  return {difference - half(first - of_first.low, of_second.high - second),
          difference + half(of_first.high - first, second - of_second.low)};
}

std::optional<ConfidenceInterval> DecibelInterval(std::span<const double> signal, std::span<const double> noise) {
  std::vector<size_t> drawn(signal.size());
  std::iota(drawn.begin(), drawn.end(), size_t{0});
  const LogRatio all = LogRatioOf(signal, noise, drawn);
  std::vector<double> errors;  // of the draws, in standard errors
  Draws draws;
  for (size_t draw = 0; draw < kDraws; ++draw) {
    draws.Fill(drawn);
    const LogRatio one = LogRatioOf(signal, noise, drawn);
    const double error = (one.value - all.value) / one.standard_error;
    if (std::isfinite(error)) errors.push_back(error);
  }
  if (errors.size() < kDraws / 2 || !std::isfinite(all.value)) return std::nullopt;
  std::ranges::sort(errors);
  const size_t below = errors.size() / 40;  // 2.5 %
  // A ratio of sums lies between the ratios; where one sample has nearly all of the noise, draws would go far beyond.
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (size_t sample = 0; sample < signal.size(); ++sample) {
    const double ratio = std::log(signal[sample] / noise[sample]);
    if (std::isnan(ratio)) continue;
    least = std::min(least, ratio);
    most = std::max(most, ratio);
  }
  const auto decibel = [&](double error) {
    return 10 / std::log(10.0) * std::clamp(all.value - error * all.standard_error, least, most);
  };
  return ConfidenceInterval{decibel(errors[errors.size() - 1 - below]), decibel(errors[below])};
}

ConfidenceInterval BootstrapInterval(size_t count, const std::function<double(std::span<const size_t>)>& figure) {
  std::vector<size_t> drawn(count);
  for (size_t i = 0; i < count; ++i) drawn[i] = i;
  if (count < 2) {
    const double value = figure(drawn);
    return {value, value};
  }
  std::vector<double> values;
  Draws draws;
  for (size_t draw = 0; draw < kDraws; ++draw) {
    draws.Fill(drawn);
    values.push_back(figure(drawn));
  }
  std::ranges::sort(values);
  const auto below = std::min(kDraws / 2, static_cast<size_t>(LowShare(count) * kDraws));
  return {values[below], values[kDraws - 1 - below]};
}

}  // namespace preon

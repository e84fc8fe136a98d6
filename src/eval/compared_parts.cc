#include "eval/compared_parts.h"

#include <algorithm>
#include <cmath>

namespace preon {
namespace {

constexpr size_t kMostParts = 2048;
constexpr size_t kLeastForSpread = 8;

ComparedPart Sum(const ComparedPart& a, const ComparedPart& b) {
  return {a.signal + b.signal, a.noise + b.noise, a.positions + b.positions, a.agreed + b.agreed};
}

ComparedPart SumOf(const std::vector<ComparedPart>& parts, std::span<const size_t> drawn) {
  ComparedPart sum;
  for (const size_t part : drawn) sum = Sum(sum, parts[part]);
  return sum;
}

// Median of noise over signal; above 0.
double TypicalRatio(const std::vector<ComparedPart>& parts) {
  std::vector<double> ratios;
  for (const ComparedPart& part : parts) ratios.push_back(part.noise / std::max(part.signal, 1e-30));
  const auto middle = ratios.begin() + static_cast<int64_t>(ratios.size() / 2);
  std::nth_element(ratios.begin(), middle, ratios.end());
  return std::max(*middle, 1e-30);
}

}  // namespace

double Decibel(double signal, double noise) {
  if (noise == 0) return kExactSqnrDb;
  if (signal == 0) return -kExactSqnrDb;
  return std::clamp(10 * std::log10(signal / noise), -kExactSqnrDb, kExactSqnrDb);
}

ComparedPart& ComparedParts::Next() {
  if (parts_.empty() || samples_in_last_ == samples_per_part_) {
    if (parts_.size() == kMostParts) {
      for (size_t part = 0; part < kMostParts / 2; ++part) parts_[part] = Sum(parts_[2 * part], parts_[2 * part + 1]);
      parts_.resize(kMostParts / 2);
      samples_per_part_ *= 2;
    }
    parts_.emplace_back();
    samples_in_last_ = 0;
  }
  ++samples_in_last_;
  return parts_.back();
}

std::optional<ConfidenceInterval> ComparedParts::OfSqnr(const ComparedParts* seen) const {
  if (parts_.size() < 2) return std::nullopt;
  ConfidenceInterval interval = BootstrapInterval(parts_.size(), [&](std::span<const size_t> drawn) {
    const ComparedPart sum = SumOf(parts_, drawn);
    return Decibel(sum.signal, sum.noise);
  });
  std::vector<double> signal, noise;
  const auto add = [&](const std::vector<ComparedPart>& parts, double factor) {
    for (const ComparedPart& part : parts) {
      signal.push_back(part.signal);
      noise.push_back(part.noise * factor);
    }
  };
  add(parts_, 1);
  if (samples_per_part_ == 1 && seen != nullptr && seen->samples_per_part_ == 1 && !seen->parts_.empty())
    add(seen->parts_, std::max(1.0, TypicalRatio(parts_) / TypicalRatio(seen->parts_)));
  if (signal.size() < kLeastForSpread) return interval;
  if (const auto wider = DecibelInterval(signal, noise)) {
    interval.low = std::min(interval.low, std::max(wider->low, -kExactSqnrDb));
    interval.high = std::max(interval.high, std::min(wider->high, kExactSqnrDb));
  }
  return interval;
}

std::optional<ConfidenceInterval> ComparedParts::OfAgreement(int64_t agreed, int64_t positions) const {
  if (parts_.size() < 2) return std::nullopt;
  const auto samples = static_cast<int64_t>(parts_.size()) * samples_per_part_;
  if (positions <= samples) return ShareInterval(agreed, positions);
  return BootstrapInterval(parts_.size(), [&](std::span<const size_t> drawn) {
    const ComparedPart sum = SumOf(parts_, drawn);
    return sum.positions > 0 ? static_cast<double>(sum.agreed) / static_cast<double>(sum.positions) : 1;
  });
}

}  // namespace preon

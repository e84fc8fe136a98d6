#include "ranges/compat/reference_minmse.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "ranges/compat/numpy_math.h"
#include "ranges/compat/reference_params.h"

namespace preon::compat {
namespace {

struct Choice {
  Range range;
  Params params;
};

// The scales 2s, s, s/2, s/4, s/8 around that of the range; ties go to the larger.
template <typename ErrorOf>
Choice BestScale(const Range& observed, const IntFormat& format, const ErrorOf& error_of) {
  const Params params = ParamsOf(observed, format, ScaleType::kPowerOfTwo);
  const auto [q_min, q_max] = CodesOf(format);
  const int position = PositionOf(params.scale);
  double smallest = std::numeric_limits<double>::infinity();
  float best = 0;
  for (int step = 0; step < 5; ++step) {
    const float scale = std::ldexp(1.0f, -(position + step - 1));
    const double error = error_of(scale, params.zero_point);
    if (best != 0 && error >= smallest) continue;
    smallest = error;
    best = scale;
  }
  const auto value = [&](int64_t code) {
    return static_cast<float>(static_cast<double>(code - params.zero_point) * static_cast<double>(best));
  };
  return {{value(q_min), value(q_max)}, {best, params.zero_point}};
}

// As a C cast on x86-64: what does not fit is the smallest integer.
int64_t ToInt32(float value) {
  return value >= -0x1p31f && value < 0x1p31f ? static_cast<int64_t>(value) : int64_t{INT32_MIN};
}

Result<Range> OverBins(Batches batches, DataType type, const MinMseOptions& options) {
  if (!options.symmetric) {
    return Error(ErrorId::kConflictingOptions,
                 "CalibTensorRangeSymmetric: got false with mode All and NumBins above 0, "
                 "wanted true");
  }
  const ReferenceHistogram<double> histogram = CollectBetweenExtremes(batches, options.bins);
  const auto [q_min, q_max] = CodesOf({type, true});
  const auto error = [&, q_min = q_min, q_max = q_max](float scale, int64_t zero_point) {
    double sum = 0;
    for (size_t bin = 0; bin < histogram.counts.size(); ++bin) {
      const auto centre = static_cast<float>((histogram.edges[bin] + histogram.edges[bin + 1]) / 2);
      const int64_t code = std::clamp(ToInt32(std::nearbyint(centre / scale)) + zero_point, q_min, q_max);
      const double difference = static_cast<double>(centre) - static_cast<double>(code - zero_point) * double{scale};
      sum += static_cast<double>(histogram.counts[bin]) * difference * difference;
    }
    return sum;
  };
  return BestScale({histogram.min, histogram.max}, {type, true}, error).range;
}

Choice OverValues(Batches batches, const IntFormat& format) {
  const auto [q_min, q_max] = CodesOf({format.type, true});  // also where the parameters are those of all codes
  const auto error = [&, q_min = q_min, q_max = q_max](float scale, int64_t zero_point) {
    double sum = 0;
    std::vector<float> squares;
    for (const std::span<const float> batch : batches) {
      squares.clear();
      for (const float value : batch) {
        const float low = static_cast<float>(q_min - zero_point), high = static_cast<float>(q_max - zero_point);
        const float difference = value - std::clamp(std::nearbyint(value / scale), low, high) * scale;
        squares.push_back(difference * difference);
      }
      sum += PairwiseSum(squares);
    }
    return sum;
  };
  return BestScale(MinMax(batches, {}), format, error);
}

Range MostCommon(Batches batches, const IntFormat& format) {
  struct Votes {
    int count = 0;
    Range last;
  };
  std::map<float, Votes> votes;  // ascending: ties go to the smallest scale
  for (size_t batch = 0; batch < batches.size(); ++batch) {
    const Choice choice = OverValues(batches.subspan(batch, 1), format);
    Votes& of_scale = votes[choice.params.scale];
    ++of_scale.count;
    of_scale.last = choice.range;
  }
  return std::max_element(votes.begin(), votes.end(),
                          [](const auto& a, const auto& b) { return a.second.count < b.second.count; })
      ->second.last;
}

// What lies inside the percentiles, all batches together.
std::vector<float> Kept(Batches batches, const MinMseOptions& options) {
  std::vector<float> values;
  for (const std::span<const float> batch : batches) values.insert(values.end(), batch.begin(), batch.end());
  float low, high;
  if (options.symmetric) {
    std::vector<float> magnitudes(values);
    for (float& value : magnitudes) value = std::abs(value);
    high = Percentile(std::move(magnitudes), options.percentile);
    low = -high;
  } else {
    const double outside = (100 - options.percentile) / 2;
    low = Percentile(values, outside);
    high = Percentile(values, 100 - outside);
  }
  std::erase_if(values, [&](float value) { return value < low || value > high; });
  return values;
}

}  // namespace

Result<Range> MinMse(Batches batches, DataType type, const MinMseOptions& options) {
  if (options.mode == MinMseMode::kHistogram) return OverBins(batches, type, options);
  std::vector<std::vector<float>> halves;
  std::vector<std::span<const float>> stored(batches.begin(), batches.end());
  for (std::span<const float>& batch : stored) {
    if (!options.half_values || options.mode == MinMseMode::kMostCommon) continue;
    std::vector<float>& half = halves.emplace_back(batch.begin(), batch.end());
    for (float& value : half) value = RoundToHalf(value);
  }
  for (size_t batch = 0; batch < halves.size(); ++batch) stored[batch] = halves[batch];
  if (options.mode == MinMseMode::kMostCommon) return MostCommon(stored, {type, options.symmetric});
  if (options.mode == MinMseMode::kValues) return OverValues(stored, {type, options.symmetric}).range;
  const std::vector<float> kept = Kept(stored, options);
  const std::span<const float> one(kept);
  return OverValues(Batches(&one, 1), {type, options.symmetric}).range;
}

Params BestPowerOfTwo(std::span<const float> values, const IntFormat& format) {
  return OverValues(Batches(&values, 1), format).params;
}

}  // namespace preon::compat

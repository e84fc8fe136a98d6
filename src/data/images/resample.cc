#include "data/images/resample.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace preon {
namespace {

// 8 bits of a sample and 2 for the sum's overshoot leave 22 bits of a weight in 32.
constexpr int kWeightBits = 32 - 8 - 2;

// Which input samples make output sample i, and with which weights.
struct Taps {
  int first = 0;
  std::vector<int32_t> weights;
};

std::vector<Taps> MakeTaps(int from, int to) {
  const double scale = static_cast<double>(from) / to;
  const double support = std::max(scale, 1.0);  // half the filter's width, in input samples
  std::vector<Taps> taps(static_cast<size_t>(to));
  std::vector<double> weights;
  for (int output = 0; output < to; ++output) {
    const double center = (output + 0.5) * scale;
    const int first = std::max(static_cast<int>(center - support + 0.5), 0);
    const int end = std::min(static_cast<int>(center + support + 0.5), from);
    weights.clear();
    double sum = 0;
    for (int input = first; input < end; ++input) {
      const double distance = std::abs((input - center + 0.5) * (1.0 / support));
      weights.push_back(distance < 1 ? 1 - distance : 0);
      sum += weights.back();
    }
    Taps& tap = taps[static_cast<size_t>(output)];
    tap.first = first;
    for (double weight : weights) tap.weights.push_back(static_cast<int32_t>(0.5 + weight / sum * (1 << kWeightBits)));
  }
  return taps;
}

uint8_t Round(int32_t sum) {
  return static_cast<uint8_t>(std::clamp((sum + (1 << (kWeightBits - 1))) >> kWeightBits, 0, 255));
}

Pixels ResizeRows(const Pixels& picture, int width) {
  const std::vector<Taps> taps = MakeTaps(picture.size.width, width);
  Pixels resized({width, picture.size.height}, picture.channels);
  for (int y = 0; y < picture.size.height; ++y) {
    uint8_t* to = resized.row(y);
    for (const Taps& tap : taps) {
      for (int channel = 0; channel < picture.channels; ++channel) {
        const uint8_t* from = picture.row(y) + tap.first * picture.channels + channel;
        int32_t sum = 0;
        for (int32_t weight : tap.weights) {
          sum += weight * *from;
          from += picture.channels;
        }
        *to++ = Round(sum);
      }
    }
  }
  return resized;
}

Pixels ResizeColumns(const Pixels& picture, int height) {
  const std::vector<Taps> taps = MakeTaps(picture.size.height, height);
  Pixels resized({picture.size.width, height}, picture.channels);
  std::vector<int32_t> sums(picture.row_bytes());
  for (int y = 0; y < height; ++y) {
    const Taps& tap = taps[static_cast<size_t>(y)];
    std::ranges::fill(sums, 0);
    for (size_t row = 0; row < tap.weights.size(); ++row) {
      const uint8_t* from = picture.row(tap.first + static_cast<int>(row));
      for (size_t x = 0; x < sums.size(); ++x) sums[x] += tap.weights[row] * from[x];
    }
    std::ranges::transform(sums, resized.row(y), Round);
  }
  return resized;
}

}  // namespace

Pixels ResizeBilinear(const Pixels& picture, PictureSize size) {
  Pixels resized = picture.size.width == size.width ? picture : ResizeRows(picture, size.width);
  return resized.size.height == size.height ? resized : ResizeColumns(resized, size.height);
}

}  // namespace preon

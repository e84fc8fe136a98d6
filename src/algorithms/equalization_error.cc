#include "algorithms/equalization_error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace preon {
namespace {

constexpr double kPeak = 3;  // of a tensor, in standard deviations of a channel
// Scales of tensors cover peaks and become powers of two above them; those of weights are searched. With 1 in place of
// 4, ResNet20 loses 0.7 dB with preset XINT8.
constexpr double kPowerOfTwo = 4;
constexpr int kPowers = 8;

double Square(double value) { return value * value; }

class Channels {
 public:
  Channels(const ScaledLayer& head, const ScaledLayer& tail)
      : head_ranges_(head.OutputRanges()),
        tail_ranges_(tail.InputRanges()),
        tail_squares_(tail.InputSquares()),
        head_elements_(static_cast<double>(head.weight().size() / head_ranges_.size())),
        tail_elements_(static_cast<double>(tail.weight().size() / head_ranges_.size())) {
    const std::vector<double> squares = head.OutputSquares();
    for (size_t channel = 0; channel < squares.size(); ++channel) {
      const double bias = head.bias().empty() ? 0 : std::abs(double{head.bias()[channel]});
      mean_squares_.push_back((squares[channel] + Square(bias)) / 2);  // a Relu keeps half
      tops_.push_back(bias + kPeak * std::sqrt(squares[channel]));
    }
  }

  double ErrorWith(std::span<const double> factors, double power, const CodeSteps& steps) const {
    double head_range = 0, tail_range = 0, top = 0, read_by_tail = 0, of_tail = 0;
    for (size_t channel = 0; channel < factors.size(); ++channel) {
      const double factor = std::pow(factors[channel], power);
      head_range = std::max(head_range, head_ranges_[channel] * factor);
      tail_range = std::max(tail_range, tail_ranges_[channel] / factor);
      top = std::max(top, tops_[channel] * factor);
      read_by_tail += tail_squares_[channel] / Square(factor);
      of_tail += mean_squares_[channel] * Square(factor);
    }
    const double of_head = Square(head_range * steps.weight) * head_elements_;
    const double of_tensor = Square(top * steps.tensor);
    return (of_head + of_tensor) * read_by_tail + Square(tail_range * steps.weight) * tail_elements_ * of_tail;
  }

 private:
  std::vector<double> head_ranges_, tail_ranges_, tail_squares_, mean_squares_, tops_;
  double head_elements_, tail_elements_;  ///< of one channel
};

}  // namespace

CodeSteps StepsOf(const TensorType& weight, const TensorType& tensor, ScaleType scale) {
  const auto step = [](const TensorType& type, double codes) {
    return IsIntType(type.type()) && type.block() == nullptr ? 1 / (codes - 1) : 0;
  };
  return {.weight = step(weight, std::exp2(weight.bits() - 1)),
          .tensor = (scale == ScaleType::kPowerOfTwo ? kPowerOfTwo : 1) * step(tensor, std::exp2(tensor.bits()))};
}

double BestPower(const ScaledLayer& head, const ScaledLayer& tail, std::span<const double> factors,
                 const CodeSteps& steps) {
  const Channels channels(head, tail);
  double best = 0, least = std::numeric_limits<double>::infinity();
  for (int step = 0; step <= kPowers; ++step) {
    const double power = step / static_cast<double>(kPowers), error = channels.ErrorWith(factors, power, steps);
    if (error < least) best = power, least = error;
  }
  return best;
}

}  // namespace preon

#include "solver/exact.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace preon {
namespace {

// Codes that were looked at, for one output. Inputs that are nearly the same leave too many combinations.
constexpr int kMostVisits = 2000;

class Search {
 public:
  Search(const SweepOrder& order, CodePanel& panel, size_t output) : order_(order), panel_(panel), output_(output) {}

  void Run() {
    Descend(order_.inputs.size(), 0);
    for (size_t i = 0; i < order_.inputs.size(); ++i) panel_.code.at(order_.inputs[i], output_) = best_[i];
  }

 private:
  // Inputs from `left` on have their codes, which cost `spent`.
  void Descend(size_t left, double spent) {
    ++visited_;
    if (left == 0) {
      least_ = spent;
      best_ = code_;
      return;
    }
    const size_t i = left - 1, input = order_.inputs[i];
    const double scale = double{panel_.scale.at(input, output_)}, optimum = double{panel_.optimum.at(input, output_)};
    const double own = double{order_.factor.at(i, i)};
    double pull = 0;
    for (size_t later = left; later < order_.inputs.size(); ++later)
      pull += double{order_.factor.at(i, later)} * error_[later];
    const double wanted = (optimum + pull / own) / scale;
    const auto low = double{panel_.least.at(input, output_)}, high = double{panel_.most.at(input, output_)};
    const auto cost = [&](double code) {
      const double missed = own * scale * (wanted - code);
      return spent + missed * missed;
    };
    // Outwards from the nearest, on both sides.
    double up = std::clamp(std::nearbyint(wanted), low, high), down = up - 1;
    while (up <= high || down >= low) {
      const bool upwards = down < low || (up <= high && std::abs(up - wanted) <= std::abs(down - wanted));
      const double code = upwards ? up++ : down--;
      const double so_far = cost(code);
      if (so_far >= least_) return;  // so are all that follow
      if (visited_ > kMostVisits) return;
      code_[i] = static_cast<float>(code);
      error_[i] = optimum - scale * code;
      Descend(i, so_far);
    }
  }

  const SweepOrder& order_;
  CodePanel& panel_;
  const size_t output_;
  double least_ = std::numeric_limits<double>::infinity();
  int visited_ = 0;
  std::array<float, kMaxExactInputs> code_{}, best_{};
  std::array<double, kMaxExactInputs> error_{};
};

}  // namespace

void SearchAll(const SweepOrder& order, CodePanel& panel) {
  PREON_CHECK(order.inputs.size() <= kMaxExactInputs);
  for (size_t output = 0; output < panel.outputs(); ++output) Search(order, panel, output).Run();
}

}  // namespace preon

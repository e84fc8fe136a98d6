// The search of Quark's PowerOfTwoMethod.MinMSE, for weights and activations.
#pragma once

#include <array>
#include <span>

#include "formats/compat/compat_params.h"

namespace preon::compat {

/// The scales 2s, s, s/2, s/4, s/8 around that of a range, and its zero point.
struct PowerOfTwoCandidates {
  IntFormat format;
  int64_t zero_point = 0;
  std::array<float, 5> scales{};
};
using CandidateErrors = std::array<double, 5>;

PowerOfTwoCandidates CandidatesAround(Range observed, const IntFormat& format);

/// Adds each candidate's squared errors over a batch of values, whose sum there is a float.
void AddSquareErrors(std::span<const float> batch, const PowerOfTwoCandidates& candidates, CandidateErrors& errors);

/// The scale with the smallest error, of equal ones the largest, and all that its codes represent.
struct PowerOfTwoChoice {
  Params params;
  Range range;
};
PowerOfTwoChoice BestOf(const PowerOfTwoCandidates& candidates, const CandidateErrors& errors);

}  // namespace preon::compat

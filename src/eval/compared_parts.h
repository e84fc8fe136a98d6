// ComparedParts: what intervals of a comparison are computed from, sample by sample.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "eval/interval.h"

namespace preon {

/// SQNR that stands for "identical" (and its negative for "all noise"), so that every figure is finite.
inline constexpr double kExactSqnrDb = 200;

/// 10·log10(signal / noise), limited to ±kExactSqnrDb.
double Decibel(double signal, double noise);

/// Of one sample, or of some where there are very many.
struct ComparedPart {
  double signal = 0, noise = 0;
  int64_t positions = 0, agreed = 0;
};

class ComparedParts {
 public:
  /// That of the next sample. Where there are too many, neighbours become one.
  ComparedPart& Next();

  /// None of fewer than two samples.
  /// @param seen  of samples that the model was made with, if any: they show how much samples differ, not how large
  /// errors are
  std::optional<ConfidenceInterval> OfSqnr(const ComparedParts* seen = nullptr) const;
  /// Of the share of positions that agree. Positions of one sample depend on each other.
  std::optional<ConfidenceInterval> OfAgreement(int64_t agreed, int64_t positions) const;

 private:
  std::vector<ComparedPart> parts_;
  int64_t samples_per_part_ = 1, samples_in_last_ = 0;
};

}  // namespace preon

// Intervals: where a figure lies that was measured on a few samples, at 95 % (docs/design/figures.md).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace preon {

struct ConfidenceInterval {
  double low = 0, high = 0;
};

/// Of a share, 0…1. Source: Wilson 1927, "Probable inference, the law of succession, and statistical inference".
/// @param of  above 0
ConfidenceInterval ShareInterval(int64_t successes, int64_t of);

/// Two models on the same samples: who of them is right how often.
struct PairedCounts {
  int64_t both = 0, first_only = 0, second_only = 0, neither = 0;
  int64_t all() const { return both + first_only + second_only + neither; }
};

/// Of the first one's share of right answers less the second one's. Source: Newcombe 1998, "Improved confidence
/// intervals for the difference between binomial proportions based on paired data", method 10.
ConfidenceInterval DifferenceInterval(const PairedCounts& counts);

/// Of 10·log10(Σ signal / Σ noise) over very many samples, one entry each per sample seen. Few samples may have most of
/// the noise, so the interval reaches far towards more noise where the samples differ much. Wants 8 samples or more.
///
/// Numerics: 1000 draws, each measured in its own standard error; within the ratios of the samples seen. Deterministic.
/// Nullopt where samples do not differ. Source:   bootstrap-t, Efron and Tibshirani 1993, "An Introduction to the
/// Bootstrap", section 12.5, of the logarithm.
std::optional<ConfidenceInterval> DecibelInterval(std::span<const double> signal, std::span<const double> noise);

/// Of `figure`, which is computed from some of `count` independent samples, by drawing samples again with replacement.
///
/// @param figure  gets indices, some of them several times
/// Numerics: percentiles of 1000 draws, wider for few samples. Deterministic.
/// Source:   Hesterberg 2015, "What Teachers Should Know about the Bootstrap", section 5.1 (expanded percentiles).
ConfidenceInterval BootstrapInterval(size_t count, const std::function<double(std::span<const size_t>)>& figure);

}  // namespace preon

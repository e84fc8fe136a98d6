#include "eval/error_sums.h"

#include <algorithm>
#include <cmath>

#include "eval/compared_parts.h"
#include "eval/values.h"

namespace preon {
namespace {

template <typename T>
ErrorSums Sum(std::span<const T> expected, std::span<const T> got, const ScoreChannels* scores) {
  ErrorSums sums;
  for (size_t i = 0; i < expected.size(); ++i) {
    const double exact = expected[i], other = got[i];
    if (!std::isfinite(exact) || !std::isfinite(other)) [[unlikely]] {
      sums.not_finite += std::isfinite(exact);
      continue;
    }
    sums.signal += exact * exact;
    sums.noise += (exact - other) * (exact - other);
  }
  if (scores != nullptr) scores->Add(expected, got, sums.score_signal, sums.score_noise);
  return sums;
}

// Noise over signal of several outputs.
class Mean {
 public:
  void Add(const ErrorSums& sums) {
    AddNoise(sums.not_finite > 0 ? -kExactSqnrDb : Decibel(sums.signal, sums.noise));
    if (sums.score_signal > 0) AddNoise(Decibel(sums.score_signal, sums.score_noise));
  }
  std::optional<double> SqnrDb() const {
    if (count_ == 0) return std::nullopt;
    return std::min(kExactSqnrDb, -10 * std::log10(noise_ / count_));
  }

 private:
  void AddNoise(double sqnr_db) {
    noise_ += std::pow(10, -sqnr_db / 10);
    ++count_;
  }

  double noise_ = 0, count_ = 0;
};

}  // namespace

void ErrorSums::Add(const ErrorSums& other) {
  signal += other.signal;
  noise += other.noise;
  score_signal += other.score_signal;
  score_noise += other.score_noise;
  not_finite += other.not_finite;
}

ErrorSums ErrorSumsOf(const Tensor& expected, const Tensor& got, const ScoreChannels* scores) {
  const bool ranked = scores != nullptr && scores->ranked();
  if (expected.type() == DataType::kFloat && got.type() == DataType::kFloat && !ranked)
    return Sum<float>(expected.floats(), got.floats(), scores);
  const std::vector<double> wanted = ToDoubles(expected), other = ToDoubles(got);
  if (!ranked) return Sum<double>(wanted, other, scores);
  return Sum<double>(scores->Weighed(wanted, wanted), scores->Weighed(other, wanted), scores);
}

bool IsLeftOut(int64_t runs, int64_t shape_differs, bool integers) {
  return shape_differs > 0 && (integers || shape_differs == runs);
}

Result<std::optional<double>> MeanError::Add(const std::vector<NamedTensor>& expected,
                                             const std::vector<NamedTensor>& got, bool picked) {
  Mean run;
  for (const NamedTensor& wanted : expected) {
    if (ignored_.contains(wanted.name)) continue;
    const auto found = std::ranges::find(got, wanted.name, &NamedTensor::name);
    if (found == got.end())
      return Error(ErrorId::kNameNotInModel, "the quantized model has no output '", wanted.name, "'");
    Output& output = outputs_[wanted.name];
    output.integers = !IsFloatingType(wanted.tensor.type());
    const bool differs = found->tensor.shape() != wanted.tensor.shape();
    const ScoreChannels* scores = output.integers || differs ? nullptr : output.scores.Of(wanted.tensor);
    const ErrorSums sums = differs ? ErrorSums() : ErrorSumsOf(wanted.tensor, found->tensor, scores);
    for (Runs* runs : {&output.all, picked ? &output.picked : nullptr}) {
      if (runs == nullptr) continue;
      ++runs->count;
      runs->shape_differs += differs;
      runs->sums.Add(sums);
    }
    if (!differs) run.Add(sums);
  }
  return run.SqnrDb();
}

std::optional<double> MeanError::SqnrDbOf(Runs Output::*runs) const {
  Mean mean;
  for (const auto& [name, output] : outputs_) {
    const auto& [sums, count, shape_differs] = output.*runs;
    if (!IsLeftOut(count, shape_differs, output.integers)) mean.Add(sums);
  }
  return mean.SqnrDb();
}

}  // namespace preon

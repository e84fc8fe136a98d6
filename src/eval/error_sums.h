// ErrorSums: how far outputs are from float, in two numbers each; what a whole comparison tells is compare_models.h.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/tensor.h"
#include "eval/score_channels.h"

namespace preon {

/// Squares of what a tensor is to be and of its error.
struct ErrorSums {
  double signal = 0, noise = 0;
  double score_signal = 0, score_noise = 0;  ///< of scores beside coordinates
  int64_t not_finite = 0;                    ///< values that are finite in float alone

  void Add(const ErrorSums& other);
};

/// Of two tensors of one shape and of numbers. @param scores  null, or those of a tensor of this shape
ErrorSums ErrorSumsOf(const Tensor& expected, const Tensor& got, const ScoreChannels* scores);

/// Does an output not count whose shape differed from float's in some of its runs? Not if it did in all of them, and
/// integers not if it did in one.
bool IsLeftOut(int64_t runs, int64_t shape_differs, bool integers);

/// Noise over signal, averaged over the outputs, where scores beside coordinates count as one of their own.
class MeanError {
 public:
  /// @param ignored  outputs that do not count
  explicit MeanError(std::set<std::string> ignored) : ignored_(std::move(ignored)) {}

  /// One run. Its SQNR in dB, at most kExactSqnrDb; none where no output can be compared, because its shape differs.
  /// Errors: kNameNotInModel. @param picked  it also counts for SqnrDbOfPicked
  Result<std::optional<double>> Add(const std::vector<NamedTensor>& expected, const std::vector<NamedTensor>& got,
                                    bool picked = false);
  /// Over all runs, of the outputs that count (IsLeftOut).
  std::optional<double> SqnrDb() const { return SqnrDbOf(&Output::all); }
  std::optional<double> SqnrDbOfPicked() const { return SqnrDbOf(&Output::picked); }

 private:
  struct Runs {
    ErrorSums sums;
    int64_t count = 0, shape_differs = 0;
  };
  struct Output {
    Runs all, picked;
    bool integers = false;
    OutputScores scores;
  };

  std::optional<double> SqnrDbOf(Runs Output::*runs) const;

  std::set<std::string> ignored_;
  std::map<std::string, Output> outputs_;
};

}  // namespace preon

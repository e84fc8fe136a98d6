// What `validate` answers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "decide/verdict.h"
#include "report/results/results.h"

namespace preon {

/// The name of what quantize makes with the options as they are.
inline constexpr std::string_view kAsGiven = "as given";

/// What quantize writes.
struct WrittenTarget {
  std::string target;
  std::vector<PassedOver> passed_over;  ///< targets that it tried before
};

/// One quantized model and how it does.
struct ValidatedModel {
  std::string name;     ///< its file, or how it was made
  std::string options;  ///< of quantize; "" for a file that was given
  std::string failed;   ///< "", or why there is no such model
  int64_t size_bytes = 0;
  Comparison compare;
  std::optional<MetricFigures> metric;
  std::vector<Alarm> alarms;
  std::vector<std::string> why_not;  ///< to be shipped; none: it may be
};

struct ValidateResult {
  RunFacts facts;
  std::string model;
  int64_t float_size_bytes = 0;
  bool unseen = false;  ///< nothing was calibrated with the samples compared
  std::vector<ValidatedModel> models;
  size_t files = 0;                      ///< so many were given, else the models were made
  size_t judged = 0;                     ///< the one that the verdict is about
  size_t best = 0;                       ///< the nearest to float; of files one that may be shipped, where one may
  LatencyPair latency_one, latency_all;  ///< of the one that the verdict is about, at one thread and at all
  Verdict verdict = Verdict::kShip;
  bool meets_requirements = true;  ///< everything that --require asks for holds for the one that is judged
  WrittenTarget written;           ///< with the options as given; empty where files were given
  std::vector<NextStep> steps;     ///< in the order in which they are to be considered
  std::vector<std::string> warnings;
};

}  // namespace preon

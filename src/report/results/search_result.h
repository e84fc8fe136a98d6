// What `preon search` answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/results/validated.h"

namespace preon {

/// One configuration that was tried. Figures are of the samples that choose.
struct SearchTrial {
  std::string config;   ///< a JSON object, as files of --config have it
  std::string failed;   ///< "", or why there is no such model
  std::string why_not;  ///< what of --require it misses; ""
  double sqnr_db = 0;   ///< of the output that is farthest from float's
  std::optional<double> agreement, metric_loss;
  int64_t size_bytes = 0;
  std::optional<double> speedup;  ///< against float, at one thread
  double seconds = 0;
  bool on_front = false;  ///< no other trial is better in one of error, size and speed and as good in the others
};

struct SearchResult {
  RunFacts facts;
  std::string model, output;
  std::string sampler, goal, metric;      ///< metric: "sqnr", or that of --metric
  std::optional<int64_t> configurations;  ///< of the space; none: more than can be counted
  std::vector<SearchTrial> trials;        ///< in the order in which they were tried
  int64_t from_study = 0;                 ///< the first so many were tried by an earlier run
  int64_t calibrations = 0;
  std::string ended;  ///< trials, time, all_tried, interrupted
  size_t best = 0;
  bool with_samples = false;  ///< the result was made with the samples, which trials leave out where they can
  int64_t float_size_bytes = 0;
  ValidatedModel judged;  ///< the result, on samples that judge it
  bool unseen = false;    ///< these samples neither calibrated nor chose
  LatencyPair latency;
  std::vector<std::string> warnings;
};

}  // namespace preon

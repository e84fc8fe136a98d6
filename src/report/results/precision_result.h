// What mixed precision found: candidates in the order in which they change, and models with more and more of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace preon {

/// A layer, or a block of layers, that may get other types.
struct PrecisionCandidate {
  std::string name;
  std::vector<std::string> nodes;
  std::vector<double> scores;  ///< distance from float with it alone changed, by form; infinite where it can't be had
  size_t form = 0;             ///< the best of them
  bool enabled = true;         ///< false: the cache file says that it stays
  bool changed = false;
  std::string why_not;  ///< where no model could be made with it changed

  double score() const { return scores.empty() ? std::numeric_limits<double>::infinity() : scores[form]; }
  void SetScores(std::vector<double> of_forms) {
    scores = std::move(of_forms);
    form = static_cast<size_t>(std::ranges::min_element(scores) - scores.begin());
  }
};

/// A model in which the first so many candidates have changed.
struct PrecisionPoint {
  size_t changed = 0;
  double distance = 0;
  double share = 0;       ///< of the multiply-accumulates, or of the layers where those are unknown, 0…1
  bool on_front = false;  ///< no other model that was run is at least as near to float with as much in lower precision
  bool chosen = false;
};

/// What came out of the cache file.
struct PrecisionCache {
  int64_t scores = 0;  ///< candidates that had theirs in it
  bool stale = false;  ///< it is of another search, so all were scored again
};

struct PrecisionResult {
  std::string metric, output;
  std::vector<std::string> forms;  ///< their types, "int16" or "int16/int8"
  std::optional<double> threshold;
  bool raises = false;       ///< candidates get a higher precision
  bool interrupted = false;  ///< the best model that had been run by then was taken
  PrecisionCache cache;
  int64_t trials = 0;  ///< models that were run
  std::vector<PrecisionCandidate> candidates;
  std::vector<PrecisionPoint> points;  ///< by the number of changed candidates
  std::string why_not;                 ///< one clause where nothing was searched
};

}  // namespace preon

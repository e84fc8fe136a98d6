#include "data/sample_runs.h"

#include <algorithm>

#include "data/data_source.h"

namespace preon {

Result<SampleRuns> Canonical(SampleRuns runs) {
  std::sort(runs.begin(), runs.end());
  SampleRuns merged;
  for (const auto& [first, last] : runs) {
    if (first == last) continue;
    if (!merged.empty() && first < merged.back().second) {
      return Error(ErrorId::kCalibFileMismatch, "sample ", first, " was seen twice");
    }
    if (!merged.empty() && first == merged.back().second) {
      merged.back().second = last;
    } else {
      merged.emplace_back(first, last);
    }
  }
  return merged;
}

Result<SampleRuns> JoinedRuns(SampleRuns runs, const SampleRuns& others) {
  runs.insert(runs.end(), others.begin(), others.end());
  return Canonical(std::move(runs));
}

bool IsCanonical(const SampleRuns& runs) {
  int64_t end = -1;
  for (const auto& [first, last] : runs) {
    if (first <= end || last <= first) return false;
    end = last;
  }
  return true;
}

bool HasSample(const SampleRuns& runs, int64_t sample) {
  const auto after = std::ranges::upper_bound(runs, sample, {}, &SampleRuns::value_type::first);
  return after != runs.begin() && sample < std::prev(after)->second;
}

void AddSamplesOf(const Batch& batch, SampleRuns& runs) {
  for (int64_t i = 0; i < batch.samples; ++i) {
    const int64_t sample = batch.first_sample + i * batch.sample_step;
    runs.emplace_back(sample, sample + 1);
  }
}

int64_t CountSamples(const SampleRuns& runs) {
  int64_t count = 0;
  for (const auto& [first, last] : runs) count += last - first;
  return count;
}

SampleRuns WithoutRuns(const SampleRuns& all, const SampleRuns& others) {
  SampleRuns rest;
  for (auto [first, last] : all) {
    for (const auto& [taken_first, taken_last] : others) {
      if (taken_last <= first || taken_first >= last) continue;
      if (taken_first > first) rest.emplace_back(first, taken_first);
      first = std::min(taken_last, last);
    }
    if (first < last) rest.emplace_back(first, last);
  }
  return rest;
}

}  // namespace preon

// SampleRuns: which samples of the stream a calibration has seen, in canonical form.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/status.h"

namespace preon {

struct Batch;

/// Runs [first, last) of sample indices; canonical = sorted, disjoint, not touching.
using SampleRuns = std::vector<std::pair<int64_t, int64_t>>;

/// The canonical form of runs in any order. Errors: kCalibFileMismatch naming a sample that is there twice.
Result<SampleRuns> Canonical(SampleRuns runs);
bool IsCanonical(const SampleRuns& runs);
/// Whether canonical runs hold the sample.
bool HasSample(const SampleRuns& runs, int64_t sample);
/// Appends the samples of a batch.
void AddSamplesOf(const Batch& batch, SampleRuns& runs);
int64_t CountSamples(const SampleRuns& runs);
/// Canonical runs of both, in any order. Errors: those of Canonical.
Result<SampleRuns> JoinedRuns(SampleRuns runs, const SampleRuns& others);
/// Canonical runs of what `all` holds and `others` do not, both canonical.
SampleRuns WithoutRuns(const SampleRuns& all, const SampleRuns& others);

}  // namespace preon

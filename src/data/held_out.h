// Hold-out: samples that are kept from calibration and from choosing, so that figures from them hold for samples that
// nobody has seen (docs/design/figures.md). Of few samples each is unseen by statistics of the others.
#pragma once

#include <cstdint>
#include <memory>

#include "data/data_source.h"
#include "data/sample_runs.h"

namespace preon {

/// Fewer samples than this say too little of a model.
inline constexpr int64_t kLeastHeldOut = 8;
/// Of fewer, none are kept: too few would be left.
inline constexpr int64_t kFewestToHoldOut = 3 * kLeastHeldOut;

/// Parts of few samples.
inline constexpr size_t kFolds = 4;

/// Into how many parts MarkHeldOut divides `source`: 2 where it can hold some out, kFolds where there are 8 to 23
/// samples in at least kFolds batches, else 1.
size_t PartsOf(const DataSource& source);

/// `source` with Batch::held_out set for about a fifth of its samples, up to a third where a fifth would be fewer than
/// 8, and for none where it is known to have fewer than 24. The first batch never is. Which ones depends on places and
/// labels alone: one place in each five in a row, and of each label its share. What is held out is part 1; of few
/// samples those that stand side by side, which may be alike, are a part.
std::unique_ptr<DataSource> MarkHeldOut(std::unique_ptr<DataSource> source);

/// `source` without batches whose samples are all in `left_out`, canonical: for sources that do not leave them out
/// themselves (SampleSelection::seen).
std::unique_ptr<DataSource> LeaveOut(std::unique_ptr<DataSource> source, SampleRuns left_out);

}  // namespace preon

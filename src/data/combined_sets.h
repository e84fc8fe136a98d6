// Sets made of sets: one after the other (--data A --data B), and side by side (--input X=A --input Y=B).
#pragma once

#include <memory>
#include <vector>

#include "base/status.h"
#include "data/sample_set.h"

namespace preon {

/// All samples of the first part, then those of the next. Only one part is open at a time.
/// A single part is given back as it is.
std::unique_ptr<SampleSet> ChainSets(std::vector<std::unique_ptr<SampleSet>> parts);

/// Sample k has the feeds of sample k of every part; parts that are constants are repeated.
/// Labels and names come from the first part that is no constant. Errors: kDataShape if the numbers of samples differ.
Result<std::unique_ptr<SampleSet>> ZipSets(std::vector<std::unique_ptr<SampleSet>> parts);

}  // namespace preon

// Samples from a library user's callback.
#pragma once

#include "pipeline/run_inputs.h"
#include "preon/preon.h"

namespace preon {

/// A way to open `reader` as a data source from its start. `limit`: samples to read at most, -1 for all.
/// The sources report kDataInputName, kDataType, kDataShape, kDataNotFinite like any other source.
OpenSamples SourceOfReader(SampleReader reader, int64_t limit);

}  // namespace preon

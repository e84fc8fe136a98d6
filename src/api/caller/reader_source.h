// A library user's callbacks as the pipeline takes them: samples, and the distance of mixed precision.
#pragma once

#include "pipeline/run_inputs.h"
#include "preon/preon.h"

namespace preon {

/// A way to open the caller's reader as a data source from its start. At most `limit` samples are read, -1 for all, and
/// of these feeds every N-th goes on: a reader has no other way to skip some.
/// Arrays are converted as those of files; one named `label` or `labels` that is no input has the classes.
/// The sources report kDataInputName, kDataType, kDataShape, kDataNotFinite like any other source.
OpenSamples SourceOfReader(const QuantizeOptions& given, int64_t limit, Shard shard = {});

/// Empty where the caller has none.
OwnDistance DistanceOfCaller(const OutputDistanceFunction& callers);

}  // namespace preon

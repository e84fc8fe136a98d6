// Samples that judge: those of --eval-data, or a part of --data.
#pragma once

#include <string>
#include <vector>

#include "data/data_options.h"
#include "data/sample_runs.h"
#include "pipeline/samples.h"

namespace preon {

/// Of --reference: what a model's first output should be. @param batch  --batch
Samples ReferenceSamples(const std::string& source, int64_t batch);
/// Of --eval-data: `data` with these sources, all of whose samples count.
Samples EvalSamples(const std::vector<std::string>& sources, const DataOptions& data);

/// No source of --eval-data is one of those that calibrate; warns where one is.
bool AreUnseen(const std::vector<std::string>& eval, const SourceOptions& calibrating,
               std::vector<std::string>& warnings);

/// Places of the samples that are kept apart, and of the others.
struct SplitSamples {
  SampleRuns used, held_out;
};
/// Reads all samples.
Result<SplitSamples> SplitOf(const Samples& samples, const std::vector<TensorSpec>& inputs);

/// Reads all samples: their places, canonical.
Result<SampleRuns> SamplePlaces(const Samples& samples, const std::vector<TensorSpec>& inputs);

struct KeptSamples {
  Samples fit;          ///< calibrate
  Samples judging;      ///< judge
  SampleRuns places;    ///< of those that judge; empty: of `eval`, which was not read
  SampleRuns left_out;  ///< of the stream that judges
  bool unseen = false;  ///< those that judge do not calibrate
};
/// `eval` judges where it has samples; else a part of `given` (data/held_out.h), or all of too few.
Result<KeptSamples> KeepSamples(const Samples& given, const Samples& eval, const std::vector<TensorSpec>& inputs);

}  // namespace preon

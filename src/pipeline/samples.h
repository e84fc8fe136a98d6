// Samples: where a run's samples come from; each pass over them opens them anew.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/status.h"
#include "base/tensor_spec.h"
#include "data/data_options.h"
#include "data/data_source.h"
#include "ir/graph.h"
#include "runtime/session.h"

namespace preon {

/// Opens the samples from the start; called once per pass over them.
using OpenSamples = std::function<Result<std::unique_ptr<DataSource>>(const std::vector<TensorSpec>& inputs,
                                                                      const SampleSelection& selection)>;

enum class SampleOrigin {
  kOptions,  ///< --data and its like; another process can open them, too
  kCaller,   ///< a reader of the calling program: no other process can open them
  kMadeUp,   ///< none were given: one random sample, to see that a model runs
};

struct Samples {
  OpenSamples open;  ///< empty: there are none
  SampleOrigin origin = SampleOrigin::kOptions;
  bool free_shapes = false;  ///< random, and nobody has said of which shape

  bool made_up() const { return origin == SampleOrigin::kMadeUp; }
};

/// One random run.
Samples MadeUpSamples();

/// The first batch. Errors: kDataEmpty, those of the source.
Result<Batch> FirstBatch(const Samples& samples, const std::vector<TensorSpec>& inputs);

/// All samples but `left_out`, canonical.
Samples Without(const Samples& samples, const SampleRuns& left_out);

/// Those among the first `most` of the stream.
Samples FirstOf(const Samples& samples, int64_t most);

/// About `most` of the samples `wanted`, canonical: whole batches at equal distances among the first few hundred.
Samples SomeOf(const Samples& samples, const SampleRuns& wanted, int64_t most);

/// A model's inputs as data sources want them.
std::vector<TensorSpec> InputSpecs(const Graph& graph);

/// The session's inputs; where samples have free shapes, with sizes that the model runs with: those that its weights
/// ask for (`graph`, with inferred shapes), others by trying.
Result<std::vector<TensorSpec>> RunnableInputs(Session& session, const Graph& graph, const Samples& samples,
                                               const RunContext& context);

}  // namespace preon

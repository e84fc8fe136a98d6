#include "api/judge/judging_samples.h"

#include "data/held_out.h"
#include "data/open_data_source.h"

namespace preon {

Samples EvalSamples(const DataOptions& options) {
  return {[options](const std::vector<TensorSpec>& inputs, const SampleSelection& selection) {
    return OpenDataSource(options, inputs, selection);
  }};
}

Result<SplitSamples> SplitOf(const Samples& samples, const std::vector<TensorSpec>& inputs) {
  PREON_ASSIGN_OR_RETURN(std::unique_ptr<DataSource> source, samples.open(inputs, {}));
  source = MarkHeldOut(Prefetch(std::move(source)));
  SplitSamples split;
  while (true) {
    PREON_ASSIGN_OR_RETURN(const std::optional<Batch> batch, source->Next());
    if (!batch) break;
    AddSamplesOf(*batch, batch->held_out ? split.held_out : split.used);
  }
  PREON_ASSIGN_OR_RETURN(split.used, Canonical(std::move(split.used)));
  PREON_ASSIGN_OR_RETURN(split.held_out, Canonical(std::move(split.held_out)));
  return split;
}

}  // namespace preon

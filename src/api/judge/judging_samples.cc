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

Result<SampleRuns> SamplePlaces(const Samples& samples, const std::vector<TensorSpec>& inputs) {
  PREON_ASSIGN_OR_RETURN(const SplitSamples split, SplitOf(samples, inputs));
  return JoinedRuns(split.used, split.held_out);
}

Samples EvalSamples(const std::vector<std::string>& sources, const DataOptions& data) {
  if (sources.empty()) return {};
  DataOptions options = data;
  options.from = {.sources = sources};
  options.limit = -1;
  return EvalSamples(options);
}

Result<KeptSamples> KeepSamples(const Samples& given, const Samples& eval, const std::vector<TensorSpec>& inputs) {
  if (eval.open) return KeptSamples{.fit = given, .judging = eval, .unseen = true};
  PREON_ASSIGN_OR_RETURN(SplitSamples split, SplitOf(given, inputs));
  if (CountSamples(split.held_out) < kLeastHeldOut) {
    PREON_ASSIGN_OR_RETURN(SampleRuns all, JoinedRuns(split.used, split.held_out));
    return KeptSamples{.fit = given, .judging = given, .places = std::move(all)};
  }
  return KeptSamples{.fit = Without(given, split.held_out),
                     .judging = Without(given, split.used),
                     .places = std::move(split.held_out),
                     .left_out = std::move(split.used),
                     .unseen = true};
}

}  // namespace preon

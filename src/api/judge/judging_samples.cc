#include "api/judge/judging_samples.h"

#include "data/held_out.h"
#include "data/open_data_source.h"
#include "pipeline/output.h"

namespace preon {

namespace {

// Sources name --data in their errors, which these samples do not come from.
Samples SamplesOf(const DataOptions& options, const std::string& option) {
  return {[options, option](const std::vector<TensorSpec>& inputs,
                            const SampleSelection& selection) -> Result<std::unique_ptr<DataSource>> {
    Result<std::unique_ptr<DataSource>> source = OpenDataSource(options, inputs, selection);
    if (source.ok()) return source;
    constexpr std::string_view kData = "--data: ";
    const Status& error = source.status();
    std::string message = error.message();
    if (message.starts_with(kData)) message.erase(0, kData.size());
    return Error(error.id(), option, ": ", message).WithHint(error.hint());
  }};
}

}  // namespace

Samples ReferenceSamples(const std::string& source, int64_t batch) {
  const Samples samples = SamplesOf({.from = {.sources = {source}}, .batch = batch}, "--reference");
  return {[source, samples](const std::vector<TensorSpec>& outputs,
                            const SampleSelection& selection) -> Result<std::unique_ptr<DataSource>> {
    Result<std::unique_ptr<DataSource>> opened = samples.open(outputs, selection);
    if (opened.ok() || opened.status().id() != ErrorId::kDataInputName) return opened;
    return Error(ErrorId::kDataInputName, "--reference: ", source,
                 ": wanted one array, without a name or with that of the model's first output: '", outputs.front().name,
                 "'");
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
  return SamplesOf(options, "--eval-data");
}

bool AreUnseen(const std::vector<std::string>& eval, const SourceOptions& calibrating,
               std::vector<std::string>& warnings) {
  std::vector<std::string> sources = calibrating.sources;
  for (const auto& [input, source] : calibrating.inputs) sources.push_back(source);
  for (const std::string& judging : eval) {
    for (const std::string& source : sources) {
      const bool both_random = IsRandomSource(judging) && IsRandomSource(source);  // of one seed
      if (!both_random && !IsPartOf(judging, source) && !IsPartOf(source, judging)) continue;
      warnings.push_back(StrCat("--eval-data ", judging, ": its samples are also used for calibration (", source,
                                "): other samples may give worse figures"));
      return false;
    }
  }
  return true;
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

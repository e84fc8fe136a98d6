#include <algorithm>

#include "api/shard_states.h"
#include "api/verbs.h"
#include "calib/calibration_merger.h"
#include "pipeline/output.h"

namespace preon {
namespace {

std::vector<const StatisticKind*> StatisticKinds(const AlgorithmRegistry& algorithms) {
  std::vector<const StatisticKind*> kinds;
  for (const auto& algorithm : algorithms.entries()) {
    if (algorithm->statistic() != nullptr) kinds.push_back(algorithm->statistic());
  }
  return kinds;
}

/// A file that is merged already, and its samples.
struct MergedFile {
  std::string path;
  SampleRuns samples;
};

bool Overlap(SampleRuns one, const SampleRuns& other) {
  one.insert(one.end(), other.begin(), other.end());
  return !Canonical(std::move(one)).ok();
}

/// Why `file` can't be added, with the file that has the same samples, if that is the reason.
Status Refusal(Status status, const MergedFile& file, const std::vector<MergedFile>& merged) {
  status = std::move(status).WithContext(file.path);
  const auto other =
      std::ranges::find_if(merged, [&](const MergedFile& earlier) { return Overlap(earlier.samples, file.samples); });
  if (other == merged.end()) return status;
  return std::move(status).WithHint(StrCat("samples at the same places of their list are in ", other->path,
                                           "; merge shards of one list (--shard i/n), each once"));
}

/// Samples between the first and the last one that no file has. Servers number theirs from a large random number
/// (docs/design/instrument.md), so that gaps mean nothing there.
std::vector<std::string> Gaps(const SampleRuns& samples) {
  if (samples.empty() || samples.back().second >= int64_t{1} << 32) return {};
  const int64_t end = samples.back().second, missing = end - CountSamples(samples);
  if (missing == 0) return {};
  const int64_t first = samples.front().first > 0 ? 0 : samples.front().second;
  return {StrCat("samples that none of the files has: ", missing, " of 0 to ", end - 1, ", the first is ", first)};
}

}  // namespace

Result<MergeResult> MergeVerb(const std::vector<std::string>& given, RunInputs& run) {
  const std::string& output = run.options.outputs.file;
  PREON_RETURN_IF_ERROR(CheckOutputs("merge", run.options, given));
  if (given.empty()) return Error(ErrorId::kMissingOption, "merge: no files given; wanted .calib files");
  const bool described = given.size() == 1 && MayBeRunDescription(given[0]);
  std::vector<std::string> files = given;
  if (described) {
    run.context.BeginStage("status");
    PREON_ASSIGN_OR_RETURN(files, ResultsOfCompleteRun(given[0]));
  }
  run.context.BeginStage("merge");
  CalibrationMerger merger(StatisticKinds(run.builtins.algorithms));
  std::vector<MergedFile> merged;
  for (const std::string& path : files) {
    PREON_ASSIGN_OR_RETURN(CalibrationData part, LoadCalibration(path));
    MergedFile file{path, part.samples};
    if (Status status = merger.Add(std::move(part)); !status.ok()) return Refusal(std::move(status), file, merged);
    merged.push_back(std::move(file));
  }
  const CalibrationData sum = merger.Finish();
  const std::vector<std::string> gaps = Gaps(sum.samples);
  if (described && !gaps.empty()) return Error(ErrorId::kCalibFileMismatch, given[0], ": ", gaps.front());
  run.context.BeginStage("write");
  PREON_RETURN_IF_ERROR(SaveCalibration(sum, output));
  return MergeResult{.facts = RunFactsOf(run.context, "merge"),
                     .output = output,
                     .parts = static_cast<int64_t>(files.size()),
                     .samples = sum.sample_count(),
                     .observed_tensors = static_cast<int64_t>(sum.tensors.size()),
                     .warnings = gaps};
}

}  // namespace preon

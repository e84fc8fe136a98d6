#include "pipeline/job.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/system.h"
#include "base/version.h"
#include "data/array_layout.h"
#include "data/open_data_source.h"

namespace preon {
namespace {

Status MakeFolder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (std::filesystem::is_directory(folder, error) && access(folder.c_str(), W_OK | X_OK) == 0) return Status::Ok();
  return Error(ErrorId::kBadOptionValue, "got '", folder, "', wanted a folder that can be made and written to");
}

// From a file, so that no samples are needed.
bool HasStatistics(const Options& options) {
  std::error_code ignored;
  return !options.statistics.calib.empty() || (!options.statistics.save_and_restore.empty() &&
                                               std::filesystem::exists(options.statistics.save_and_restore, ignored));
}

}  // namespace

void StageClock::Begin(std::string_view stage) {
  EndStage();
  stage_ = stage;
  stage_start_ = Clock::now();
}

void StageClock::EndStage() {
  if (stage_.empty()) return;
  const double seconds = std::chrono::duration<double>(Clock::now() - stage_start_).count();
  const auto known = std::ranges::find(seconds_, stage_, &std::pair<std::string, double>::first);
  if (known == seconds_.end())
    seconds_.emplace_back(stage_, seconds);
  else
    known->second += seconds;
  stage_.clear();
}

RunFacts StageClock::Finish(std::string_view verb) {
  EndStage();
  return {.verb = std::string(verb),
          .version = std::string(kVersion),
          .seconds = seconds_,
          .total_seconds = std::chrono::duration<double>(Clock::now() - start_).count(),
          .peak_rss_bytes = PeakRssBytes() + others_peak_rss_bytes_};
}

Result<Job> MakeJob(const Options& options, const Builtins& builtins, const RunContext& context,
                    OpenSamples open_samples) {
  PREON_ASSIGN_OR_RETURN(Choices choices, Resolve(options, builtins));
  if (!options.resources.tmp_dir.empty())
    PREON_RETURN_IF_ERROR(MakeFolder(options.resources.tmp_dir).WithContext("--tmp-dir"));
  const bool made_up_sample = !open_samples && !options.data.has_samples() &&
                              (HasStatistics(options) || !choices.target->NeedsStatistics(choices.plan));
  const bool callers_samples = open_samples != nullptr;
  if (!open_samples && (options.data.has_samples() || made_up_sample)) {
    open_samples = [&options](const std::vector<TensorSpec>& inputs, const SampleSelection& selection) {
      // With statistics from a file, or without need of any, one random run is enough to see that the result runs.
      const DataOptions one_run{.sources = {StrCat("random:", FixedBatch(inputs))}};
      return OpenDataSource(options.data.has_samples() ? options.data : one_run, inputs, selection);
    };
  }
  return Job{options,         builtins, context, std::move(choices), std::move(open_samples), made_up_sample,
             callers_samples, {},       {}};
}

Result<Batch> FirstBatch(const Job& job, const std::vector<TensorSpec>& inputs) {
  PREON_ASSIGN_OR_RETURN(const std::unique_ptr<DataSource> source, job.open_samples(inputs, {}));
  PREON_ASSIGN_OR_RETURN(std::optional<Batch> batch, source->Next());
  if (!batch) return Error(ErrorId::kDataEmpty, "--data: no samples");
  return *std::move(batch);
}

std::vector<TensorSpec> InputSpecs(const Graph& graph) {
  std::vector<TensorSpec> specs;
  for (const std::string& input : graph.inputs()) {
    specs.push_back({input, graph.TypeOf(input), graph.ShapeOf(input).value_or(Shape{})});
  }
  return specs;
}

}  // namespace preon

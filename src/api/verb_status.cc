#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "api/shard_states.h"
#include "api/verbs.h"
#include "base/file.h"
#include "calib/calibration.h"

namespace preon {
namespace fs = std::filesystem;
namespace {

constexpr int64_t kFormat = 1;
constexpr size_t kMostNamed = 5;

struct RunDescription {
  std::string model, model_fingerprint;
  std::vector<std::string> results;  ///< of shard 1, 2, …
};

Status NotOneOf(const std::string& path, std::string_view what) {
  return Error(ErrorId::kBadConfig, path, ": not the description of a run: ", what);
}

// Paths are relative to the folder of the description, so that it can be moved with what it names.
Result<RunDescription> ReadDescription(const std::string& path) {
  PREON_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return NotOneOf(path, "wanted a JSON object");
  for (const char* field : {"format", "model", "model_fingerprint", "results"}) {
    if (!json.contains(field)) return NotOneOf(path, StrCat("'", field, "' is missing"));
  }
  if (json["format"] != kFormat) return NotOneOf(path, StrCat("format ", json["format"].dump(), ", wanted ", kFormat));
  const nlohmann::json& results = json["results"];
  const auto is_text = [](const nlohmann::json& value) { return value.is_string(); };
  if (!results.is_array() || results.empty() || !std::ranges::all_of(results, is_text))
    return NotOneOf(path, "'results': wanted a list of files, one for each shard");
  if (!is_text(json["model"]) || !is_text(json["model_fingerprint"]))
    return NotOneOf(path, "'model' and 'model_fingerprint': wanted texts");
  const fs::path folder = fs::path(path).parent_path();
  RunDescription run{(folder / json["model"].get<std::string>()).string(), json["model_fingerprint"], {}};
  for (const nlohmann::json& result : results) run.results.push_back((folder / result.get<std::string>()).string());
  return run;
}

// Whoever runs a shard leaves its last words beside the result; "" where there are none.
std::string LastFailure(const std::string& result) {
  std::ifstream file(result + ".failed");
  std::string line, last;
  while (std::getline(file, line)) {
    if (!line.empty()) last = line;
  }
  return file.is_open() && last.empty() ? "no reason was left" : last;
}

void Judge(const RunDescription& run, SampleRuns& seen, ShardReport& shard) {
  std::error_code ignored;
  if (!fs::exists(shard.result, ignored)) {
    shard.reason = LastFailure(shard.result);
    if (!shard.reason.empty()) shard.state = ShardState::kFailed;
    return;
  }
  shard.state = ShardState::kStale;
  const Result<CalibrationData> data = LoadCalibration(shard.result);
  if (!data.ok()) {
    shard.reason = data.status().message();
    return;
  }
  if (const Status same = CheckSameModel(data->model_fingerprint, run.model_fingerprint); !same.ok()) {
    shard.reason = same.message();
    return;
  }
  SampleRuns all = seen;
  all.insert(all.end(), data->samples.begin(), data->samples.end());
  Result<SampleRuns> canonical = Canonical(std::move(all));
  if (!canonical.ok()) {
    shard.reason = canonical.status().message() + ": another shard has it, too";
    return;
  }
  seen = *std::move(canonical);
  shard.state = ShardState::kDone;
  shard.samples = data->sample_count();
}

}  // namespace

bool MayBeRunDescription(const std::string& path) { return path.ends_with(".json"); }

Result<StatusResult> ShardStates(const std::string& description) {
  PREON_ASSIGN_OR_RETURN(const RunDescription run, ReadDescription(description));
  StatusResult status{.description = description, .model = run.model};
  SampleRuns seen;
  for (size_t index = 0; index < run.results.size(); ++index) {
    ShardReport& shard = status.shards.emplace_back();
    shard.shard = StrCat(index + 1, '/', run.results.size());
    shard.result = run.results[index];
    Judge(run, seen, shard);
  }
  return status;
}

Result<std::vector<std::string>> ResultsOfCompleteRun(const std::string& description) {
  PREON_ASSIGN_OR_RETURN(const StatusResult status, ShardStates(description));
  std::vector<std::string> files, others;
  for (const ShardReport& shard : status.shards) {
    files.push_back(shard.result);
    if (shard.state == ShardState::kDone) continue;
    const std::string reason = shard.reason.empty() ? "" : StrCat(" (", shard.reason, ")");
    others.push_back(StrCat(shard.shard, " is ", ShardStateName(shard.state), ": ", shard.result, reason));
  }
  if (others.empty()) return files;
  std::string named;
  for (size_t index = 0; index < std::min(others.size(), kMostNamed); ++index)
    named += (index == 0 ? "" : "; ") + others[index];
  if (others.size() > kMostNamed) named += "; …";
  return Error(ErrorId::kCalibFileMismatch, description, ": ", others.size(), " of ", files.size(),
               " shards are not done: ", named)
      .WithHint("run these shards, then merge again");
}

Result<StatusResult> StatusVerb(const std::string& description, const RunContext& context) {
  context.BeginStage("read");
  PREON_ASSIGN_OR_RETURN(StatusResult status, ShardStates(description));
  status.facts = RunFactsOf(context, "status");
  return status;
}

}  // namespace preon

#include "pipeline/partial_calibration.h"

#include <algorithm>
#include <filesystem>

#include "base/folder.h"
#include "base/hash.h"
#include "base/output/atomic_file.h"
#include "data/data_options.h"
#include "data/source.h"

namespace preon {
namespace fs = std::filesystem;
namespace {

// Whoever replaces a file in between has other samples.
std::string SamplesHash(const DataOptions& data, int64_t calib_samples) {
  std::string text =
      StrCat(data.preprocess, '\n', data.limit, ' ', data.batch, ' ', data.random.seed, ' ', data.shard.index, '/',
             data.shard.count, ' ', calib_samples, ' ', data.from.random_samples, '\n');
  for (const std::string& source : data.from.sources) text += source + '\n' + StateOfSource(source);
  for (const auto& [input, source] : data.from.inputs) text += input + '=' + source + '\n' + StateOfSource(source);
  if (!data.only.empty()) text += "only " + data.only + '\n' + StateOfSource(data.only);
  for (const auto& [input, shape] : data.random.values.shapes) text += input + ' ' + ShapeToString(shape) + '\n';
  for (const auto& [input, range] : data.random.values.ranges)
    text += StrCat(input, ' ', range.low, ':', range.high, '\n');
  return Sha256Hex(text).substr(0, 16);
}

std::vector<std::string> FilesIn(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().stem().string();
    const bool of_worker =
        entry.path().extension() == ".calib" && std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
    if (of_worker) files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

PartialCalibration::PartialCalibration(const DataOptions& data, const CalibrationOptions& calibration,
                                       const std::string& output)
    : data_(data), calibration_(calibration), path_(calibration.workers.task ? output : output + ".partial") {}

Status PartialCalibration::Describe(const std::string& setup) {
  std::error_code ignored;
  if (fs::exists(path_, ignored) && !IsCalibFile(path_)) {
    return Error(ErrorId::kCalibFileMismatch, path_,
                 ": exists already, and an interrupted run would save its statistics under this name; rename it");
  }
  setup_ = StrCat(setup, calibration_.observe.per_sample ? " per-sample" : "",
                  " samples=", SamplesHash(data_, calibration_.samples));
  return Status::Ok();
}

Result<CalibrationData> PartialCalibration::LoadFile(const std::string& path,
                                                     const std::string& model_fingerprint) const {
  PREON_ASSIGN_OR_RETURN(CalibrationData data, LoadCalibration(path));
  data.shared.clear();  // only the finished ones have it
  if (data.model_fingerprint == model_fingerprint && data.setup == setup_) return data;
  return Error(ErrorId::kCalibFileMismatch, path,
               ": --resume: made from another model, with other options or of data that have changed since; wanted the "
               "same, or the file removed");
}

Result<std::optional<CalibrationData>> PartialCalibration::Load(const std::string& model_fingerprint,
                                                                const std::vector<const StatisticKind*>& kinds) const {
  std::optional<CalibrationData> known;
  std::error_code error;
  if (fs::exists(path_, error)) {
    PREON_ASSIGN_OR_RETURN(known, LoadFile(path_, model_fingerprint));
  }
  const std::vector<std::string> files = FilesIn(workers_folder());
  for (const std::string& file : files) {
    PREON_ASSIGN_OR_RETURN(CalibrationData part, LoadFile(file, model_fingerprint));
    if (part.samples.empty()) continue;
    // Killed between the two steps below, a run leaves both.
    if (known && HasSample(known->samples, part.samples.front().first)) continue;
    std::vector<CalibrationData> parts;
    if (known) parts.push_back(*std::move(known));
    parts.push_back(std::move(part));
    Result<CalibrationData> merged = MergeCalibrations(std::move(parts), kinds);
    if (!merged.ok()) return std::move(merged).status().WithContext(file);
    known = std::move(merged).value();
  }
  if (!files.empty() && known) PREON_RETURN_IF_ERROR(Save(*known));
  RemoveWorkersFolder();
  return known;
}

Status PartialCalibration::Save(CalibrationData so_far) const {
  so_far.setup = setup_;
  return SaveCalibration(so_far, path_);
}

bool PartialCalibration::Exists() const { return IsCalibFile(path_) || !FilesIn(workers_folder()).empty(); }

void PartialCalibration::StartAnew(const RunContext& context) const {
  if (!Exists()) return;
  context.Log(LogLevel::kWarning,
              StrCat(path_, ": statistics of an interrupted run are discarded; --resume would continue from them"));
  Remove();
}

void PartialCalibration::Remove() const {
  std::error_code ignored;
  if (IsCalibFile(path_)) fs::remove(path_, ignored);
  RemoveLeftovers(path_);
  RemoveWorkersFolder();
}

// With nothing in it that is not ours. A worker killed while it writes leaves a temporary file, with or without the
// file.
void PartialCalibration::RemoveWorkersFolder() const {
  std::error_code ignored;
  for (const std::string& file : FilesIn(workers_folder())) fs::remove(file, ignored);
  for (const fs::directory_entry& entry : EntriesOf(workers_folder())) {
    const std::string file = entry.path().stem().string();  // .K.calib of a temporary name
    if (file.starts_with('.')) RemoveLeftovers((entry.path().parent_path() / file.substr(1)).string());
  }
  fs::remove(workers_folder(), ignored);
}

}  // namespace preon

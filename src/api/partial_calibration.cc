#include "api/partial_calibration.h"

#include <filesystem>

#include "base/file.h"
#include "base/hash.h"

namespace preon {
namespace {

std::string SamplesHash(const DataOptions& data) {
  std::string text = StrCat(data.preprocess, '\n', data.limit, ' ', data.batch, ' ', data.seed, ' ', data.shard_index,
                            '/', data.shard_count, '\n');
  for (const std::string& source : data.sources) text += source + '\n';
  for (const auto& [input, source] : data.inputs) text += input + '=' + source + '\n';
  if (!data.only.empty()) text += "only " + data.only + '\n';
  return Sha256Hex(text).substr(0, 16);
}

}  // namespace

PartialCalibration::PartialCalibration(const Options& options, const std::string& setup)
    : path_(options.output + ".partial"),
      setup_(StrCat(setup, options.per_sample ? " per-sample" : "", " samples=", SamplesHash(options.data))) {}

Result<std::optional<CalibrationData>> PartialCalibration::Load(const std::string& model_fingerprint) const {
  std::error_code error;
  if (!std::filesystem::exists(path_, error)) return std::optional<CalibrationData>();
  PREON_ASSIGN_OR_RETURN(CalibrationData data, LoadCalibration(path_));
  if (data.model_fingerprint == model_fingerprint && data.setup == setup_) return std::optional(std::move(data));
  return Error(ErrorId::kCalibFileMismatch, path_,
               ": --resume: made from another model or with other options; wanted the same, or the file removed");
}

Status PartialCalibration::Save(CalibrationData so_far) const {
  so_far.setup = setup_;
  return SaveCalibration(so_far, path_);
}

void PartialCalibration::Remove() const {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
  RemoveLeftovers(path_);
}

}  // namespace preon

#include "pipeline/output.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/output/atomic_file.h"
#include "ir/model_io.h"

namespace preon {
namespace fs = std::filesystem;

namespace {

// Also of what does not exist yet.
fs::path Resolved(const fs::path& path) {
  std::error_code ignored;
  return fs::weakly_canonical(fs::absolute(path, ignored), ignored);
}

using NamedPath = std::pair<const char*, const std::string&>;

std::vector<NamedPath> NamesOf(const OutputOptions& files) {
  std::vector<NamedPath> outputs;
  if (!files.file.empty()) outputs.emplace_back("--output", files.file);
  if (!files.report.empty()) outputs.emplace_back("--report", files.report);
  if (!files.html.empty()) outputs.emplace_back("--html", files.html);
  if (!files.cover.empty()) outputs.emplace_back("--cover", files.cover);
  if (!files.ranges.empty()) outputs.emplace_back("--save-and-restore", files.ranges);
  return outputs;
}

// Made when it is written; its parent has to be there.
Status CheckFolder(const std::string& folder) {
  std::error_code ignored;
  const fs::path parent = Resolved(folder).parent_path();
  if (!fs::is_directory(parent, ignored))
    return Error(ErrorId::kOutputFolder, folder, ": the folder '", parent.string(), "' does not exist; make it first");
  if (fs::exists(folder, ignored) && !fs::is_directory(folder, ignored))
    return Error(ErrorId::kIoWrite, folder, ": can't write: is not a folder");
  return Status::Ok();
}

bool IsBelow(const fs::path& path, const fs::path& folder) {
  const fs::path inside = Resolved(path).lexically_relative(Resolved(folder));
  return !inside.empty() && *inside.begin() != "..";
}

// What a folder of samples holds may lie elsewhere.
std::vector<fs::path> LinksIn(const std::string& folder) {
  std::vector<fs::path> links;
  std::error_code ignored;
  for (fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, ignored), end;
       !ignored && at != end; at.increment(ignored)) {
    if (at->is_symlink(ignored)) links.push_back(at->path());
  }
  return links;
}

}  // namespace

bool IsPartOf(const std::string& path, const std::string& whole) {
  std::error_code ignored;
  if (fs::equivalent(path, whole, ignored)) return true;
  if (!fs::is_directory(whole, ignored) || !fs::exists(path, ignored)) return false;
  return IsBelow(path, whole) || std::ranges::any_of(LinksIn(whole), [&](const fs::path& link) {
           return fs::equivalent(path, link, ignored) || IsBelow(path, link);
         });
}

Status CheckNotInput(std::string_view flag, const std::string& path, const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    if (input.empty() || !IsPartOf(path, input)) continue;
    return Error(ErrorId::kConflictingOptions, flag, ": '", path, "' is an input; inputs are never written to");
  }
  return Status::Ok();
}

Status CheckNotInputs(const OutputOptions& outputs, const std::vector<std::string>& inputs) {
  for (const auto& [flag, path] : NamesOf(outputs)) PREON_RETURN_IF_ERROR(CheckNotInput(flag, path, inputs));
  return Status::Ok();
}

Status CheckOutputs(const Options& options, std::vector<std::string> inputs) {
  inputs.insert(inputs.end(), {options.calib, options.encodings, options.analysis.production, options.given.config_file,
                               options.crypto.key_file});
  const std::vector<std::string> data = options.data.Paths();
  inputs.insert(inputs.end(), data.begin(), data.end());
  const std::vector<std::string>& libraries = options.resources.custom_op_libraries;
  inputs.insert(inputs.end(), libraries.begin(), libraries.end());
  PREON_RETURN_IF_ERROR(CheckNotInputs(options.outputs, inputs));
  // Opening tells whether a file can be made there, and clears what a killed run left; nothing stays behind.
  const std::vector<NamedPath> outputs = NamesOf(options.outputs);
  for (const auto& [flag, path] : outputs) PREON_RETURN_IF_ERROR(AtomicFile::Open(path).status());
  if (!options.outputs.histograms.empty())
    PREON_RETURN_IF_ERROR(CheckFolder(options.outputs.histograms).WithContext("--save-histograms"));
  for (size_t later = 1; later < outputs.size(); ++later) {
    for (size_t earlier = 0; earlier < later; ++earlier) {
      if (Resolved(outputs[earlier].second) != Resolved(outputs[later].second)) continue;
      const std::string_view flag = outputs[earlier].first;
      return Error(ErrorId::kConflictingOptions, outputs[later].first, ": '", outputs[later].second, "' is ",
                   flag == "--output" ? "the output" : StrCat("that of ", flag), ", too");
    }
  }
  return Status::Ok();
}

Status CheckOutputs(std::string_view verb, const Options& options, std::vector<std::string> inputs) {
  if (options.outputs.file.empty()) return Error(ErrorId::kMissingOption, verb, ": no output; wanted -o FILE");
  return CheckOutputs(options, std::move(inputs));
}

Status CheckOutputFolder(std::string_view verb, const std::string& folder, const std::vector<std::string>& inputs) {
  if (folder.empty()) return Error(ErrorId::kMissingOption, verb, ": no output; wanted -o DIR");
  PREON_RETURN_IF_ERROR(CheckFolder(folder).WithContext("--output"));
  for (const std::string& input : inputs) {
    if (!input.empty() && Resolved(input).parent_path() == Resolved(folder))
      return Error(ErrorId::kConflictingOptions, "--output: '", folder, "' is the folder of the input '", input,
                   "'; inputs are never written to");
  }
  return Status::Ok();
}

Status MissingData(std::string_view verb, std::string_view wanted) {
  return Error(ErrorId::kMissingOption, verb, ": no samples; wanted ", wanted);
}

int64_t FileSizeBytes(const std::string& path) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  return error ? 0 : static_cast<int64_t>(size);
}

int64_t ModelSizeBytes(const std::string& path, const Model& model) {
  int64_t bytes = FileSizeBytes(path), weight_bytes = 0;
  for (const std::string& file : model.external_files) bytes += FileSizeBytes(file);
  for (const auto& [name, value] : model.graph.initializers())
    weight_bytes += static_cast<int64_t>(value.bytes().size());
  return std::max(bytes, weight_bytes);  // of a model in memory there is no file
}

int64_t ModelSizeBytes(const std::string& path) {
  const Result<Model> model = LoadModel(path, {.keep_weight_file = true});
  return model.ok() ? ModelSizeBytes(path, *model) : FileSizeBytes(path);
}

}  // namespace preon

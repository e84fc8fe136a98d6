#include "api/output.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"

namespace preon {
namespace fs = std::filesystem;

Status CheckOutput(std::string_view verb, const std::string& output, const std::vector<std::string>& inputs) {
  if (output.empty()) return Error(ErrorId::kMissingOption, verb, ": no output; wanted -o FILE");
  std::error_code ignored;
  for (const std::string& input : inputs) {
    if (!input.empty() && fs::equivalent(input, output, ignored)) {
      return Error(ErrorId::kConflictingOptions, "--output: '", output, "' is an input; inputs are never written to");
    }
  }
  // Opening tells whether a file can be made there, and clears what a killed run left; nothing stays behind.
  const Result<AtomicFile> probe = AtomicFile::Open(output);
  return probe.ok() ? Status::Ok() : probe.status();
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
  int64_t weight_bytes = 0;
  for (const auto& [name, value] : model.graph.initializers())
    weight_bytes += static_cast<int64_t>(value.bytes().size());
  return std::max(FileSizeBytes(path), weight_bytes);
}

}  // namespace preon

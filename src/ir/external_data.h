// External data: tensors whose bytes lie in files beside the model.
#pragma once

#include <map>
#include <string>

#include "base/file.h"
#include "base/status.h"
#include "base/tensor.h"

namespace preon {

/// Where a tensor's bytes lie, as the model states it. `length` < 0: not stated.
struct ExternalPlace {
  std::string location;
  int64_t offset = 0;
  int64_t length = -1;
};

/// Maps external-data files on demand, each once. Only regular files below the model's folder are opened.
class ExternalData {
 public:
  explicit ExternalData(std::string folder) : folder_(std::move(folder)) {}

  /// A tensor over the mapped bytes (copied only where they lie unaligned); `shape` static, its bytes fit in size_t.
  /// Errors: kExternalDataMissing (absent or too short), kExternalDataOutside, kModelInvalid (length does not fit).
  Result<Tensor> Read(const ExternalPlace& place, DataType type, const Shape& shape);

  /// Files opened so far by location.
  const std::map<std::string, MappedFile>& files() const { return files_; }

 private:
  Result<MappedFile> Open(const std::string& location);

  std::string folder_;
  std::map<std::string, MappedFile> files_;
};

}  // namespace preon

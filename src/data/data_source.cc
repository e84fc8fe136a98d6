#include "data/data_source.h"

namespace preon {

Status OfSamples(Status status, const Batch& batch) {
  if (status.ok() || status.id() == ErrorId::kCancelled || batch.names.empty()) return status;
  const std::string others = batch.samples > 1 ? StrCat(" and ", batch.samples - 1, " more") : "";
  return std::move(status).WithContext("sample ", batch.names.front(), others);
}

}  // namespace preon

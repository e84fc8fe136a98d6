#include "data/data_source.h"

namespace preon {

Result<std::vector<NamedTensor>> OfSamples(Result<std::vector<NamedTensor>> outputs, const Batch& batch) {
  if (outputs.ok() || outputs.status().id() == ErrorId::kCancelled || batch.names.empty()) return outputs;
  const std::string others = batch.samples > 1 ? StrCat(" and ", batch.samples - 1, " more") : "";
  return std::move(outputs).status().WithContext("sample ", batch.names.front(), others);
}

}  // namespace preon

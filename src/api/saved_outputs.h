// preon run --save DIR: every output as DIR/OUTPUT/NNNNNN.npy, one file per run; each folder is a data source again.
#pragma once

#include <string>
#include <vector>

#include "base/tensor.h"
#include "base/tensor_spec.h"
#include "runtime/session.h"

namespace preon {

class SavedOutputs {
 public:
  /// Makes the folders; none of the files will be one of `inputs`. Errors: kIoWrite; kNotYetSupported for an output
  /// whose element type .npy has not.
  static Result<SavedOutputs> Create(const std::string& folder, const std::vector<TensorSpec>& outputs,
                                     std::vector<std::string> inputs);
  /// Each file is whole or absent. Errors: kIoWrite, kConflictingOptions.
  Status Write(int64_t run, const std::vector<NamedTensor>& outputs) const;

 private:
  std::string folder_;
  std::vector<std::string> inputs_;
};

}  // namespace preon

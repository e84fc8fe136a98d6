// ONNX test sets: folders test_data_set_N with input_K.pb and output_K.pb.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/tensor_spec.h"
#include "data/sample_set.h"

namespace preon {

/// Whether a folder with these entries is a test set or holds some.
bool HasTestSets(const std::vector<std::string>& names);

/// Each set is one sample and one run: its tensors are fed as they are. input_K.pb feeds the input of the name it
/// carries, else the model's K-th one; output_K.pb come as `expected` in the order of K. Sets in the order of N.
/// The first set is checked here. Errors: kDataInputName, kDataShape, kDataType, kDataNotFinite, and those of
/// ParseTensorProto.
Result<std::unique_ptr<SampleSet>> OpenTestSets(const std::string& folder, const std::vector<std::string>& names,
                                                std::span<const TensorSpec> inputs);

}  // namespace preon

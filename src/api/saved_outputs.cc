#include "api/saved_outputs.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/output/atomic_file.h"
#include "pipeline/output.h"

namespace preon {
namespace {

// NumPy's name of an element type; null where it has none.
const char* NpyDescription(DataType type) {
  switch (type) {
    case DataType::kFloat:
      return "<f4";
    case DataType::kDouble:
      return "<f8";
    case DataType::kFloat16:
      return "<f2";
    case DataType::kUInt8:
      return "|u1";
    case DataType::kInt8:
      return "|i1";
    case DataType::kUInt16:
      return "<u2";
    case DataType::kInt16:
      return "<i2";
    case DataType::kUInt32:
      return "<u4";
    case DataType::kInt32:
      return "<i4";
    case DataType::kUInt64:
      return "<u8";
    case DataType::kInt64:
      return "<i8";
    case DataType::kBool:
      return "|b1";
    default:
      return nullptr;
  }
}

// Source: NumPy's NEP 1, version 1.0: the header ends with a line feed and the values start at a multiple of 64.
std::string NpyBytes(const Tensor& tensor) {
  std::string shape;
  for (const int64_t dim : tensor.shape()) shape += std::to_string(dim) + ",";
  std::string header =
      StrCat("{'descr': '", NpyDescription(tensor.type()), "', 'fortran_order': False, 'shape': (", shape, "), }");
  header.append(64 - (10 + header.size() + 1) % 64, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 255);
  bytes += static_cast<char>(header.size() >> 8);
  bytes += header;
  bytes.append(reinterpret_cast<const char*>(tensor.bytes().data()), tensor.bytes().size());
  return bytes;
}

std::string FolderName(std::string output) {
  std::ranges::replace(output, '/', '_');
  return output.empty() || output[0] == '.' ? "_" + output : output;
}

}  // namespace

Result<SavedOutputs> SavedOutputs::Create(const std::string& folder, const std::vector<TensorSpec>& outputs,
                                          std::vector<std::string> inputs) {
  for (const TensorSpec& output : outputs) {
    if (NpyDescription(output.type) == nullptr) {
      return Error(ErrorId::kNotYetSupported, "--save: output '", output.name, "': .npy has no type ",
                   DataTypeName(output.type));
    }
    const std::string path = folder + "/" + FolderName(output.name);
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error) return Error(ErrorId::kIoWrite, path, ": can't make the folder: ", error.message());
  }
  SavedOutputs saved;
  saved.folder_ = folder;
  saved.inputs_ = std::move(inputs);
  return saved;
}

Status SavedOutputs::Write(int64_t run, const std::vector<NamedTensor>& outputs) const {
  char file[32];
  std::snprintf(file, sizeof(file), "/%06lld.npy", static_cast<long long>(run));
  for (const NamedTensor& output : outputs) {
    const std::string path = folder_ + "/" + FolderName(output.name) + file;
    PREON_RETURN_IF_ERROR(CheckNotInput("--save", path, inputs_));
    PREON_RETURN_IF_ERROR(WriteFileAtomically(path, NpyBytes(output.tensor)));
  }
  return Status::Ok();
}

}  // namespace preon

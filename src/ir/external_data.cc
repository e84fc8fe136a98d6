#include "ir/external_data.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

namespace preon {
namespace fs = std::filesystem;
namespace {

bool IsBelow(const fs::path& folder, const fs::path& file) {
  return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first == folder.end();
}

}  // namespace

Result<MappedFile> ExternalData::Open(const std::string& location) {
  const auto known = files_.find(location);
  if (known != files_.end()) return known->second;

  const Status outside =
      Error(ErrorId::kExternalDataOutside, "external data '", location, "' is outside the model's folder");
  if (location.find('\0') != std::string::npos)
    return Error(ErrorId::kModelInvalid, "the name of an external data file holds a zero byte");
  const fs::path relative(location);
  if (relative.is_absolute() || std::find(relative.begin(), relative.end(), "..") != relative.end()) return outside;
  // Links are resolved before the file is opened: one inside the folder may point anywhere.
  std::error_code error;
  const fs::path folder = fs::canonical(folder_.empty() ? "." : folder_, error);
  const fs::path file = error ? fs::path() : fs::canonical(folder / relative, error);
  if (location.empty() || error) {
    return Error(ErrorId::kExternalDataMissing, "external data file '", location, "' does not exist");
  }
  if (!IsBelow(folder, file)) return outside;
  if (!fs::is_regular_file(file, error)) {
    return Error(ErrorId::kExternalDataMissing, "external data '", location, "' is not a file");
  }
  PREON_ASSIGN_OR_RETURN(MappedFile mapped, MapFile(file.string()));
  return files_[location] = std::move(mapped);
}

Result<Tensor> ExternalData::Read(const ExternalPlace& place, DataType type, const Shape& shape) {
  const size_t wanted = PackedSizeBytes(type, ElementCount(shape));
  if (place.length >= 0 && static_cast<size_t>(place.length) != wanted) {
    return Error(ErrorId::kModelInvalid, "external data of ", place.length, " bytes, wanted ", wanted, " for ",
                 DataTypeName(type), " ", ShapeToString(shape));
  }
  PREON_ASSIGN_OR_RETURN(MappedFile file, Open(place.location));
  const size_t offset = static_cast<size_t>(place.offset);
  if (place.offset < 0 || offset > file.bytes.size() || wanted > file.bytes.size() - offset) {
    return Error(ErrorId::kExternalDataMissing, "external data file '", place.location,
                 "' is too short: ", file.bytes.size(), " bytes, wanted ", wanted, " from offset ", place.offset);
  }
  const std::span<const std::byte> bytes = file.bytes.subspan(offset, wanted);
  const size_t element_size_bytes = std::max(1, DataTypeBits(type) / 8);
  if (reinterpret_cast<uintptr_t>(bytes.data()) % element_size_bytes == 0)
    return Tensor(type, shape, bytes, file.owner);
  Tensor copy = Tensor::Allocate(type, shape);
  std::memcpy(copy.MutableBytes().data(), bytes.data(), bytes.size());
  return copy;
}

}  // namespace preon

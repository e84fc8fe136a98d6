#include "data/files/array_file.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/file_kind.h"

namespace preon {
namespace {

Result<NpyHeader> ReadHeader(const std::shared_ptr<const RandomAccessFile>& file, const ByteRange& range,
                             const std::string& where) {
  const std::unique_ptr<ByteReader> reader = MakeByteReader(file, range);
  std::vector<std::byte> header(std::min<uint64_t>(kKindBytes, range.size_bytes));
  PREON_RETURN_IF_ERROR(reader->Read(0, header));
  PREON_ASSIGN_OR_RETURN(const size_t header_bytes, NpyHeaderBytes(header, where));
  header.resize(std::min<uint64_t>(header_bytes, range.size_bytes));
  PREON_RETURN_IF_ERROR(reader->Read(0, header));
  PREON_ASSIGN_OR_RETURN(NpyHeader parsed, ParseNpyHeader(header, where));
  if (parsed.data_bytes() > range.size_bytes - header_bytes) {
    return Error(ErrorId::kDataMalformed, where, ": cut short: shape ", ShapeToString(parsed.shape), " of ",
                 DataTypeName(parsed.type), " needs ", parsed.data_bytes(), " bytes, got ",
                 range.size_bytes - header_bytes);
  }
  return parsed;
}

std::string Where(const RandomAccessFile& file, const std::string& array) {
  return array.empty() ? file.path() : file.path() + ": '" + array + "'";
}

void SwapBytes(std::span<std::byte> bytes, size_t element_bytes) {
  for (size_t at = 0; at < bytes.size(); at += element_bytes) std::ranges::reverse(bytes.subspan(at, element_bytes));
}

// Element (i0, i1, ...) stands at i0 + d0 * (i1 + d1 * ...).
Tensor FromFortranOrder(const Tensor& stored) {
  const Shape& shape = stored.shape();
  const size_t element_bytes = PackedSizeBytes(stored.type(), 1);
  Tensor tensor = Tensor::Allocate(stored.type(), shape);
  const std::span<std::byte> to = tensor.MutableBytes();
  Shape index(shape.size());
  for (size_t at = 0; at < to.size(); at += element_bytes) {
    int64_t from = 0;
    for (size_t axis = shape.size(); axis-- > 0;) from = from * shape[axis] + index[axis];
    std::memcpy(&to[at], &stored.bytes()[static_cast<size_t>(from) * element_bytes], element_bytes);
    for (size_t axis = shape.size(); axis-- > 0 && ++index[axis] == shape[axis];) index[axis] = 0;
  }
  return tensor;
}

}  // namespace

Result<std::vector<StoredArray>> ListArrays(const std::shared_ptr<const RandomAccessFile>& file) {
  std::vector<ZipMember> members;
  if (file->path().ends_with(".npz")) {
    PREON_ASSIGN_OR_RETURN(members, ListZipMembers(*file));
  } else {
    members.push_back({"", {0, file->size_bytes(), file->size_bytes(), false}});
  }
  std::vector<StoredArray> arrays;
  for (const ZipMember& member : members) {
    StoredArray array{member.name, {}, member.range};
    if (array.name.ends_with(".npy")) array.name.resize(array.name.size() - 4);
    PREON_ASSIGN_OR_RETURN(array.header, ReadHeader(file, array.range, Where(*file, array.name)));
    arrays.push_back(std::move(array));
  }
  return arrays;
}

ArrayReader::ArrayReader(const std::shared_ptr<const RandomAccessFile>& file, const StoredArray& array, TensorPool pool)
    : header_(array.header),
      bytes_(MakeCheckedReader(file, array.range, Where(*file, array.name))),
      pool_(std::move(pool)) {}

Result<Tensor> ArrayReader::Read(int64_t first, const Shape& shape) {
  if (!header_.fortran_order) return ReadStored(first, shape);
  if (in_c_order_.type() == DataType::kUndefined) {
    PREON_ASSIGN_OR_RETURN(const Tensor stored, ReadStored(0, header_.shape));
    in_c_order_ = FromFortranOrder(stored);
  }
  return in_c_order_.Reshaped({in_c_order_.count()}).Slice(first, first + ElementCount(shape)).Reshaped(shape);
}

Result<Tensor> ArrayReader::ReadStored(int64_t first, const Shape& shape) {
  Tensor tensor = pool_.Allocate(header_.type, shape);
  const size_t element_bytes = PackedSizeBytes(header_.type, 1);
  const std::span<std::byte> to = tensor.MutableBytes();
  PREON_RETURN_IF_ERROR(bytes_->Read(header_.header_bytes + static_cast<uint64_t>(first) * element_bytes, to));
  if (header_.big_endian) SwapBytes(to, element_bytes);
  // Any other byte than 0 and 1 would be no bool to the runtime.
  if (header_.type == DataType::kBool)
    std::ranges::transform(to, to.begin(), [](std::byte b) { return std::byte{b != std::byte{0}}; });
  return tensor;
}

}  // namespace preon

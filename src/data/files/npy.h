// The header of NumPy's .npy format, versions 1 to 3.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/data_type.h"
#include "base/shape.h"
#include "base/status.h"

namespace preon {

struct NpyHeader {
  DataType type = DataType::kUndefined;
  Shape shape;
  bool fortran_order = false;
  bool big_endian = false;
  uint64_t header_bytes = 0;  ///< from the file's start to the first element

  uint64_t data_bytes() const { return PackedSizeBytes(type, ElementCount(shape)); }
};

/// Bytes from the start that are enough to tell the header's length.
inline constexpr size_t kNpyPrefixBytes = 12;

/// Length of the whole header from the first bytes of a file (at least kNpyPrefixBytes, fewer only if the file is
/// shorter). Errors: kDataMalformed.
Result<size_t> NpyHeaderBytes(std::span<const std::byte> prefix, const std::string& where);

/// Parses the whole header. Sizes can't overflow: the elements' bytes fit 62 bits.
/// Errors: kDataMalformed; kDataUnsupported for pickled objects, text, dates, records and complex numbers.
/// Source: numpy/lib/format.py (NumPy 2), "Format Version 1.0" to "3.0".
Result<NpyHeader> ParseNpyHeader(std::span<const std::byte> header, const std::string& where);

}  // namespace preon

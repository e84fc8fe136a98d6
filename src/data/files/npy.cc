#include "data/files/npy.h"

#include <charconv>
#include <string_view>

#include "base/file_kind.h"
#include "data/files/little_endian.h"

namespace preon {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

Status Malformed(const std::string& where, std::string_view why) {
  return Error(ErrorId::kDataMalformed, where, ": not an .npy array, or cut short: ", why);
}

struct Spelling {
  std::string_view code;
  DataType type;
};

constexpr Spelling kTypes[] = {
    {"f4", DataType::kFloat},  {"f8", DataType::kDouble}, {"f2", DataType::kFloat16}, {"i1", DataType::kInt8},
    {"i2", DataType::kInt16},  {"i4", DataType::kInt32},  {"i8", DataType::kInt64},   {"u1", DataType::kUInt8},
    {"u2", DataType::kUInt16}, {"u4", DataType::kUInt32}, {"u8", DataType::kUInt64},  {"b1", DataType::kBool},
};

// Reads the Python literal that the header is: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class Literal {
 public:
  explicit Literal(std::string_view text) : rest_(text) {}

  bool Take(std::string_view token) {
    SkipSpace();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  bool TakeString(std::string& value) {
    SkipSpace();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) return false;
    const size_t end = rest_.find(rest_[0], 1);
    if (end == std::string_view::npos) return false;
    value = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return true;
  }

  bool TakeShape(Shape& shape) {
    if (!Take("(")) return false;
    while (!Take(")")) {
      SkipSpace();
      int64_t dim = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), dim);
      if (error != std::errc() || dim < 0) return false;
      rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
      shape.push_back(dim);
      Take("L");  // Python 2
      if (!Take(",") && !rest_.starts_with(')')) return false;
    }
    return true;
  }

 private:
  void SkipSpace() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n"), rest_.size())); }
  std::string_view rest_;
};

Status ParseType(const std::string& descr, const std::string& where, NpyHeader& header) {
  if (descr.find('O') != std::string::npos) {
    return Error(ErrorId::kDataUnsupported, where,
                 ": holds pickled Python objects, which are not read; wanted an array of numbers")
        .WithHint("save it with a numeric dtype, all samples of one shape; allow_pickle is not needed then");
  }
  const std::string_view code = std::string_view(descr).substr(std::min<size_t>(1, descr.size()));
  for (const Spelling& spelling : kTypes) {
    if (spelling.code != code || std::string_view("<>|=").find(descr[0]) == std::string_view::npos) continue;
    header.type = spelling.type;
    header.big_endian = descr[0] == '>' && DataTypeBits(spelling.type) > 8;
    return Status::Ok();
  }
  return Error(ErrorId::kDataUnsupported, where, ": element type '", descr,
               "' is not read; wanted floats, integers or bool");
}

Status CheckSizes(const NpyHeader& header, const std::string& where) {
  constexpr uint64_t kMaxBytes = uint64_t{1} << 62;
  uint64_t bytes = static_cast<uint64_t>(DataTypeBits(header.type) / 8);
  for (int64_t dim : header.shape) {
    // A zero dimension makes no array small enough to be absurd elsewhere: count it as 1.
    const uint64_t factor = dim == 0 ? 1 : static_cast<uint64_t>(dim);
    if (bytes > kMaxBytes / factor) return Malformed(where, "shape " + ShapeToString(header.shape) + " is too large");
    bytes *= factor;
  }
  return Status::Ok();
}

}  // namespace

Result<size_t> NpyHeaderBytes(std::span<const std::byte> prefix, const std::string& where) {
  const std::string_view text(reinterpret_cast<const char*>(prefix.data()), prefix.size());
  if (prefix.size() < kNpyPrefixBytes) return Malformed(where, StrCat("it has ", prefix.size(), " bytes"));
  if (!text.starts_with(kMagic)) {
    const std::string_view instead = WhatItIsInstead(prefix);
    return Malformed(where, instead.empty() ? "no \\x93NUMPY at its start" : instead);
  }
  const int version = static_cast<int>(prefix[6]);
  if (version < 1 || version > 3)
    return Error(ErrorId::kDataUnsupported, where, ": .npy version ", version, ", wanted 1 to 3");
  if (version == 1) return size_t{10} + LittleEndian<uint16_t>(prefix, 8);
  const size_t length = LittleEndian<uint32_t>(prefix, 8);
  constexpr size_t kMaxHeaderBytes = 1 << 20;
  if (length > kMaxHeaderBytes) return Malformed(where, "its header claims " + std::to_string(length) + " bytes");
  return size_t{12} + length;
}

Result<NpyHeader> ParseNpyHeader(std::span<const std::byte> bytes, const std::string& where) {
  PREON_ASSIGN_OR_RETURN(const size_t header_bytes, NpyHeaderBytes(bytes, where));
  if (bytes.size() < header_bytes) return Malformed(where, "its header is incomplete");
  const size_t start = static_cast<int>(bytes[6]) == 1 ? 10 : 12;
  Literal literal({reinterpret_cast<const char*>(bytes.data()) + start, header_bytes - start});
  NpyHeader header;
  header.header_bytes = header_bytes;
  bool has_type = false, has_order = false, has_shape = false;
  bool good = literal.Take("{");
  while (good && !literal.Take("}")) {
    std::string key, descr;
    good = literal.TakeString(key) && literal.Take(":");
    if (!good) break;
    if (key == "descr" && literal.Take("[")) {
      return Error(ErrorId::kDataUnsupported, where, ": holds records; wanted an array of numbers");
    } else if (key == "descr" && literal.TakeString(descr)) {
      PREON_RETURN_IF_ERROR(ParseType(descr, where, header));
      has_type = true;
    } else if (key == "fortran_order") {
      header.fortran_order = literal.Take("True");
      has_order = header.fortran_order || literal.Take("False");
    } else if (key == "shape") {
      header.shape.clear();
      has_shape = literal.TakeShape(header.shape);
    } else {
      good = false;
    }
    literal.Take(",");
  }
  if (!good || !has_type || !has_order || !has_shape) return Malformed(where, "its header can't be parsed");
  PREON_RETURN_IF_ERROR(CheckSizes(header, where));
  return header;
}

}  // namespace preon

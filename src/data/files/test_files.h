// For tests: array and archive files byte by byte, in a folder of their own.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "base/output/temp_dir.h"
#include "base/shape.h"

namespace preon::test {

template <typename T>
std::string Raw(const T& value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof(T));
}
template <typename T>
std::string RawAll(const std::vector<T>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}
/// 0, 1, 2, … as T.
template <typename T>
std::vector<T> Iota(int64_t count, int64_t first = 0) {
  std::vector<T> values;
  for (int64_t value = first; value < first + count; ++value) values.push_back(static_cast<T>(value));
  return values;
}

/// An .npy file of version 1 with the given header text.
inline std::string NpyWithHeader(std::string header, const std::string& data, char version = 1) {
  header += '\n';
  const std::string length =
      version == 1 ? Raw(static_cast<uint16_t>(header.size())) : Raw(static_cast<uint32_t>(header.size()));
  return "\x93NUMPY" + std::string{version, 0} + length + header + data;
}

inline std::string Npy(const std::string& descr, const Shape& shape, const std::string& data, bool fortran = false,
                       char version = 1) {
  std::string dims;
  for (int64_t dim : shape) dims += std::to_string(dim) + ", ";
  return NpyWithHeader(
      "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': (" + dims + "), }",
      data, version);
}

template <typename T>
std::string NpyOf(const std::string& descr, const Shape& shape, const std::vector<T>& values) {
  return Npy(descr, shape, RawAll(values));
}
/// Floats 0, 1, 2, … of this shape.
inline std::string FloatNpy(const Shape& shape) { return NpyOf("<f4", shape, Iota<float>(ElementCount(shape))); }

enum class Zip { kStored, kDeflated, kZip64 };

inline std::string Deflate(const std::string& plain) {
  z_stream stream = {};
  deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string packed(plain.size() + 1000, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

/// A zip archive of these members.
inline std::string ZipOf(const std::vector<std::pair<std::string, std::string>>& members, Zip kind = Zip::kStored) {
  const bool zip64 = kind == Zip::kZip64;
  const auto u16 = [](uint64_t value) { return Raw(static_cast<uint16_t>(value)); };
  const auto u32 = [](uint64_t value) { return Raw(static_cast<uint32_t>(value)); };
  const auto u64 = [](uint64_t value) { return Raw(value); };
  std::string archive, directory;
  for (const auto& [name, plain] : members) {
    const std::string data = kind == Zip::kDeflated ? Deflate(plain) : plain;
    const std::string method = u16(kind == Zip::kDeflated ? 8 : 0);
    const std::string sizes = zip64 ? u32(~0u) + u32(~0u) : u32(data.size()) + u32(plain.size());
    const std::string local_extra = zip64 ? u16(1) + u16(16) + u64(plain.size()) + u64(data.size()) : "";
    const std::string extra =
        zip64 ? u16(1) + u16(24) + u64(plain.size()) + u64(data.size()) + u64(archive.size()) : "";
    const std::string crc = u32(crc32_z(0, reinterpret_cast<const Bytef*>(plain.data()), plain.size()));
    directory += u32(0x02014b50) + u16(45) + u16(45) + u16(0) + method + u32(0) + crc + sizes + u16(name.size()) +
                 u16(extra.size()) + u16(0) + u16(0) + u16(0) + u32(0) + u32(zip64 ? ~0u : archive.size()) + name +
                 extra;
    archive += u32(0x04034b50) + u16(45) + u16(0) + method + u32(0) + crc + sizes + u16(name.size()) +
               u16(local_extra.size()) + name + local_extra + data;
  }
  const uint64_t offset = archive.size();
  archive += directory;
  if (zip64) {
    const uint64_t end64 = archive.size();
    archive += u32(0x06064b50) + u64(44) + u16(45) + u16(45) + u32(0) + u32(0) + u64(members.size()) +
               u64(members.size()) + u64(directory.size()) + u64(offset) + u32(0x07064b50) + u32(0) + u64(end64) +
               u32(1);
  }
  return archive + u32(0x06054b50) + u16(0) + u16(0) + u16(members.size()) + u16(members.size()) +
         u32(directory.size()) + u32(zip64 ? ~0u : offset) + u16(0);
}

/// Files below a temporary folder.
class TestFolder {
 public:
  TestFolder() : folder_(*TempDir::Create(std::filesystem::temp_directory_path().string())) {}
  std::string path() const { return folder_.path(); }
  /// Writes a file (making folders) and returns its path.
  std::string Write(const std::string& name, const std::string& bytes) const {
    const std::filesystem::path path = std::filesystem::path(folder_.path()) / name;
    std::filesystem::create_directories(path.parent_path());
    std::filesystem::remove(path);  // some file systems flush a file that is cut to nothing and written again: slow
    std::ofstream(path, std::ios::binary) << bytes;
    return path.string();
  }

 private:
  TempDir folder_;
};

/// `bytes` cut short at every length, and with each byte changed in three ways: all are given to `read`, which must
/// come back.
template <typename Read>
void Damage(const std::string& bytes, const Read& read) {
  for (size_t length = 0; length < bytes.size(); ++length) read(bytes.substr(0, length));
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (const char flip : {char(0x01), char(0x80), char(0xff)}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      read(damaged);
    }
  }
}

}  // namespace preon::test

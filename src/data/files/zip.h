// The directory of a zip archive, as far as .npz files need it: members stored or deflated, zip64 included.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "data/files/random_access_file.h"

namespace preon {

/// Where one file's bytes are, plain or packed, inside another file.
struct ByteRange {
  uint64_t offset = 0;        ///< of the first stored byte
  uint64_t stored_bytes = 0;  ///< as they are in the file
  uint64_t size_bytes = 0;    ///< after unpacking
  bool deflated = false;
  std::optional<uint32_t> crc32 = std::nullopt;  ///< of the unpacked bytes, where the file says it
};

struct ZipMember {
  std::string name;
  ByteRange range;
};

/// Members in the archive's order; folders are left out. All ranges lie inside the file.
/// Errors: kDataMalformed (no archive, cut short), kDataUnsupported (encrypted, several volumes, another compression).
/// Source: PKWARE APPNOTE 6.3.10, 4.3.7 (local header), 4.3.12 (directory), 4.3.14-4.3.16 (zip64), 4.5.3 (zip64 field).
Result<std::vector<ZipMember>> ListZipMembers(const RandomAccessFile& file);

}  // namespace preon

// ByteReader: the unpacked bytes of a ByteRange, read front to back in any steps.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/status.h"
#include "data/files/random_access_file.h"
#include "data/files/zip.h"

namespace preon {

/// Not thread-safe. Offsets count unpacked bytes.
class ByteReader {
 public:
  virtual ~ByteReader() = default;
  /// Fills `to` with the bytes from `offset` on. Packed bytes can only be read forward: going back starts the
  /// unpacking again, going forward unpacks what lies between. Errors: kDataMalformed, kIoRead.
  virtual Status Read(uint64_t offset, std::span<std::byte> to) = 0;
};

/// Stored bytes are read straight into the caller's buffer; deflated ones through a window of fixed size.
std::unique_ptr<ByteReader> MakeByteReader(std::shared_ptr<const RandomAccessFile> file, const ByteRange& range);

/// The same, and compares the checksum, if the range has one. A part of a member of up to 64 MiB (deflated: 16) is
/// given out only after the whole has been checked; a larger member is checked when reads from its start on reach its
/// end, since to read all of it for a few samples would cost more than they do. What has been found undamaged is not
/// checked again by this process while the file stays as it is. `where` names the data in errors.
/// Errors: also kDataMalformed where the checksum differs. Cost: zlib's crc32, some GB/s.
std::unique_ptr<ByteReader> MakeCheckedReader(std::shared_ptr<const RandomAccessFile> file, const ByteRange& range,
                                              std::string where);

}  // namespace preon

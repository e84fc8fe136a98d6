#include "data/files/zip.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "base/file_kind.h"
#include "data/files/little_endian.h"

namespace preon {
namespace {

using Bytes = std::span<const std::byte>;

constexpr uint32_t kLocalHeader = 0x04034b50, kDirectoryEntry = 0x02014b50, kDirectoryEnd = 0x06054b50;
constexpr uint32_t kZip64End = 0x06064b50, kZip64Locator = 0x07064b50;
constexpr size_t kLocalHeaderBytes = 30, kDirectoryEntryBytes = 46, kDirectoryEndBytes = 22;
constexpr size_t kZip64EndBytes = 56, kZip64LocatorBytes = 20, kMaxCommentBytes = 0xffff;
constexpr uint32_t kInZip64 = 0xffffffff;    // "see the zip64 field" in place of a 32-bit size or offset
constexpr uint64_t kMaxDeflateRatio = 1032;  // deflate's best case: 258 bytes for two bits

struct Directory {
  uint64_t offset = 0, size_bytes = 0, entries = 0;
};

Status NoArchive(const RandomAccessFile& file) {
  std::array<std::byte, kKindBytes> bytes{};
  const std::span begin = std::span(bytes).first(std::min<uint64_t>(bytes.size(), file.size_bytes()));
  const bool read = file.ReadAt(0, begin).ok();
  const bool cut_short = begin.size() >= sizeof(uint32_t) && LittleEndian<uint32_t>(begin, 0) == kLocalHeader;
  const std::span known = read && !cut_short ? begin : begin.first(0);
  return Error(ErrorId::kDataMalformed, file.path(), ": not a zip archive, or cut short (",
               KindOrSize(known, file.size_bytes()), ")");
}

Status Damaged(const RandomAccessFile& file, std::string_view what) {
  return Error(ErrorId::kDataMalformed, file.path(), ": the zip archive is damaged: ", what);
}

Result<std::vector<std::byte>> ReadBytes(const RandomAccessFile& file, uint64_t offset, uint64_t size_bytes) {
  if (offset > file.size_bytes() || size_bytes > file.size_bytes() - offset) return NoArchive(file);
  std::vector<std::byte> bytes(size_bytes);
  PREON_RETURN_IF_ERROR(file.ReadAt(offset, bytes));
  return bytes;
}

// The end record stands at the very end, behind it at most a comment.
Result<Directory> FindDirectory(const RandomAccessFile& file) {
  const uint64_t tail_bytes = std::min<uint64_t>(file.size_bytes(), kDirectoryEndBytes + kMaxCommentBytes);
  const uint64_t tail_offset = file.size_bytes() - tail_bytes;
  PREON_ASSIGN_OR_RETURN(const std::vector<std::byte> tail, ReadBytes(file, tail_offset, tail_bytes));
  std::optional<size_t> end;
  for (size_t at = tail.size() < kDirectoryEndBytes ? 0 : tail.size() - kDirectoryEndBytes + 1; at-- > 0 && !end;) {
    if (LittleEndian<uint32_t>(tail, at) == kDirectoryEnd) end = at;
  }
  if (!end) return NoArchive(file);
  Directory directory{LittleEndian<uint32_t>(tail, *end + 16), LittleEndian<uint32_t>(tail, *end + 12),
                      LittleEndian<uint16_t>(tail, *end + 10)};
  if (LittleEndian<uint16_t>(tail, *end + 4) != 0 && LittleEndian<uint16_t>(tail, *end + 4) != 0xffff) {
    return Error(ErrorId::kDataUnsupported, file.path(), ": a zip archive in several volumes");
  }
  const uint64_t end_offset = tail_offset + *end;
  if (end_offset < kZip64LocatorBytes) return directory;
  PREON_ASSIGN_OR_RETURN(const std::vector<std::byte> locator,
                         ReadBytes(file, end_offset - kZip64LocatorBytes, kZip64LocatorBytes));
  if (LittleEndian<uint32_t>(locator, 0) != kZip64Locator) return directory;
  PREON_ASSIGN_OR_RETURN(const std::vector<std::byte> end64,
                         ReadBytes(file, LittleEndian<uint64_t>(locator, 8), kZip64EndBytes));
  if (LittleEndian<uint32_t>(end64, 0) != kZip64End) return Damaged(file, "no zip64 end record");
  return Directory{LittleEndian<uint64_t>(end64, 48), LittleEndian<uint64_t>(end64, 40),
                   LittleEndian<uint64_t>(end64, 32)};
}

// Replaces the sizes and the offset that did not fit 32 bits, in the order in which the field holds them.
void ApplyZip64Field(Bytes extra, ByteRange& range) {
  for (size_t at = 0; at + 4 <= extra.size();) {
    const uint16_t id = LittleEndian<uint16_t>(extra, at), size_bytes = LittleEndian<uint16_t>(extra, at + 2);
    at += 4;
    if (size_bytes > extra.size() - at) return;
    if (id == 1) {
      size_t field = at;
      for (uint64_t* value : {&range.size_bytes, &range.stored_bytes, &range.offset}) {
        if (*value != kInZip64 || field + 8 > at + size_bytes) continue;
        *value = LittleEndian<uint64_t>(extra, field);
        field += 8;
      }
    }
    at += size_bytes;
  }
}

// From the offset of a member's local header to that of its bytes.
Status LocateBytes(const RandomAccessFile& file, ZipMember& member) {
  ByteRange& range = member.range;
  PREON_ASSIGN_OR_RETURN(const std::vector<std::byte> header, ReadBytes(file, range.offset, kLocalHeaderBytes));
  if (LittleEndian<uint32_t>(header, 0) != kLocalHeader)
    return Damaged(file, "no header of member '" + member.name + "'");
  range.offset += kLocalHeaderBytes + LittleEndian<uint16_t>(header, 26) + LittleEndian<uint16_t>(header, 28);
  const bool inside = range.offset <= file.size_bytes() && range.stored_bytes <= file.size_bytes() - range.offset;
  const bool plausible = range.deflated ? range.size_bytes / kMaxDeflateRatio <= range.stored_bytes
                                        : range.size_bytes == range.stored_bytes;
  if (!inside || !plausible) return Damaged(file, "sizes of member '" + member.name + "'");
  return Status::Ok();
}

}  // namespace

Result<std::vector<ZipMember>> ListZipMembers(const RandomAccessFile& file) {
  PREON_ASSIGN_OR_RETURN(const Directory directory, FindDirectory(file));
  PREON_ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, ReadBytes(file, directory.offset, directory.size_bytes));
  std::vector<ZipMember> members;
  size_t at = 0;
  for (uint64_t entry = 0; entry < directory.entries; ++entry) {
    if (bytes.size() - at < kDirectoryEntryBytes || LittleEndian<uint32_t>(bytes, at) != kDirectoryEntry) {
      return Damaged(file, "its directory");
    }
    const Bytes fixed = Bytes(bytes).subspan(at, kDirectoryEntryBytes);
    const size_t name_bytes = LittleEndian<uint16_t>(fixed, 28), extra_bytes = LittleEndian<uint16_t>(fixed, 30);
    const size_t entry_bytes = kDirectoryEntryBytes + name_bytes + extra_bytes + LittleEndian<uint16_t>(fixed, 32);
    if (bytes.size() - at < entry_bytes) return Damaged(file, "its directory");
    ZipMember member;
    member.name.assign(reinterpret_cast<const char*>(bytes.data()) + at + kDirectoryEntryBytes, name_bytes);
    const uint16_t flags = LittleEndian<uint16_t>(fixed, 8), method = LittleEndian<uint16_t>(fixed, 10);
    member.range = {LittleEndian<uint32_t>(fixed, 42), LittleEndian<uint32_t>(fixed, 20),
                    LittleEndian<uint32_t>(fixed, 24), method == 8, LittleEndian<uint32_t>(fixed, 16)};
    ApplyZip64Field(Bytes(bytes).subspan(at + kDirectoryEntryBytes + name_bytes, extra_bytes), member.range);
    at += entry_bytes;
    if (member.name.ends_with('/')) continue;
    if ((flags & 1) != 0)
      return Error(ErrorId::kDataUnsupported, file.path(), ": member '", member.name, "' is encrypted");
    if (method != 0 && method != 8) {
      return Error(ErrorId::kDataUnsupported, file.path(), ": member '", member.name, "' has zip compression ", method,
                   ", wanted 0 (stored) or 8 (deflated)");
    }
    PREON_RETURN_IF_ERROR(LocateBytes(file, member));
    members.push_back(std::move(member));
  }
  return members;
}

}  // namespace preon

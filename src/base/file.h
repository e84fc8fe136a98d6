// Files: read whole, mapped.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "base/status.h"

namespace preon {

/// The file's bytes, mapped read-only; the mapping lives as long as a copy of `owner`.
struct MappedFile {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

/// Errors: kFileNotFound, also for a folder; kIoRead with the system's reason.
Result<std::string> ReadFile(const std::string& path);
/// The file's first bytes, in a place of the caller's; how many there are. Errors: as of ReadFile.
Result<size_t> ReadBegin(const std::string& path, std::span<std::byte> bytes);
Result<MappedFile> MapFile(const std::string& path);

/// Takes the whole pages of a part of a mapped file out of this process's memory; they come back when they are read.
void ForgetPages(std::span<const std::byte> mapped);
/// The same for all files that are mapped now.
void ForgetMappedFiles();
/// Says that so many bytes were read that are not needed soon: every 64 MiB of these, mapped files leave memory.
void HasReadMapped(size_t bytes);

}  // namespace preon

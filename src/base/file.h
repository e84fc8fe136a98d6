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

/// Errors: kIoRead with the system's reason.
Result<std::string> ReadFile(const std::string& path);
Result<MappedFile> MapFile(const std::string& path);

/// Takes the whole pages of a part of a mapped file out of this process's memory; they come back when they are read.
void ForgetPages(std::span<const std::byte> mapped);

}  // namespace preon

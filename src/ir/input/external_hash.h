// ContentHash: what stands for the bytes of an external-data file in a model's fingerprint.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace preon {

/// 32 hexadecimal digits of XXH3 over all bytes: some GB/s, since it is to find files that changed, not forgeries. A
/// file of the same inode, size and times is not read again by this process.
/// @param path    of the file that was mapped; one that is gone by now is hashed all the same
/// @param mapped  by MapFile; its pages are forgotten as they are read
std::string ContentHash(const std::string& path, std::span<const std::byte> mapped);

}  // namespace preon

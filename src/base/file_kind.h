// Files that are often in the place of another one, by their first bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace preon {

/// How a model begins that `preon encrypt` has made (base/cipher/sealed_file.h).
inline constexpr std::string_view kSealedBegin = "PREONENC";

/// How many of a file's first bytes tell.
inline constexpr size_t kKindBytes = 32;

/// What a file that can't be read is instead and what to do, as a clause ("it is a zip archive; unpack it first");
/// empty where its first bytes do not tell.
std::string_view WhatItIsInstead(std::span<const std::byte> bytes);

/// The same for parentheses in a message; "N bytes" where the first bytes do not tell. `begin`: the file's first bytes.
std::string KindOrSize(std::span<const std::byte> begin, uint64_t size_bytes);

}  // namespace preon

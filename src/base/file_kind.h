// Files that are often in the place of another one, by their first bytes.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace preon {

/// What a file that can't be read is instead and what to do, as a clause ("it is a zip archive; unpack it first");
/// empty where its first bytes do not tell.
std::string_view WhatItIsInstead(std::span<const std::byte> bytes);

}  // namespace preon

// Of which kind a setting's value is: those by AMD Quark's names and those of algorithms are described by it.
#pragma once

#include <cstdint>

namespace preon {

enum class KeyType : uint8_t {
  kFlag,
  kInteger,
  kNumber,
  kText,
  kTexts,    ///< JSON list of strings, or commas between them
  kNumbers,  ///< the same of numbers
  kTable,    ///< JSON object or list
  kObject,   ///< a thing of a program's, which no text can name
};

}  // namespace preon

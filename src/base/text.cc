#include "base/text.h"

#include <cmath>

namespace preon {

Result<int64_t> ParseCount(std::string_view text) {
  const size_t digits = text.find_last_not_of("kKMG") + 1;
  const std::string_view unit = text.substr(digits);
  const std::optional<double> number = ParseNumber<double>(text.substr(0, digits));
  const double factor = unit.empty() ? 1 : unit == "k" || unit == "K" ? 1e3 : unit == "M" ? 1e6 : unit == "G" ? 1e9 : 0;
  const double count = number.value_or(-1) * factor;
  if (factor == 0 || !(count >= 0 && count <= 1e15) || count != std::floor(count)) {
    return Error(ErrorId::kBadOptionValue, "got '", text, "', wanted a whole number, possibly with k, M or G");
  }
  return static_cast<int64_t>(count);
}

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (char c : text) {
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

std::string Printable(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string printable;
  for (size_t at = 0; at < text.size(); ++at) {
    auto byte = static_cast<unsigned char>(text[at]);
    // U+0080 to U+009F in UTF-8: C2 80 to C2 9F.
    const bool second_block = byte == 0xc2 && at + 1 < text.size() && (text[at + 1] & 0xe0) == 0x80;
    if (byte >= 0x20 && byte != 0x7f && !second_block) {
      printable += text[at];
      continue;
    }
    if (second_block) byte = static_cast<unsigned char>(text[++at]);
    switch (byte) {
      case '\n':
        printable += "\\n";
        break;
      case '\r':
        printable += "\\r";
        break;
      case '\t':
        printable += "\\t";
        break;
      default:
        printable += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return printable;
}

}  // namespace preon

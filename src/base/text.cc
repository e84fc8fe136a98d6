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

std::optional<double> ParseRatio(std::string_view text) {
  const size_t slash = text.find('/');
  const auto above = ParseNumber<double>(text.substr(0, slash));
  const auto below = slash == std::string_view::npos ? 1.0 : ParseNumber<double>(text.substr(slash + 1));
  if (!above || !below) return std::nullopt;
  const double ratio = *above / *below;
  // Neither x/0 nor the text "nan", which is a number to the parser.
  return std::isfinite(ratio) ? std::optional(ratio) : std::nullopt;
}

std::string Join(std::span<const std::string> words, std::string_view separator) {
  std::string text;
  for (const std::string& word : words) text += StrCat(text.empty() ? "" : separator, word);
  return text;
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

namespace {

/// A character in UTF-8 at the begin of `text`: its number and length in bytes; length 0 where there is none.
struct Character {
  uint32_t number = 0;
  size_t length = 0;
};

Character FirstCharacter(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1};
  const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return {};
  uint32_t number = lead & (0x7f >> length);
  for (size_t at = 1; at < length; ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if ((byte & 0xc0) != 0x80) return {};
    number = number << 6 | (byte & 0x3f);
  }
  constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = number >= 0xd800 && number <= 0xdfff;
  if (number < kSmallest[length] || number > 0x10ffff || is_surrogate) return {};
  return {number, length};
}

/// Control characters of both blocks; what separates lines or turns the direction of the text that follows.
bool SteersTerminals(uint32_t number) {
  return number < 0x20 || (number >= 0x7f && number < 0xa0) || (number >= 0x2028 && number <= 0x202e) ||
         (number >= 0x2066 && number <= 0x2069);
}

/// "\\x1b", "\\u202e".
std::string Escaped(uint32_t number) {
  if (number == '\n') return "\\n";
  if (number == '\r') return "\\r";
  if (number == '\t') return "\\t";
  constexpr char kHex[] = "0123456789abcdef";
  std::string text = number < 0x100 ? "\\x" : "\\u";
  for (int shift = number < 0x100 ? 4 : 12; shift >= 0; shift -= 4) text += kHex[number >> shift & 15];
  return text;
}

}  // namespace

std::string Printable(std::string_view text) {
  std::string printable;
  while (!text.empty()) {
    const Character character = FirstCharacter(text);
    const size_t length = std::max<size_t>(character.length, 1);
    if (character.length == 0) {
      printable += Escaped(static_cast<unsigned char>(text[0]));
    } else if (SteersTerminals(character.number)) {
      printable += Escaped(character.number);
    } else {
      printable += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return printable;
}

std::string ShellQuoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string ShellWord(std::string_view text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,%+@";
  const bool plain = !text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos;
  return plain ? std::string(text) : ShellQuoted(text);
}

}  // namespace preon

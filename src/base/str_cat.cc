#include "base/str_cat.h"

#include <charconv>
#include <cstdio>
#include <iterator>

namespace preon {

TextPart::TextPart(double number) : text_(number_, std::snprintf(number_, sizeof number_, "%g", number)) {}

void TextPart::Write(long long number) {
  text_ = std::string_view(number_, std::to_chars(std::begin(number_), std::end(number_), number).ptr);
}

void TextPart::Write(unsigned long long number) {
  text_ = std::string_view(number_, std::to_chars(std::begin(number_), std::end(number_), number).ptr);
}

std::string Concatenate(std::initializer_list<TextPart> parts) {
  size_t size = 0;
  for (const TextPart& part : parts) size += part.text().size();
  std::string text;
  text.reserve(size);
  for (const TextPart& part : parts) text += part.text();
  return text;
}

}  // namespace preon

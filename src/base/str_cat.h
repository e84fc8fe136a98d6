// Text put together from parts of any type. One function builds the text of all calls, so that a message costs its
// caller little code: messages are in every file.
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>

namespace preon {

/// A part of a text: itself, or a number in the words of a default std::ostream (six significant digits).
class TextPart {
 public:
  TextPart(std::string_view text) : text_(text) {}                  // NOLINT: implicit on purpose, as all of these
  TextPart(const std::string& text) : text_(text) {}                // NOLINT
  TextPart(const char* text) : text_(text) {}                       // NOLINT
  TextPart(char letter) : text_(number_, 1) { *number_ = letter; }  // NOLINT
  template <std::signed_integral T>
  TextPart(T number) {
    Write(static_cast<long long>(number));
  }  // NOLINT
  template <std::unsigned_integral T>
  TextPart(T number) {
    Write(static_cast<unsigned long long>(number));
  }  // NOLINT
  TextPart(double number);             // NOLINT
  TextPart(const TextPart&) = delete;  // a number's text lies inside
  TextPart& operator=(const TextPart&) = delete;

  std::string_view text() const { return text_; }

 private:
  void Write(long long number);
  void Write(unsigned long long number);

  char number_[24];
  std::string_view text_;
};

/// The texts, one behind the other.
std::string Concatenate(std::initializer_list<TextPart> parts);

/// The parts, one behind the other: StrCat("node '", name, "' has ", 3, " inputs").
template <typename... Parts>
std::string StrCat(const Parts&... parts) {
  return Concatenate({TextPart(parts)...});
}

}  // namespace preon

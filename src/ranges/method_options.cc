#include "ranges/method_options.h"

#include <algorithm>

#include "base/spelling.h"
#include "base/text.h"

namespace preon {
namespace {

std::string_view Trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::optional<double> NumberWithin(double low, double high, std::string_view text) {
  const std::optional<double> number = ParseNumber<double>(text);
  return number && *number >= low && *number <= high ? number : std::nullopt;
}

}  // namespace

std::optional<std::string> OptionReader::Take(std::string_view name) {
  known_.emplace_back(name);
  const auto found = std::find_if(unread_.begin(), unread_.end(),
                                  [&](const auto& option) { return ToLower(option.first) == ToLower(name); });
  if (found == unread_.end()) return std::nullopt;
  std::string value(Trim(found->second));
  unread_.erase(found);
  return value;
}

void OptionReader::Read(std::string_view name, bool* value) {
  const std::optional<std::string> text = Take(name);
  if (!text) return;
  const std::string lower = ToLower(*text);
  for (std::string_view yes : {"true", "1", "yes", "on"}) {
    if (lower == yes) return void(*value = true);
  }
  for (std::string_view no : {"false", "0", "no", "off"}) {
    if (lower == no) return void(*value = false);
  }
  FailValue(name, *text, "true or false");
}

void OptionReader::Read(std::string_view name, double low, double high, double* value) {
  const std::optional<std::string> text = Take(name);
  if (!text) return;
  const std::optional<double> number = NumberWithin(low, high, *text);
  if (!number) return FailValue(name, *text, StrCat("a number from ", low, " to ", high));
  *value = *number;
}

void OptionReader::Read(std::string_view name, size_t low, size_t high, size_t* value) {
  const std::optional<std::string> text = Take(name);
  if (!text) return;
  const std::optional<double> number = NumberWithin(static_cast<double>(low), static_cast<double>(high), *text);
  if (!number || *number != static_cast<double>(static_cast<size_t>(*number)))
    return FailValue(name, *text, StrCat("a whole number from ", low, " to ", high));
  *value = static_cast<size_t>(*number);
}

void OptionReader::Read(std::string_view name, double low, double high, std::vector<double>* value) {
  const std::optional<std::string> text = Take(name);
  if (!text) return;
  std::string_view rest = *text;
  if (rest.starts_with('[') && rest.ends_with(']')) rest = rest.substr(1, rest.size() - 2);
  value->clear();
  for (bool more = true; more;) {
    const size_t comma = rest.find(',');
    const std::optional<double> number = NumberWithin(low, high, Trim(rest.substr(0, comma)));
    if (!number) return FailValue(name, *text, StrCat("one or more numbers from ", low, " to ", high));
    value->push_back(*number);
    more = comma != std::string_view::npos;
    if (more) rest.remove_prefix(comma + 1);
  }
}

void OptionReader::Read(std::string_view name, std::string* value) {
  if (const std::optional<std::string> text = Take(name)) *value = ToLower(*text);
}

void OptionReader::ReadSymmetric(bool* value) {
  Read("symmetric", value);
  Read("CalibTensorRangeSymmetric", value);
}

void OptionReader::Refuse(std::string_view name, std::string_view usual, std::string_view why) {
  const std::optional<std::string> text = Take(name);
  if (!text || (!usual.empty() && ToLower(*text) == usual)) return;
  Fail(Error(ErrorId::kConflictingOptions, method_, ": option ", name, ": ", why)
           .WithHint("use --compat quark, which has the option and gives Quark's numbers"));
}

void OptionReader::RefuseNumBins() {
  Refuse("NumBins", "", "the histograms have a fixed number of bins, at least 2048 over the observed range");
}

void OptionReader::Fail(Status status) {
  if (first_error_.ok()) first_error_ = std::move(status);
}

void OptionReader::FailValue(std::string_view name, std::string_view got, std::string_view wanted) {
  Fail(Error(ErrorId::kBadOptionValue, method_, ": option ", name, ": got '", got, "', wanted ", wanted));
}

Status OptionReader::Finish() {
  if (!unread_.empty()) {
    const std::string& name = unread_.begin()->first;
    // WithOptions takes the option that every method has before these are read.
    known_.emplace_back("GraphAware");
    Fail(Error(ErrorId::kUnknownOption, method_, ": unknown option '", name, "'", DidYouMean(name, known_),
               " (known: ", JoinNames(known_), ")"));
  }
  return first_error_;
}

}  // namespace preon

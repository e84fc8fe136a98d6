#include "report/text_writer.h"

#include <cstdarg>
#include <cstdio>

namespace preon {

void TextWriter::Add(const char* format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  const int size = std::vsnprintf(nullptr, 0, format, args);
  va_end(args);
  const size_t old = text_.size();
  text_.resize(old + static_cast<size_t>(size) + 1);
  std::vsnprintf(text_.data() + old, static_cast<size_t>(size) + 1, format, again);
  va_end(again);
  text_.pop_back();
}

std::string BytesText(int64_t bytes) {
  const char* units[] = {"B", "kB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 999.5 && unit < 4; ++unit) value /= 1000;
  char text[32];
  std::snprintf(text, sizeof(text), unit == 0 || value >= 99.5 ? "%.0f %s" : "%.1f %s", value, units[unit]);
  return text;
}

std::string CountText(int64_t count, std::string_view noun) { return StrCat(count, ' ', noun, count == 1 ? "" : "s"); }

std::string SpeedText(const Speedup& speedup) {
  TextWriter text;
  text.Add("%.2f times the speed of float (%.2f to %.2f)", speedup.median, speedup.low, speedup.high);
  return text.Take();
}

std::string FigureText(const std::optional<double>& value, const char* format, double factor) {
  if (!value) return "-";
  char text[32];
  std::snprintf(text, sizeof(text), format, factor * *value);
  return text;
}

void AddFacts(TextWriter& out, const RunFacts& facts) {
  out.Add("  time        %.2f s", facts.total_seconds);
  for (size_t stage = 0; stage < facts.seconds.size(); ++stage) {
    out.Add("%s%s %.2f", stage == 0 ? " (" : ", ", facts.seconds[stage].first.c_str(), facts.seconds[stage].second);
  }
  out.Add("%s\n  memory      %s\n", facts.seconds.empty() ? "" : ")", BytesText(facts.peak_rss_bytes).c_str());
}

}  // namespace preon

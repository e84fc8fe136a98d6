#include "report/text_writer.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

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

std::string ShownName(std::string_view name) {
  if (!name.starts_with(kAsGiven)) return std::string(name);
  return StrCat("quantize with these options", name.substr(kAsGiven.size()));
}

std::string LargeNumberText(double count) {
  const char* units[] = {"", " thousand", " million", " billion", " trillion"};
  size_t unit = 0;
  for (; count >= 999.5 && unit < 4; ++unit) count /= 1000;
  return FigureText(count, unit == 0 || count >= 99.95 ? "%.0f" : "%.1f") + units[unit];
}

std::string SqnrText(double sqnr_db) { return sqnr_db >= kExactSqnrDb ? "equal" : FigureText(sqnr_db, "%.1f dB"); }

std::string LossText(double loss, const std::optional<ConfidenceInterval>& interval, const char* format,
                     std::string_view unit, double factor) {
  const double sign = loss < 0 ? -1 : 1;
  std::optional<ConfidenceInterval> shown = interval;
  if (interval && sign < 0) shown = ConfidenceInterval{-interval->high, -interval->low};
  return StrCat(FigureText(sign * loss, format, factor), ' ', unit, IntervalText(shown, format, factor));
}

std::string SpeedText(const Speedup& speedup, std::string_view reference) {
  TextWriter text;
  text.Add("%.2f times the speed of %s (%.2f to %.2f)", speedup.median, std::string(reference).c_str(), speedup.low,
           speedup.high);
  return text.Take();
}

std::string FigureText(const std::optional<double>& value, const char* format, double factor) {
  if (!value) return "-";
  char text[32];
  std::snprintf(text, sizeof(text), format, factor * *value);
  const bool is_zero = std::strtod(text, nullptr) == 0;
  return text[0] == '-' && is_zero ? text + 1 : text;
}

void AddFacts(TextWriter& out, const RunFacts& facts) {
  out.Add("  time        %.2f s", facts.total_seconds);
  for (size_t stage = 0; stage < facts.seconds.size(); ++stage) {
    out.Add("%s%s %.2f", stage == 0 ? " (" : ", ", facts.seconds[stage].first.c_str(), facts.seconds[stage].second);
  }
  out.Add("%s\n  memory      %s\n", facts.seconds.empty() ? "" : ")", BytesText(facts.peak_rss_bytes).c_str());
}

std::string IntervalText(const std::optional<ConfidenceInterval>& interval, const char* format, double factor) {
  if (!interval) return "";
  return StrCat(" (", FigureText(interval->low, format, factor), " to ", FigureText(interval->high, format, factor),
                ")");
}

void AddComparison(TextWriter& out, const Comparison& compare) {
  constexpr size_t kMaxOutputs = 8;
  size_t shown = 0;
  for (const auto& [name, output] : compare.outputs) {
    if (++shown > kMaxOutputs) {
      out.Add("              and %zu more outputs (all with --json)\n", compare.outputs.size() - kMaxOutputs);
      break;
    }
    out.Add("  %-11s '%s': ", shown == 1 ? "error" : "", Printable(name).c_str());
    if (output.left_out) {
      out.Add("not compared");
    } else if (output.sqnr_db >= kExactSqnrDb) {
      out.Add(output.not_finite > 0 ? "equal where finite" : "equal");
    } else if (output.equal_share) {
      out.Add("%.1f %% of its values are equal, largest difference %.3g", 100 * *output.equal_share, output.max_abs);
    } else {
      out.Add("SQNR %s%s", FigureText(output.sqnr_db, "%.1f dB").c_str(),
              IntervalText(output.sqnr_interval, "%.1f").c_str());
      if (output.ranked) out.Add(", boxes weighted by their scores");
      if (output.scores_sqnr_db) out.Add(", SQNR of its scores alone %.1f dB", *output.scores_sqnr_db);
      out.Add(", cosine %.5f, L2 %.3g, largest difference %.3g", output.cosine, output.l2, output.max_abs);
    }
    if (output.not_finite > 0)
      out.Add(", %lld values became NaN or infinite", static_cast<long long>(output.not_finite));
    if (output.shape_differs > 0) out.Add(", shape differs in %s", CountText(output.shape_differs, "run").c_str());
    out.Add("\n");
  }
  if (compare.argmax_agreement) {
    out.Add("  agreement   %.1f %%%s of the top classes are the same ('%s')\n", 100 * *compare.argmax_agreement,
            IntervalText(compare.agreement_interval, "%.1f", 100).c_str(), Printable(compare.class_output).c_str());
  }
  if (compare.reference_accuracy && compare.other_accuracy) {
    out.Add("  accuracy    top-1 %.1f %% -> %.1f %%, top-5 %.1f %% -> %.1f %%\n",
            100 * compare.reference_accuracy->top1, 100 * compare.other_accuracy->top1,
            100 * compare.reference_accuracy->top5, 100 * compare.other_accuracy->top5);
    const double drop = compare.reference_accuracy->top1 - compare.other_accuracy->top1;
    if (compare.drop_interval)
      out.Add("              %s\n",
              LossText(drop, compare.drop_interval, "%.1f", drop < 0 ? "points higher" : "points lower", 100).c_str());
  }
}

void AddLatency(TextWriter& out, const LatencyPair& latency, std::string_view reference) {
  const Speedup& speedup = latency.speedup;
  if (speedup.median <= 0) return;
  out.Add("  speed       %s%s\n", SpeedText(speedup, reference).c_str(),
          speedup.busy ? "; not reliable: the machine was busy" : "");
  out.Add("  latency     %.3f ms -> %.3f ms per run of %s (medians; p90 %.3f ms -> %.3f ms)%s\n", latency.reference.p50,
          latency.other.p50, CountText(latency.threads, "thread").c_str(), latency.reference.p90, latency.other.p90,
          speedup.of_processor_time
              ? "; other programs were running, so the speed compares processor times, not these latencies"
              : "");
}

void AddRequirements(TextWriter& out, const std::vector<RequirementOutcome>& outcomes) {
  for (const RequirementOutcome& outcome : outcomes)
    out.Add("  required    %s: %s, %s\n", Printable(outcome.requirement).c_str(), outcome.measured.c_str(),
            outcome.holds ? "holds" : "does not hold");
}

void AddAlarms(TextWriter& out, const std::vector<Alarm>& alarms) {
  for (const Alarm& alarm : alarms) out.Add("  ALARM       %s\n", Printable(alarm.message).c_str());
}

void AddWarnings(TextWriter& out, const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) out.Add("  warning     %s\n", Printable(warning).c_str());
}

}  // namespace preon

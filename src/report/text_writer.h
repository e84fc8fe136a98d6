// TextWriter: what the text forms of all results are put together with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "report/results/results.h"

namespace preon {

/// Appends printf-formatted text to a string.
class TextWriter {
 public:
  __attribute__((format(printf, 2, 3))) void Add(const char* format, ...);
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

/// "13.9 MB" (powers of 1000).
std::string BytesText(int64_t bytes);
/// "1 sample", "2 samples".
std::string CountText(int64_t count, std::string_view noun);
/// How a model of ValidateResult is named in texts: what quantize makes "as given" has no file that a user knows.
std::string ShownName(std::string_view name);
/// "18.2 million".
std::string LargeNumberText(double count);
/// "20.3 dB"; "equal" where there is no error at all.
std::string SqnrText(double sqnr_db);
/// "0.7 points lower (0.1 to 1.4)". Of a loss below 0 the gain, with the interval of the gain.
/// @param unit  behind the number, which `format` writes
std::string LossText(double loss, const std::optional<ConfidenceInterval>& interval, const char* format,
                     std::string_view unit, double factor = 1);
/// "1.52 times the speed of float (1.40 to 1.61)".
/// @param reference  what the model is compared with
std::string SpeedText(const Speedup& speedup, std::string_view reference = "float");
/// "-" for a figure that is not there.
std::string FigureText(const std::optional<double>& value, const char* format, double factor = 1);
/// " (1.2 to 3.4)"; nothing for an interval that is not there.
std::string IntervalText(const std::optional<ConfidenceInterval>& interval, const char* format, double factor = 1);
/// The lines "time" and "memory".
void AddFacts(TextWriter& out, const RunFacts& facts);
/// The lines "error", "agreement" and "accuracy".
void AddComparison(TextWriter& out, const Comparison& compare);
/// The lines "speed" and "latency"; nothing where it was not measured.
/// @param reference  what the model is compared with
void AddLatency(TextWriter& out, const LatencyPair& latency, std::string_view reference = "float");
void AddRequirements(TextWriter& out, const std::vector<RequirementOutcome>& outcomes);
/// Behind everything else, so that nobody misses them.
void AddAlarms(TextWriter& out, const std::vector<Alarm>& alarms);
void AddWarnings(TextWriter& out, const std::vector<std::string>& warnings);

}  // namespace preon

#include "pipeline/gain.h"

#include <cstdio>

#include "base/text.h"
#include "report/text_writer.h"

namespace preon {
namespace {

// What names and scales of a few Q/DQ nodes take; a file takes that much on a disk anyway.
constexpr int64_t kFewBytes = 4096;

// Saving less than this changes nothing beside the size of the runtime: such a result must not seem slower.
constexpr int64_t kNoticeableBytes = 65'536;

// Below, classes and boxes get lost (docs/design/fallback.md).
constexpr double kFarFromFloatDb = 20;
constexpr double kWideDb = 6;  // of an interval: samples differ much

// A share of the work and of the file that nobody would quantize a model for.
constexpr double kHardlyAny = 0.05;

// That little can't make a model faster by more, whatever a measurement says.
bool HardlyAnythingGains(const ResultFigures& figures) {
  const double share = figures.integer_macs_share;
  const auto before = static_cast<double>(figures.float_size_bytes);
  const auto after = static_cast<double>(figures.quantized_size_bytes);
  return share > 0 && share < kHardlyAny && after > (1 - kHardlyAny) * before;
}

// Another target's result has to be nearer to float by half the error, and about as fast: it was not asked for.
constexpr double kNearerDb = 3, kAsFast = 0.9;

bool IsKnown(const Speedup& speedup) { return speedup.median > 0 && !speedup.busy; }

// The speed as one clause where it is measured to be below that of float.
std::string WhyProbablySlower(const Speedup& speedup) {
  return IsKnown(speedup) && speedup.median < 1 ? StrCat("it runs at ", SpeedText(speedup)) : "";
}

std::string SqnrClause(double sqnr_db, const std::optional<ConfidenceInterval>& interval = {}) {
  TextWriter text;
  text.Add("its SQNR is %.1f dB", sqnr_db);
  if (interval) text.Add(" (%.1f to %.1f)", interval->low, interval->high);
  return text.Take();
}

}  // namespace

std::string WhyNothingIsGained(const ResultFigures& figures, Doubt doubt) {
  if (!figures.has_integer_nodes) return "no node runs in integers";
  if (HardlyAnythingGains(figures)) {
    char text[112];
    std::snprintf(text, sizeof(text),
                  "only %.1f %% of the multiply-accumulates run in integers, and the file is hardly smaller",
                  100 * figures.integer_macs_share);
    return text;
  }
  const Speedup& speedup = figures.speedup;
  const bool knows_speed = IsKnown(speedup);
  const bool is_faster = knows_speed && speedup.low > 1;
  const int64_t more = figures.quantized_size_bytes - figures.float_size_bytes;
  const bool may_be_larger = is_faster || (!knows_speed && doubt == Doubt::kIsNoLoss);
  if (more > (may_be_larger ? kFewBytes : 0)) {
    const std::string sizes = StrCat("the file is larger, ", BytesText(figures.quantized_size_bytes), " instead of ",
                                     BytesText(figures.float_size_bytes));
    return more <= kFewBytes && knows_speed ? StrCat(sizes, ", at ", SpeedText(speedup)) : sizes;
  }
  const bool is_slower = doubt == Doubt::kIsNoGain || speedup.high < 1 || -more < kNoticeableBytes;
  return is_slower ? WhyProbablySlower(speedup) : "";
}

std::string WhyInDoubt(const TargetFigures& first) {
  if (!IsKnown(first.speedup)) return "";
  if (std::string slower = WhyProbablySlower(first.speedup); !slower.empty()) return slower;
  if (first.sqnr_db >= kFarFromFloatDb || !first.sqnr_interval) return "";
  const bool differ = first.sqnr_interval->high - first.sqnr_interval->low >= kWideDb;
  return differ ? SqnrClause(first.sqnr_db, first.sqnr_interval) : "";
}

std::string WhyNotInstead(const TargetFigures& first, const TargetFigures& other) {
  if (IsKnown(first.speedup) && first.speedup.median < 1) return "";
  if (other.sqnr_db < first.sqnr_db + kNearerDb) return SqnrClause(other.sqnr_db);
  if (!IsKnown(other.speedup)) return "its speed is not known";
  return other.speedup.median < kAsFast * first.speedup.median ? StrCat("it runs at ", SpeedText(other.speedup)) : "";
}

}  // namespace preon

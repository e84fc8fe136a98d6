#include "pipeline/gain.h"

#include <algorithm>

#include "base/text.h"
#include "quantize/plan/nothing_left.h"
#include "report/text_writer.h"

namespace preon {
namespace {

// What names and scales of a few Q/DQ nodes take; a file takes that much on a disk anyway.
constexpr int64_t kFewBytes = 4096;

// Saving less than this changes nothing beside the size of the runtime: such a result must be faster, surely or by
// this.
constexpr int64_t kNoticeableBytes = 65'536;
constexpr double kNoticeablyFaster = 1.05;

constexpr double kWideDb = 6;  // of an interval: samples differ much

// A share of the work and of the file that nobody would quantize a model for.
constexpr double kHardlyAny = 0.05;

// That little can't make a model faster by more, whatever a measurement says.
bool HardlyAnythingGains(std::optional<double> integer_share, int64_t before, int64_t after) {
  if (integer_share.value_or(1) >= kHardlyAny) return false;
  return static_cast<double>(after) > (1 - kHardlyAny) * static_cast<double>(before);
}

// Another target's result has to be nearer to float by half the error, and about as fast; or good and faster.
constexpr double kNearerDb = 3, kAboutAsFast = 0.9, kGoodDb = 30;
constexpr int64_t kShareThatMayBeMore = 8;  // of the file: speed counts more than that
constexpr double kClearlyFaster = 1.1;      // than measurements differ by chance, where it is farther from float
constexpr double kMuchNearerDb = 10;        // whatever the speed, where it is not known
constexpr double kHardlyUsableDb = 15;      // much nearer is worth more than speed
constexpr double kMostlyFloat = 0.5;

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

// Beside a lost output: classes are not those of float either.
constexpr double kFewAgree = 0.9;

bool IsLost(std::optional<double> sqnr_db, std::optional<double> agreement) {
  return sqnr_db && *sqnr_db < kLostDb && agreement.value_or(0) < kFewAgree;
}

std::string IntegerShareClause(double share) {
  TextWriter text;
  text.Add("only %.1f %% of the multiply-accumulates run in integers", 100 * share);
  return text.Take();
}

bool IsFarForSome(const TargetFigures& figures) {
  const std::optional<ConfidenceInterval>& interval = figures.sqnr_interval;
  return figures.sqnr_db < kPoorDb && interval && interval->high - interval->low >= kWideDb;
}

bool IsMostlyFloat(const TargetFigures& figures) {
  return figures.integer_macs_share > 0 && figures.integer_macs_share < kMostlyFloat;
}

// Whatever the speed, where it is not known: more work in integers, and nearer to float.
bool IsProbablyBetter(const TargetFigures& first, const TargetFigures& other) {
  return IsMostlyFloat(first) && other.integer_macs_share > first.integer_macs_share &&
         other.sqnr_db >= first.sqnr_db + kNearerDb;
}

bool ComputesInFloat16(const Graph& graph) {
  const auto is_half = [&](const auto& node) {
    return std::ranges::any_of(node->outputs(),
                               [&](const std::string& output) { return graph.TypeOf(output) == DataType::kFloat16; });
  };
  return std::ranges::any_of(graph.nodes(), is_half);
}

}  // namespace

std::string WhyNothingIsGained(const ResultFigures& figures, Doubt doubt) {
  if (!figures.has_integer_nodes) return "no node runs in integers";
  if (HardlyAnythingGains(figures.integer_macs_share, figures.float_size_bytes, figures.quantized_size_bytes))
    return StrCat(IntegerShareClause(*figures.integer_macs_share), ", and the file is hardly smaller");
  if (IsLost(figures.sqnr_db, figures.agreement))
    return StrCat("the outputs are too far from float: ", SqnrClause(*figures.sqnr_db));
  const Speedup& speedup = figures.speedup;
  const bool knows_speed = IsKnown(speedup);
  const bool is_faster = knows_speed && speedup.low > 1;
  const int64_t more = figures.quantized_size_bytes - figures.float_size_bytes;
  const bool may_be_larger = is_faster || (!knows_speed && doubt == Doubt::kIsNoLoss);
  if (more > (may_be_larger ? kFewBytes : 0)) {
    const std::string sizes = StrCat("the file is larger, ", BytesText(figures.quantized_size_bytes), " instead of ",
                                     BytesText(figures.float_size_bytes));
    return knows_speed ? StrCat(sizes, is_faster ? ", although it runs at " : ", at ", SpeedText(speedup)) : sizes;
  }
  if (-more < kNoticeableBytes && knows_speed && !is_faster && speedup.median < kNoticeablyFaster)
    return StrCat("the file is hardly smaller, and it runs at ", SpeedText(speedup));
  const bool is_slower = doubt == Doubt::kIsNoGain || speedup.high < 1;
  return is_slower ? WhyProbablySlower(speedup) : "";
}

std::string WhyInDoubt(const TargetFigures& first) {
  if (std::string slower = WhyProbablySlower(first.speedup); !slower.empty()) return slower;
  if (IsFarForSome(first)) return SqnrClause(first.sqnr_db, first.sqnr_interval);
  return IsMostlyFloat(first) ? IntegerShareClause(first.integer_macs_share) : "";
}

std::string WhyNotInstead(const TargetFigures& first, const TargetFigures& other) {
  const int64_t largest = first.size_bytes + first.size_bytes / kShareThatMayBeMore;
  if (first.size_bytes > 0 && other.size_bytes > largest)
    return StrCat("the file is larger, ", BytesText(other.size_bytes), " instead of ", BytesText(first.size_bytes));
  if (IsKnown(first.speedup) && first.speedup.median < 1) return "";
  const bool is_far = IsFarForSome(first);
  const double least_db = is_far ? first.sqnr_db + kNearerDb : std::min(first.sqnr_db, kGoodDb);
  if (other.sqnr_db < least_db) return SqnrClause(other.sqnr_db);
  if (!IsKnown(first.speedup) || !IsKnown(other.speedup)) {
    const double gain_db = other.sqnr_db - first.sqnr_db;
    return (is_far && gain_db >= kMuchNearerDb) || IsProbablyBetter(first, other) ? "" : "its speed is not known";
  }
  const bool is_rescued = first.sqnr_db < kHardlyUsableDb && other.sqnr_db >= first.sqnr_db + kMuchNearerDb;
  const bool is_farther = other.sqnr_db < first.sqnr_db - kNearerDb;
  const double share = is_far ? kAboutAsFast : is_farther ? kClearlyFaster : 1;
  const double least_speed = is_rescued ? 1 : share * first.speedup.median;
  return other.speedup.median < least_speed ? StrCat("it runs at ", SpeedText(other.speedup)) : "";
}

std::string WarningOfBusySpeed(const Speedup& speedup) {
  if (!speedup.busy || !(speedup.median > 0 && speedup.median < 1)) return "";
  return StrCat("measured slower than float on a busy machine, ", SpeedText(speedup),
                ": this speed was ignored; measure again with preon compare while no other program runs");
}

Status NothingToQuantize(const QuantPlan& plan, const Graph& graph, size_t source_nodes, const Target& target,
                         std::optional<Float16> float16) {
  Status left = NothingLeft(plan, source_nodes, target.QuantizesActivations());
  std::vector<std::string> hints = plan.warnings;
  if (!left.hint().empty()) hints.push_back(left.hint());
  if (float16 == Float16::kOff && ComputesInFloat16(graph))
    hints.emplace_back(
        "QuantizeFP16=false (--float16 off) leaves float16 nodes as they are; without it they are quantized");
  if (const std::string optimized = AdviceForOptimized(graph); hints.empty() && !optimized.empty())
    hints.push_back(optimized);
  std::string hint;
  for (const std::string& each : hints) hint += (hint.empty() ? "" : "; ") + each;
  return std::move(left).WithHint(std::move(hint));
}

}  // namespace preon

#include "decide/alarm.h"

#include <algorithm>

#include "base/str_cat.h"
#include "decide/number_text.h"

namespace preon {
namespace {

constexpr double kLowSqnrDb = 10, kLowAgreement = 0.9;
// Nearer to float nothing of weight is cut off: values within a code of the end (a Sigmoid's near 0) stand at it.
constexpr double kCutsOffDb = 40;
// A file that is hardly smaller than float's, where its types promise less than half of that; little files have names
// and scales, too.
constexpr double kHardlySmaller = 0.85, kPromisedLess = 0.5;
constexpr int64_t kLittleBytes = 131'072;

class AlarmList {
 public:
  template <typename... Parts>
  void Add(std::string_view id, const Parts&... parts) {
    alarms_.push_back({std::string(id), StrCat(parts...)});
  }
  std::vector<Alarm> Take() { return std::move(alarms_); }

 private:
  std::vector<Alarm> alarms_;
};

// "" where the file is about as small as its types promise.
std::string WhyLarge(const AlarmFigures& figures) {
  const StoredWeights& stored = figures.stored;
  // A weight that several nodes read counts once in the file.
  const int64_t saved = stored.float_model_bytes * (32 - stored.bits) / 32;
  const int64_t promised = std::max(figures.float_size_bytes - saved, figures.float_size_bytes * stored.bits / 32);
  const auto floats = static_cast<double>(figures.float_size_bytes);
  const auto size = static_cast<double>(figures.quantized_size_bytes);
  if (floats == 0 || static_cast<double>(promised) >= kPromisedLess * floats || size <= kHardlySmaller * floats ||
      figures.quantized_size_bytes <= promised + kLittleBytes)
    return "";
  return StrCat("the file has ", figures.quantized_size_bytes, " bytes, where weights of ", stored.bits,
                " bits promise ", promised,
                stored.largest_float.empty()
                    ? ""
                    : StrCat("; the largest weight that is still float is '", stored.largest_float, "' with ",
                             stored.largest_float_bytes, " bytes"));
}

}  // namespace

std::vector<Alarm> FindAlarms(const AlarmFigures& figures) {
  AlarmList alarms;
  const Comparison& compare = figures.compare;
  // Of boxes that a detector has sorted, the least certain ones change places with any error, and their classes, too.
  const bool has_ranked = std::ranges::any_of(compare.outputs, [](const auto& output) { return output.second.ranked; });
  for (const auto& [name, output] : compare.outputs) {
    if (output.left_out) continue;
    if (output.not_finite > 0)
      alarms.Add("not_finite", "output '", name, "': ", output.not_finite, " values became NaN or infinite");
    if (output.constant) {
      alarms.Add("constant_output", "output '", name, "' is the same for all samples; the float model's changes");
      continue;
    }
    if (output.equal_share) {
      if (*output.equal_share < kLowAgreement && !has_ranked)
        alarms.Add("low_agreement", "output '", name, "': only ", NumberText("%.1f", 100 * *output.equal_share),
                   " % of its values are equal to those of the float model");
      continue;
    }
    if (output.sqnr_db < kLowSqnrDb)
      alarms.Add("low_sqnr", "output '", name, "': SQNR ", NumberText("%.1f", output.sqnr_db), " dB, below ",
                 NumberText("%.0f", kLowSqnrDb), ": the error is more than a third of the signal");
    else if (const auto& interval = output.sqnr_interval;
             interval && interval->low < (output.sqnr_db < kPoorDb ? kLostDb : 0))
      alarms.Add("low_sqnr", "output '", name, "': SQNR ", NumberText("%.1f", output.sqnr_db), " dB here, but other ",
                 "samples may give ", NumberText("%.1f", interval->low), " dB: samples differ much; use more of them");
    if (output.scores_sqnr_db && *output.scores_sqnr_db < kLowSqnrDb)
      alarms.Add("low_scores", "output '", name, "': SQNR of its scores ", NumberText("%.1f", *output.scores_sqnr_db),
                 " dB, below ", NumberText("%.0f", kLowSqnrDb),
                 ": boxes are lost even where the coordinates are right");
    if (output.saturated_share > 0 && output.sqnr_db < kCutsOffDb)
      alarms.Add("saturated_output", "output '", name, "': ", NumberText("%.0f", 100 * output.saturated_share),
                 " % of its values are at the end of the range; the float model's are not");
  }
  if (compare.argmax_agreement && *compare.argmax_agreement < kLowAgreement)
    alarms.Add("low_agreement", "only ", NumberText("%.1f", 100 * *compare.argmax_agreement),
               " % of the samples have the top class of the float model");
  const Speedup& speedup = figures.speedup;
  if (speedup.median > 0 && !speedup.busy && speedup.high < 1)
    alarms.Add("slower", "slower than the float model: ", NumberText("%.2f", speedup.median), " times its speed (",
               NumberText("%.2f", speedup.low), " to ", NumberText("%.2f", speedup.high),
               "); preon lint lists causes that it knows");
  if (const std::string large = WhyLarge(figures); !large.empty()) alarms.Add("large_file", large);
  return alarms.Take();
}

}  // namespace preon

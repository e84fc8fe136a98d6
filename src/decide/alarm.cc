#include "decide/alarm.h"

#include "base/str_cat.h"
#include "decide/number_text.h"

namespace preon {
namespace {

constexpr double kLowSqnrDb = 10, kLowAgreement = 0.9;
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

}  // namespace

std::vector<Alarm> FindAlarms(const AlarmFigures& figures) {
  AlarmList alarms;
  const Comparison& compare = figures.compare;
  for (const auto& [name, output] : compare.outputs) {
    if (output.left_out) continue;
    if (output.constant) {
      alarms.Add("constant_output", "output '", name, "' is the same for all samples; the float model's changes");
      continue;
    }
    if (output.sqnr_db < kLowSqnrDb)
      alarms.Add("low_sqnr", "output '", name, "': SQNR ", NumberText("%.1f", output.sqnr_db), " dB, below ",
                 NumberText("%.0f", kLowSqnrDb), ": the error is more than a third of the signal");
    if (output.saturated_share > 0)
      alarms.Add("saturated_output", "output '", name, "': ", NumberText("%.0f", 100 * output.saturated_share),
                 " % of its values are at the end of the range; the float model's are not");
  }
  if (compare.argmax_agreement && *compare.argmax_agreement < kLowAgreement)
    alarms.Add("low_agreement", "only ", NumberText("%.1f", 100 * *compare.argmax_agreement),
               " % of the samples have the top class of the float model");
  const Speedup& speedup = figures.speedup;
  if (speedup.median > 0 && !speedup.busy && speedup.high < 1)
    alarms.Add("slower", "slower than the float model: ", NumberText("%.2f", speedup.median), " times its speed (",
               NumberText("%.2f", speedup.low), " to ", NumberText("%.2f", speedup.high), "); preon lint says why");
  const double promised = static_cast<double>(figures.float_size_bytes) * static_cast<double>(figures.weight_bits) / 32;
  const auto size = static_cast<double>(figures.quantized_size_bytes);
  if (figures.float_size_bytes > 0 && promised < kPromisedLess * static_cast<double>(figures.float_size_bytes) &&
      size > kHardlySmaller * static_cast<double>(figures.float_size_bytes) && size > promised + kLittleBytes) {
    const std::string why = figures.largest_float_weight.empty()
                                ? ""
                                : StrCat("; the largest weight that is still float is '", figures.largest_float_weight,
                                         "' with ", figures.largest_float_weight_bytes, " bytes");
    alarms.Add("large_file", "the file has ", figures.quantized_size_bytes, " bytes, where weights of ",
               figures.weight_bits, " bits promise ", static_cast<int64_t>(promised), why);
  }
  return alarms.Take();
}

}  // namespace preon

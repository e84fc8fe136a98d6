#include "report/figures_text.h"

#include <algorithm>

#include "report/text_writer.h"

namespace preon {

std::string MetricValueText(MetricUnit unit, double value) {
  const MetricUnitText& text = TextOf(unit);
  return FigureText(value, text.value_format, text.factor);
}

std::string MetricLossText(MetricUnit unit, double loss, const std::optional<ConfidenceInterval>& interval,
                           std::string_view of) {
  const MetricUnitText& text = TextOf(unit);
  return LossText(loss, interval, text.loss_format, StrCat(text.loss_word, of), text.factor);
}

std::string_view FigureOriginName(FigureOrigin origin) {
  switch (origin) {
    case FigureOrigin::kEvalData:
      return "eval_data";
    case FigureOrigin::kHeldOut:
      return "held_out";
    case FigureOrigin::kRangesHaveSeen:
      return "ranges_have_seen";
    case FigureOrigin::kRangesMayHaveSeen:
      return "ranges_may_have_seen";
    case FigureOrigin::kCrossValidation:
      return "cross_validation";
    case FigureOrigin::kCalibration:
      return "calibration";
    case FigureOrigin::kMadeUp:
      return "random";
    case FigureOrigin::kNothing:
      return "none";
  }
  return "";
}

std::string FiguresText(const FigureSamples& figures, int64_t samples) {
  const auto with = [&](std::string_view what) {
    return StrCat(CountText(samples, "sample"), what, "; 95 % intervals in parentheses");
  };
  switch (figures.origin) {
    case FigureOrigin::kEvalData:
      return with(" of --eval-data, not used for calibration or choices");
    case FigureOrigin::kHeldOut:
      return with(" not used for calibration or choices");
    case FigureOrigin::kRangesHaveSeen:
      return with(" not used for choices or fitted codes; calibration used them");
    case FigureOrigin::kRangesMayHaveSeen:
      return with(" not used for choices; the file of statistics or ranges may have been made with them");
    case FigureOrigin::kCrossValidation:
      return with(" of the calibration, by models whose ranges were made without them; all were used for choices");
    case FigureOrigin::kCalibration:
      return StrCat("the samples that ranges or codes were made with, so other samples may give worse figures",
                    figures.too_few ? " (with 24 samples or more, some are kept for this)" : "");
    case FigureOrigin::kMadeUp:
      return "random values: not meaningful";
    case FigureOrigin::kNothing:
      return "nothing: there are no samples, and the weights are above 1 GiB; --data compares with float";
  }
  return "";
}

std::string MethodsText(const std::vector<ValidatedModel>& models) {
  const auto is_fast = [](const ValidatedModel& model) { return model.options.ends_with(" --effort fast"); };
  return std::ranges::none_of(models, is_fast) ? ""
                                               : "single methods are quantized with --effort fast, which fits no codes "
                                                 "of weights: quantize --method NAME "
                                                 "may come nearer to float";
}

}  // namespace preon

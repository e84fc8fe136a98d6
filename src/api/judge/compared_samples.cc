#include "api/judge/compared_samples.h"

#include "api/judge/judging_samples.h"
#include "data/held_out.h"

namespace preon {
namespace {

// Samples that are not in `seen`; -1 where nobody knows before all are read.
Result<int64_t> CountWithout(const SampleRuns& seen, const Samples& samples, const std::vector<TensorSpec>& inputs) {
  PREON_ASSIGN_OR_RETURN(const std::unique_ptr<DataSource> rest, samples.open(inputs, {.seen = seen}));
  return rest->SampleCount().value_or(-1);
}

// Some samples are kept from those that codes are fitted to, as from a calibration.
Result<ComparedSamples> KeepFromFitting(const Samples& samples, const std::vector<TensorSpec>& inputs,
                                        ComparedSamples compared) {
  PREON_ASSIGN_OR_RETURN(SplitSamples split, SplitOf(samples, inputs));
  compared.given = CountSamples(split.used) + CountSamples(split.held_out);
  if (CountSamples(split.held_out) < kLeastHeldOut) {
    compared.figures.origin = FigureOrigin::kCalibration;
    compared.figures.too_few = compared.given < kFewestToHoldOut;
    return compared;
  }
  compared.left_out = std::move(split.used);
  compared.held_out = std::move(split.held_out);
  return compared;
}

Result<ComparedSamples> ChooseOfGiven(const Calibration& calibration, const SampleUse& use, const Samples& samples,
                                      const std::vector<TensorSpec>& inputs) {
  ComparedSamples compared;
  if (samples.made_up()) {
    compared.figures.origin = FigureOrigin::kMadeUp;
    return compared;
  }
  const StandIns& stand_ins = calibration.stand_ins;
  const CalibrationData* without = stand_ins.count() == 1 ? &stand_ins.parts.front() : nullptr;
  const SampleRuns& seen = without != nullptr ? without->samples : use.seen;
  compared.figures.origin = use.from_file ? FigureOrigin::kRangesMayHaveSeen : FigureOrigin::kHeldOut;
  if (seen.empty() || use.from_file) {
    PREON_ASSIGN_OR_RETURN(const bool fits_codes, use.fits_codes());
    if (fits_codes) return KeepFromFitting(samples, inputs, std::move(compared));
  }
  if (seen.empty()) return compared;  // nothing was calibrated or chosen
  PREON_ASSIGN_OR_RETURN(int64_t rest, CountWithout(seen, samples, inputs));
  if (rest < 0 && without != nullptr) rest = calibration.data.sample_count() - without->sample_count();
  if (rest < kLeastHeldOut && calibration.in_pieces) {
    PREON_ASSIGN_OR_RETURN(const bool fits_codes, use.fits_codes());
    if (fits_codes) {  // to those that one process would take
      compared.figures.origin = FigureOrigin::kRangesHaveSeen;
      return KeepFromFitting(samples, inputs, std::move(compared));
    }
  }
  if (rest < kLeastHeldOut) {
    compared.figures.origin = FigureOrigin::kCalibration;
    if (rest == 0 && stand_ins.is_folds()) compared.stand_ins = &stand_ins;
    compared.figures.too_few = calibration.data.sample_count() < kFewestToHoldOut;
    return compared;
  }
  compared.left_out = seen;
  if (without != nullptr) {
    compared.held_out = WithoutRuns(calibration.data.samples, without->samples);
    compared.stand_ins = &stand_ins;
  }
  return compared;
}

}  // namespace

Result<ComparedSamples> ChooseComparedSamples(const Calibration& calibration, const SampleUse& use,
                                              const Samples& samples, const std::vector<TensorSpec>& inputs) {
  PREON_ASSIGN_OR_RETURN(ComparedSamples compared, ChooseOfGiven(calibration, use, samples, inputs));
  if (!use.eval.open) return compared;
  compared.judging = use.eval;
  compared.figures.origin = use.eval_unseen ? FigureOrigin::kEvalData : FigureOrigin::kCalibration;
  compared.figures.too_few = false;
  compared.left_out.clear();  // they tell nothing of other samples
  compared.stand_ins = nullptr;
  return compared;
}

}  // namespace preon

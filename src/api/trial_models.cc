#include "api/trial_models.h"

#include <algorithm>

#include "api/candidates.h"

namespace preon {
namespace {

std::set<std::string> NamesOf(const std::map<std::string, AskedAlgorithm>& asked) {
  std::set<std::string> names;
  for (const auto& [name, ignored] : asked) names.insert(name);
  return names;
}

// Weights of few bits are far from float until codes are fitted, and not in the order of fitted ones: ResNet20 with
// int4 11 instead of 20 dB. With 8 bits fitting changes little, and 100 trials would take minutes in place of seconds.
bool NeedsFittedCodes(Effort effort, const std::optional<TensorType>& weight) {
  return effort != Effort::kFast && weight && HasFewCodes(*weight);
}

}  // namespace

bool TrialModels::ChoosesBySamples(const RangeOptions& ranges) {
  return ranges.method == "auto" && ranges.effort != Effort::kFast;
}

Result<TrialModels::Made> TrialModels::From(const std::string& statistics, const Options& settings, bool with_samples) {
  const Samples none = MadeUpSamples();
  PREON_ASSIGN_OR_RETURN(
      const QuantizeResult made,
      MakeCandidate(model_, {.settings = settings}, with_samples ? samples_ : none, statistics, run_, folder_));
  return Made{.file = made.output, .with_samples = with_samples};
}

Result<TrialModels::Made> TrialModels::FromStatistics(const Options& settings, bool with_samples) {
  for (auto file = statistics_.begin(); file != statistics_.end(); ++file) {
    Result<Made> made = From(*file, settings, with_samples);
    // Other rewrites, or other nodes in float, which need ranges of other tensors.
    const auto is = [&](ErrorId id) { return !made.ok() && made.status().id() == id; };
    if (is(ErrorId::kCalibFileMismatch) || is(ErrorId::kRangeMissing)) continue;
    std::rotate(statistics_.begin(), file, file + 1);  // the next options are likely to be of the same kind
    return made;
  }
  PREON_ASSIGN_OR_RETURN(std::string file, CollectStatistics(model_, settings, samples_,
                                                             StrCat("statistics_", statistics_.size()), run_, folder_));
  Result<Made> made = From(file, settings, with_samples);
  if (!file.empty()) statistics_.insert(statistics_.begin(), std::move(file));
  return made;
}

Result<TrialModels::Made> TrialModels::Make(const Options& settings, bool with_samples) {
  const std::set<std::string> algorithms = NamesOf(settings.algorithms.asked);
  if (with_samples || ChoosesBySamples(settings.ranges) ||
      NeedsFittedCodes(settings.ranges.effort, settings.types.weight) || need_samples_.contains(algorithms))
    return FromStatistics(settings, true);
  Result<Made> made = FromStatistics(settings, false);
  if (made.ok() || made.status().id() != ErrorId::kMissingOption) return made;
  need_samples_.insert(algorithms);
  return FromStatistics(settings, true);
}

}  // namespace preon

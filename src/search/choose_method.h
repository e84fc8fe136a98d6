// The method that `auto` selects: several candidates written as quantized models, the nearest to float kept.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/plan_inputs.h"
#include "pipeline/prepare_model.h"
#include "report/results/results.h"
#include "search/trial.h"

namespace preon {

/// What candidates have chosen from the same data, for plans that differ in few tensors.
using RangesByMethod = std::map<std::string, ChosenRanges>;

struct ChosenMethod {
  std::unique_ptr<RangeMethod> method;      ///< null without samples or an output to compare
  ChosenRanges* ranges = nullptr;           ///< the method's, for PlanInputs::chosen
  std::vector<MethodCandidate> candidates;  ///< in the order in which they ran, one of them selected
};

/// Quantizes by each candidate, runs the result on the trials' samples, and selects the one with the least error. Each
/// candidate is what --method and --method-option of the same words give. One that fails is left out with a warning,
/// one without an output that can be compared (Trials::Run) without.
class MethodRace {
 public:
  /// @param known  where ranges come from and go to; all arguments outlive the race
  MethodRace(const PlannedModel& planned, const PlanInputs& inputs, Trials& trials, const RangeMethodRegistry& methods,
             RangesByMethod& known);
  /// A few of different kinds: enough to see whether any is good.
  Status RunFirst();
  /// All that have not run yet; none where the best can't be told from float any more.
  /// Errors: kCancelled; that of the last candidate if all fail.
  Status RunAll();
  /// Is another one near the best? Else there is nothing to settle. Behind RunAll.
  bool IsClose() const;
  /// Of those that are near the best, selects the one that is nearest to float with the weights in float: what stays
  /// once an algorithm has fitted the codes of the weights. Where IsClose.
  Status SettleByActivations();
  /// The best so far, and what its trial told; none where none could be compared.
  const ChosenMethod& chosen() const { return chosen_; }
  const std::optional<TrialError>& best() const { return best_; }
  ChosenMethod Take() &&;

 private:
  struct Entry;

  Status RunUpTo(size_t count);
  /// Is minmse selected, which finds the best of the few scales that are powers of two? Another has to be clearly
  /// nearer to float then: less may be chance.
  bool PrefersMinmse() const;
  bool IsNear(size_t index) const;  // to the best; of chosen_.candidates
  Result<Entry> Enter(size_t candidate);
  void Select(size_t index, Entry entry);  // of chosen_.candidates

  const PlannedModel& planned_;
  const PlanInputs& inputs_;
  Trials& trials_;
  const RangeMethodRegistry& methods_;
  RangesByMethod& known_;
  size_t done_ = 0;              // candidates
  std::vector<size_t> entered_;  // which one each of chosen_.candidates is
  size_t selected_ = 0;          // of these
  std::optional<TrialError> best_;
  ChosenMethod chosen_;
  Status failed_;
};

}  // namespace preon

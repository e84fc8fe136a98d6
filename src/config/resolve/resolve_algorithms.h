// Which algorithms act in a run, and by which values of their options.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "config/options.h"

namespace preon {

struct ChosenAlgorithms {
  std::vector<const Algorithm*> list;                  ///< those that apply, in the order in which they act
  std::vector<std::unique_ptr<Algorithm>> configured;  ///< those of the list that have options
  std::vector<std::string> asked;  ///< those that were asked for or told something, as --algorithm takes them
  std::string rewriting;           ///< those of phase kFloatModel, with ';' between them; "" = none
  /// Of phase kFloatModel, which nobody has asked for: for statistics that serve this run alone.
  std::vector<const Algorithm*> offered;
  std::vector<const Algorithm*> taken;  ///< those of them that act

  /// The offered ones act, too.
  void TakeOffered();
};

/// For ChooseAlgorithms: with what --effort adds. At its default only for targets that follow this runtime, or where
/// too much is lost without: of others the numbers are known to the tools that they are for.
AlgorithmOptions WithEffort(AlgorithmOptions given, Effort effort, const Target& target, const PlanOptions& plan,
                            const AlgorithmRegistry& algorithms);

/// For ChooseAlgorithms: all disabled, so that nothing changes codes whose scales are given.
AlgorithmOptions WithoutAlgorithms(const AlgorithmRegistry& algorithms);

/// Those that are on by default or asked for, not disabled, and have something to do for target and plan.
/// @param warnings  gets what has no effect and was asked for by a QConfig
/// Errors: kConflictingOptions for what has no effect and was asked for otherwise; those of Algorithm::Configured.
Result<ChosenAlgorithms> ChooseAlgorithms(const Target& target, const PlanOptions& plan,
                                          const AlgorithmOptions& options, const SettingOrigins& origins,
                                          const AlgorithmRegistry& algorithms, std::vector<std::string>* warnings);

}  // namespace preon

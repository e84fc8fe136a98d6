// From options to what a run works with: names looked up, defaults settled, contradictions found.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/builtins.h"
#include "config/options.h"
#include "config/precision_options.h"
#include "config/resolve/resolve_algorithms.h"

namespace preon {

/// What names in the options stand for.
struct Choices {
  std::unique_ptr<RangeMethod> method;  ///< with its options applied
  /// What `auto` comes down to where no trials can tell which method is best, with the options that `auto` was given.
  std::function<Result<std::unique_ptr<RangeMethod>>()> without_trials;
  std::vector<std::unique_ptr<RangeMethod>> all_methods;  ///< where they were asked for
  const Target* target = nullptr;
  PlanOptions plan;                           ///< the options', and what --compat makes of defaults
  PassSelection passes;                       ///< by their names in the registries
  ChosenAlgorithms algorithms;                ///< those that apply
  std::optional<PrecisionOptions> precision;  ///< of auto_mixprecision; its forms are also plan.possible.layers
  std::optional<LayerOverride> fewer_bits;    ///< of layers, for --size; also in plan.possible.layers
  /// The method of a tensor that has one of its own, with the keys in the options that it has.
  /// Errors: kUnknownOption, those of the keys.
  std::function<Result<std::unique_ptr<RangeMethod>>(const std::string& name)> own_method;
  bool every_value = false;           ///< a method wants statistics of every value (RangeMethod::wants_every_value)
  std::vector<std::string> warnings;  ///< of settings without effect
};

/// Checks what can be checked before a file is opened, and looks names up.
/// Errors: kUnknownOption with the nearest name, kBadOptionValue, kConflictingOptions, kNotYetSupported.
Result<Choices> Resolve(const Options& options, const Builtins& builtins);

/// What ranges are for, where no plan says more. Errors: kConflictingOptions for block formats, which have none.
Result<IntFormat> RangeFormat(const TensorType& activation, std::optional<bool> symmetric);

}  // namespace preon

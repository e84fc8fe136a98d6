// What crypto mode makes of the other options (docs/design/encrypted-models.md).
#pragma once

#include "config/options.h"

namespace preon {

/// Errors: kConflictingOptions for options that would write names or values of the model to the disk. What merely has
/// to be another way is changed, and a warning says so (GivenSettings::warnings).
Status SettleCryptoMode(Options& options);

/// Of verbs that write what they learn of the model. Errors: kConflictingOptions in crypto mode.
Status RefuseCryptoMode(std::string_view verb, const CryptoOptions& options);

/// The error of a setting that would leave something readable behind.
Status RefuseReadable(std::string_view setting, std::string_view what_it_writes);

}  // namespace preon

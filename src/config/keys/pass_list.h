// The reference's lists of passes (ShapeShifterYaml, PreprocessYAML; spec graph-passes §7), as the keys that its passes
// are.
#pragma once

#include <string>

#include "config/keys/key_spec.h"

namespace preon {

/// Sets the keys of a list: one of its names (a8w8, a16w8, bf16, bfp16, xint8) or a .yaml file. What a list does not
/// name is off, as far as there is a key for it. Errors: kBadOptionValue for another name, kBadConfig, kIoRead,
/// kUnknownOption for passes and parameters that the reference has not, kNotYetSupported for those that this version
/// has not.
Status SetPassList(Options& options, const KeyValue& value);

/// {"skip_fusion_patterns": [...]}: the simplifier's patterns as passes of ours that are left out.
Status SetSimplifierOptions(Options& options, const KeyValue& value);

}  // namespace preon

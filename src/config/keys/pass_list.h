// Quark's lists of passes (ShapeShifterYaml, PreprocessYAML), as the keys of these passes.
#pragma once

#include <string>

#include "config/keys/key_spec.h"

namespace preon {

/// Sets the keys of a list: one of its names (a8w8, a16w8, bf16, bfp16, xint8) or a .yaml file. What a list does not
/// name is off, as far as there is a key for it. Errors: kBadOptionValue for another name, kBadConfig, kIoRead,
/// kUnknownOption for passes and parameters that Quark does not have, kNotYetSupported for those that
/// this version lacks.
Status SetPassList(Options& options, const KeyValue& value);

/// {"skip_fusion_patterns": [...]}: the simplifier's patterns as passes of ours that are left out.
Status SetSimplifierOptions(Options& options, const KeyValue& value);

}  // namespace preon

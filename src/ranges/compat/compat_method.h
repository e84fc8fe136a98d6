// Methods of other tools by our names: what --compat puts in the place of the methods over sketches.
#pragma once

#include <memory>

#include "formats/compat/compat.h"
#include "ranges/range_method.h"

namespace preon::compat {

/// @param method      our name of it
/// @param options     by Quark's names; defaults are the tool's own
/// @param activation  type of activations in general, whose codes score LayerwisePercentile
/// MinMax without an average has the same range from a sketch, all others collect. Ranges may be inverted.
/// Errors: kConflictingOptions for a method that the tool has not; kUnknownOption, kBadOptionValue.
Result<std::unique_ptr<RangeMethod>> MakeCompatMethod(Compat tool, std::string_view method,
                                                      const MethodOptions& options, DataType activation);

}  // namespace preon::compat

// Samples of one model for another whose float inputs have other types.
#pragma once

#include <vector>

#include "runtime/session.h"

namespace preon {

/// The feeds as the session wants them: floats in its type (float32, float16, double), what else there is as it is.
/// Errors: kDataType for values beyond float16.
Result<std::vector<NamedTensor>> FeedsFor(const Session& session, const std::vector<NamedTensor>& feeds);

/// The same names, shapes and bytes; feeds with text never are.
bool SameFeeds(const std::vector<NamedTensor>& a, const std::vector<NamedTensor>& b);

}  // namespace preon

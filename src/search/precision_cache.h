// The scores of a search for mixed precision, in a file as Quark writes it.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "config/precision_options.h"
#include "pipeline/prepare_model.h"
#include "report/results/precision_result.h"

namespace preon {

/// SHA-256 over nodes, types, candidates, forms and metric; weights and samples do not count.
std::string PrecisionKey(const PlannedModel& prepared, const std::vector<PrecisionCandidate>& candidates,
                         const PrecisionOptions& options);

/// Fills scores, forms and `enabled` of the candidates that the file has. Nothing where there is no file, or one of
/// another search. Errors: kBadConfig for what is no such file; kFileNotFound, kIoRead.
Result<PrecisionCache> LoadPrecisionScores(const std::string& path, const std::string& key, size_t forms,
                                           std::vector<PrecisionCandidate>& candidates);

/// Those that have scores. Errors: kIoWrite, kOutputFolder.
Status SavePrecisionScores(const std::string& path, const std::string& key,
                           const std::vector<PrecisionCandidate>& candidates);

}  // namespace preon

// Algorithms that are asked for by name, and values of their options.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/algorithm.h"
#include "config/options.h"

namespace preon {

/// Quark's name of mixed precision, which is no Algorithm: it plans again (config/files/precision_parameters.h).
inline constexpr std::string_view kMixedPrecision = "auto_mixprecision";

/// Names that Quark's algo_config may have.
std::vector<std::string> QuarkAlgorithms();
bool IsQuarkAlgorithm(std::string_view name);

/// By name, alias or Quark's name. Errors: kUnknownOption with the nearest name; kNotYetSupported for those of Quark
/// that are not in this version.
Result<const Algorithm*> FindAlgorithm(const AlgorithmRegistry& algorithms, std::string_view name);

/// Is the text one that the option of this name takes? Errors: kBadOptionValue.
Status CheckAlgorithmValue(std::string_view option, KeyType type, std::string_view range, const std::string& text);

}  // namespace preon

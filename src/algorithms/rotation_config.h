// The file that says where quarot rotates.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace preon {

/// A place of the residual stream: what writes it, the normalization behind ("" = none), and what reads that.
struct RotationPair {
  std::vector<std::string> writers, readers;
  std::string norm;
};

/// {"R1_pairs": [{"prev_nodes": [...], "norm_node": "...", "next_nodes": [...]}, ...]}, as Quark reads it.
/// Errors: kFileNotFound, kIoRead, kBadConfig naming the file and the field.
Result<std::vector<RotationPair>> ReadRotationConfig(const std::string& path);

}  // namespace preon

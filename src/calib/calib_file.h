// The bytes of a .calib file:
//   "preon-calib 3\n"                       what it is, and the version of what follows
//   fingerprint, setup                      length-prefixed (stats/wire.h)
//   runs of samples                         their number; first and length of each
//   shared ranges                           their number; tensor and source of each, sorted by tensor
//   tensors                                 their number; name and TensorSketch::Serialize of each, sorted by name
//   origins                                 their number; tensor and operator of each, in the model's order
//   "derived", tensors                      only where there are some: tensor, source and function of each
//   "contexts", tensors                     only where there are some: tensor, is_output and read_activation of each
//   "per-sample", rows                      only where they were asked for: name, label and facts of each sample
//   "statistics", kinds                     only where algorithms asked for some: name, and tensor and bytes of each
//   SHA-256 of everything before            64 hexadecimal digits
// Equal data give equal bytes, so files from shards, once merged, equal the file of one run.
#pragma once

#include <string>
#include <string_view>

#include "base/parallel.h"
#include "calib/calibration.h"

namespace preon {

std::string SerializeCalibration(const CalibrationData& data);

/// Checks everything before it trusts it. Errors: kCalibFileMalformed.
Result<CalibrationData> ParseCalibration(std::string_view bytes, const ParallelFor& parallel_for = {});

}  // namespace preon

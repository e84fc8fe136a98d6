// --save-histograms: a picture for each tensor.
#pragma once

#include <string>
#include <vector>

#include "analyze/analysis.h"
#include "calib/calibration.h"
#include "pipeline/run_inputs.h"

namespace preon {

/// A file name for each tensor, none twice: '/', '.', ':' and what no file name should hold become '_', as the
/// Quark has it; names that are too long are cut; names that have become the same get a number.
std::vector<std::string> PictureNames(const std::vector<std::string>& tensors);

/// All pictures or, after an error, none: they are drawn beside `folder`, which is made where it is missing. Other
/// files in it stay. Errors: kIoWrite.
Status WriteHistograms(const Analysis& analysis, const std::string& folder);

/// The same from statistics, into the folder of the options; warns where there are none to draw.
/// Errors: those of Analyze besides.
Status SaveHistograms(const CalibrationData& data, const RunInputs& run);

}  // namespace preon

// The section of a .calib file that says which planned ranges have a part in masks (ranges/refine/masked_scores.h).
#pragma once

#include "calib/calibration.h"
#include "stats/wire.h"

namespace preon {

bool HasMasks(const PlannedRanges& planned);
void WriteMasks(const PlannedRanges& planned, WireWriter& out);
/// Fills MaskRole of ranges that are there. Errors: kCalibFileMalformed.
Status ReadMasks(WireReader& in, PlannedRanges& planned);

}  // namespace preon

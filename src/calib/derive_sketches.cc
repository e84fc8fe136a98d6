// Apart from the pass itself: the observer library derives, too, and has no ONNX.
#include "calib/calibration.h"

namespace preon {

void DeriveSketches(CalibrationData& data) {
  for (const auto& [tensor, derived] : data.derived)
    data.tensors.at(tensor).DeriveFrom(data.tensors.at(derived.source), derived.function);
}

}  // namespace preon

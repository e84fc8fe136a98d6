// The end of a run that was interrupted and does not end by itself.
#pragma once

#include <atomic>

namespace preon::cli {

/// A run looks at `interrupted` between its steps and inside inference, but ONNX Runtime can't be stopped while it
/// prepares a model, which takes minutes for tens of thousands of nodes. So this ends the process 20 seconds after an
/// interrupt, with the error and the exit status of any other interrupt. Outputs are whole or absent at every moment;
/// temporary folders are removed by the next run, as after a kill.
void ExitSoonAfterInterrupt(const std::atomic<bool>& interrupted, bool json);

}  // namespace preon::cli

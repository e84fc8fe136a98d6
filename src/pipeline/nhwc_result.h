// --nhwc: the result with its images in another order.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "pipeline/job.h"

namespace preon {

/// Turns the images of a verified model into NHWC (quantize/qdq_passes/to_nhwc.h), and verifies that it still gives
/// `outputs`, its own for the batch before. Errors: kVerifyLoad, kVerifyRun, kVerifyOutput.
Status GiveNhwc(Model& quantized, const Batch& batch, const std::vector<NamedTensor>& outputs, const Job& job,
                std::vector<std::string>& warnings);

}  // namespace preon

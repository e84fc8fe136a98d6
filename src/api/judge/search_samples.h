// SearchSamples: which samples calibrate, which choose between trials, and which judge the best of them.
#pragma once

#include <string>
#include <vector>

#include "pipeline/samples.h"

namespace preon {

struct SearchSamples {
  Samples fit;       ///< calibrate
  Samples choosing;  ///< whose figures choose
  Samples judging;   ///< whose figures are reported, since choosing flatters its own samples
  Samples choosing_reference,
      judging_reference;  ///< what the first output should be (--reference); no `open`: not known
  bool unseen = false;    ///< those that judge neither calibrate nor choose
};

/// A fifth of the samples given (data/held_out.h), or all of `eval`, is kept from calibration; half of it chooses, half
/// judges. Too few samples: the same ones do both. Reads all samples. Errors: the source's.
/// @param eval, reference  no `open`: there are none
Result<SearchSamples> SamplesOfSearch(const Samples& given, const Samples& eval, const Samples& reference,
                                      const std::vector<TensorSpec>& inputs);

/// Of the values that the samples feed to these inputs. Errors: those of the samples.
Result<std::string> DigestOf(const Samples& samples, const std::vector<TensorSpec>& inputs);

}  // namespace preon

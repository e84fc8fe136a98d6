// What the weights of a quantized model take, beside those of the float model.
#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace preon {

class Graph;

/// How the weights of a result are stored.
struct StoredWeights {
  std::string largest_float;  ///< name; ""
  int64_t largest_float_bytes = 0;
  int64_t float_model_bytes = 0;  ///< of all float weights before
  int64_t bits = 32;              ///< that the file promises for them
};

/// All but `bits`, which the request for the weights promises. Weights of the nodes `for_accuracy`, which the report
/// names as better left in float, promise nothing and are left out.
StoredWeights StoredWeightsOf(const Graph& before, const Graph& after, const std::set<std::string>& for_accuracy = {});

}  // namespace preon

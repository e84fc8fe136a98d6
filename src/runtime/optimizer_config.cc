#include "runtime/optimizer_config.h"

#include <algorithm>

#include "onnxruntime_session_options_config_keys.h"

namespace preon {

bool PutWeightsBeside(const Graph& graph) {
  return std::none_of(graph.nodes().begin(), graph.nodes().end(),
                      [](const auto& node) { return node->HasSubgraph() || node->IsFlatIf(); });
}

std::vector<std::pair<std::string, std::string>> OptimizerConfig(bool weights_beside) {
  std::vector<std::pair<std::string, std::string>> config;
  // Nothing is run: packed weights would only cost time and memory.
  config.emplace_back(kOrtSessionOptionsConfigDisablePrepacking, "1");
  // The fused kernel of the runtime 1.30 takes six times as long as the Add and the LayerNormalization that it
  // replaces.
  config.emplace_back(kOrtSessionOptionsDisableSpecifiedOptimizers, "SkipLayerNormFusion");
  if (weights_beside) {
    config.emplace_back(kOrtSessionOptionsOptimizedModelExternalInitializersFileName, "optimized.data");
  }
  return config;
}

}  // namespace preon

#include "config/option_groups.h"

#include <algorithm>
#include <array>
#include <vector>

#include "config/option_table.h"

namespace preon {
namespace {

using OptionName = std::string_view;

constexpr auto kCommon = std::to_array<OptionName>(
    {"output",      "data",       "calib",     "config", "method",  "target",      "activation",
     "weight",      "exclude",    "samples",   "size",   "require", "confirm",     "eval-data",
     "space",       "time",       "trials",    "goal",   "metric",  "reference",   "preprocess",
     "report",      "production", "html",      "pass",   "list",    "float-model", "all-methods",
     "all-tensors", "every",      "calib-out", "save",   "repeat",  "options",     "threads"});
constexpr auto kSamples = std::to_array<OptionName>({"input", "labels", "only", "calib-samples", "batch", "shard",
                                                     "per-sample", "seed", "random-shape", "random-range"});
constexpr auto kRanges = std::to_array<OptionName>({"effort", "budget", "method-option", "symmetric", "scale-type",
                                                    "compat", "exact", "no-optimize", "save-and-restore", "encodings"});
constexpr auto kWeights = std::to_array<OptionName>(
    {"per-tensor", "block-size", "reduce-range", "vnni", "weight-method", "weight-search", "weight-scale-type",
     "weight-form", "float-weights", "weight-scaled", "accuracy-level", "algorithm", "disable-algorithm"});
constexpr auto kTypes =
    std::to_array<OptionName>({"activation-scaled", "bfloat16", "bfp-attribute", "mx-attribute", "keep-block-axis"});
constexpr auto kNodes = std::to_array<OptionName>({"exclude-type", "passthrough", "option"});
constexpr auto kGraph = std::to_array<OptionName>({"fix-shape", "float16", "opset", "nhwc", "format", "disable-pass",
                                                   "enable-pass", "copy-type", "custom-op-library", "external-data",
                                                   "value-info", "always-write", "fix", "key-file"});
constexpr auto kAnalysis = std::to_array<OptionName>({"group-by", "tolerance", "cover", "save-histograms"});
constexpr auto kResources = std::to_array<OptionName>(
    {"workers", "memory", "provider", "one-in", "resume", "checkpoint", "sampler", "study", "latency", "tmp-dir"});
constexpr auto kMessages = std::to_array<OptionName>({"json", "quiet", "verbose", "help"});

// And the switches of algorithms.
std::vector<OptionName> Weights() {
  std::vector<OptionName> names(kWeights.begin(), kWeights.end());
  for (const OptionSpec& option : OptionTable())
    if (!option.disables.empty()) names.push_back(option.name);
  return names;
}

}  // namespace

std::span<const OptionGroup> OptionGroups() {
  static const std::vector<OptionName> weights = Weights();
  static const auto groups = std::to_array<OptionGroup>({{"Common options", kCommon},
                                                         {"Samples", kSamples},
                                                         {"Ranges", kRanges},
                                                         {"Weights and biases", weights},
                                                         {"Floating and block types", kTypes},
                                                         {"Nodes", kNodes},
                                                         {"Graph and file", kGraph},
                                                         {"Analysis", kAnalysis},
                                                         {"Time, memory and disk", kResources},
                                                         {"Messages", kMessages}});

  return groups;
}

std::string_view GroupOf(std::string_view option) {
  const auto has = [&](const OptionGroup& group) {
    return std::ranges::find(group.names, option) != group.names.end();
  };
  const auto group = std::ranges::find_if(OptionGroups(), has);
  return group == OptionGroups().end() ? std::string_view() : group->title;
}

}  // namespace preon

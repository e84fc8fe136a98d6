#include "config/options_of_quantize.h"

#include <array>

#include "base/text.h"
#include "config/verb.h"

namespace preon {
namespace {

constexpr auto kAboutTheFile = std::to_array<std::string_view>(
    {"output", "resume", "checkpoint", "calib", "external-data", "nhwc", "value-info", "always-write", "report",
     "save-histograms", "save-and-restore", "workers", "encodings", "size", "key-file"});
// Of codes that are fitted, of latency and of what is asked of the result.
constexpr auto kBesideErrors = std::to_array<std::string_view>({"require", "latency", "effort"});

}  // namespace

uint32_t VerbsThatTake(std::string_view option_of_quantize) {
  if (Contains(kAboutTheFile, option_of_quantize)) return 0;
  constexpr uint32_t kJudging = kVerbValidate | kVerbReport | kVerbSearch;
  return Contains(kBesideErrors, option_of_quantize) ? kJudging : kJudging | kVerbSensitivity;
}

}  // namespace preon

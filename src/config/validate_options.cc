#include "config/validate_options.h"

#include <algorithm>
#include <array>

namespace preon {
namespace {

constexpr auto kAboutTheFile =
    std::to_array<std::string_view>({"output", "resume", "checkpoint", "calib", "external-data", "nhwc", "value-info",
                                     "always-write", "report", "save-histograms", "save-and-restore", "workers"});

}  // namespace

bool ValidateTakes(std::string_view option) { return std::ranges::find(kAboutTheFile, option) == kAboutTheFile.end(); }

}  // namespace preon

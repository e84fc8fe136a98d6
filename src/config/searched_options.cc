#include "config/searched_options.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "config/option_table.h"

namespace preon {
namespace {

// Options of quantize that are the same in all trials.
constexpr auto kOfTheRun = std::to_array<std::string_view>({"require", "latency", "memory", "calib-samples"});

}  // namespace

bool MayVary(std::string_view option) {
  const auto spec = std::ranges::find(OptionTable(), option, &OptionSpec::name);
  return spec != OptionTable().end() && (spec->verbs & kVerbQuantize) != 0 && (spec->verbs & kVerbSearch) != 0 &&
         (spec->verbs & kVerbRun) == 0 && !Contains(kOfTheRun, option);
}

}  // namespace preon

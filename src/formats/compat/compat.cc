#include "formats/compat/compat.h"

#include <algorithm>
#include <array>

#include "base/spelling.h"

namespace preon {
namespace {

constexpr std::array<std::string_view, 3> kNames = {"off", "quark", "onnxruntime"};

}  // namespace

Result<Compat> ParseCompat(std::string_view name) {
  const auto found = std::ranges::find(kNames, ToLower(name));
  if (found != kNames.end()) return static_cast<Compat>(found - kNames.begin());
  const std::vector<std::string> names = CompatNames();
  return Error(ErrorId::kUnknownOption, "unknown tool '", name, "'", DidYouMean(name, names),
               " (known: ", JoinNames(names), ")");
}

std::vector<std::string> CompatNames() { return {kNames.begin(), kNames.end()}; }
std::string_view CompatName(Compat compat) { return kNames[static_cast<size_t>(compat)]; }

}  // namespace preon

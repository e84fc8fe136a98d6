#include "api/judge/no_effect.h"

#include "base/str_cat.h"
#include "config/ignored_options.h"

namespace preon {

std::vector<std::string> WarningsOfUnusedAlgorithms(const std::vector<ImprovedCodes>& improved,
                                                    const std::map<std::string, AskedAlgorithm>& asked) {
  std::vector<std::string> warnings;
  for (const ImprovedCodes& by : improved) {
    const auto found = asked.find(by.algorithm);
    const bool is_asked = found != asked.end() && !found->second.by_default;
    if (!is_asked || !by.why_not.empty() || by.layers_changed + by.layers_kept > 0) continue;
    warnings.push_back(
        StrCat("--algorithm ", by.algorithm,
               ": has no effect: the model has no quantized layer of the types that it changes, which "
               "its option target-op-type lists; the algorithm that runs by default is left out for it"));
  }
  return warnings;
}

std::string WarningOfLargeBlocks(int64_t block_size, const SettingOrigins& origins, bool weights_alone,
                                 int64_t float_size_bytes, int64_t size_bytes) {
  if (block_size == 0 || size_bytes < float_size_bytes) return "";
  const std::string name = NameOf("block-size", origins);
  const bool by_key = origins.key_of.contains("block-size");
  return StrCat(
      name, by_key ? ", blocks of " : " ", block_size,
      ": the file is no smaller than that of the float model: ", size_bytes, " bytes instead of ", float_size_bytes,
      weights_alone ? "; its matrices are so small that they do not fill the blocks"
                    : StrCat("; with activations of 8 bits, weights of 8 bits in blocks are stored as rounded "
                             "floats: leave ",
                             name, " out, or use weights of 4 bits"));
}

}  // namespace preon

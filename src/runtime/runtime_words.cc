#include "runtime/runtime_words.h"

#include <algorithm>
#include <regex>

namespace preon {
namespace {

struct Cure {
  std::string_view sign, hint;
};
constexpr Cure kCures[] = {
    {"indices element out of data bounds",
     "an input holds numbers beyond a table of the model: use the tokenizer or vocabulary that it was trained with, or "
     "give random samples a range with --random-range"},
    {"Attempting to broadcast an axis",
     "two sizes do not fit together: cut or pad the samples to the length or image size that the model takes; of "
     "random samples --random-shape sets it"},
    {"cannot be reshaped",
     "the samples have another size than the model was exported for: change their length or image size, or their "
     "number "
     "with --batch"},
    {"Got invalid dimensions", "the samples have another size than the model takes"},
    {"INVALID_ARGUMENT : Invalid rank", "the samples have another number of dimensions than the model takes"},
    {"exceeds maximum allowed",
     "the samples are too short for the model: make them longer; of random samples --random-shape sets it"},
    {"smaller than the kernel", "the images are too small for the model; of random samples --random-shape sets it"},
};

}  // namespace

RuntimeWords Readable(std::string_view words) {
  static const std::regex kColor("\x1b\\[[0-9;]*m"), kSpace("\\s+"),
      kNode("Non-zero status code returned while running (\\S+) node\\. Name:'([^']*)' Status Message: "),
      kSource("(/|\\w:)\\S*\\.(h|cc|cpp|hpp):\\d+ (.*? was false\\. |[^()]*\\([^()]*\\)( const)? )?");
  std::string text = std::regex_replace(std::string(words), kColor, "");
  text = std::regex_replace(text, kSpace, " ");
  text = std::regex_replace(text, kNode, "node '$2' ($1): ");
  text = std::regex_replace(text, kSource, "");
  text.erase(text.find_last_not_of(' ') + 1);
  const auto cure =
      std::ranges::find_if(kCures, [&](const Cure& each) { return words.find(each.sign) != std::string_view::npos; });
  return {std::move(text), std::string(cure == std::end(kCures) ? "" : cure->hint)};
}

}  // namespace preon

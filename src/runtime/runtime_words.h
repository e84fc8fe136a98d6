// What ONNX Runtime says when it fails, in words for those who gave model and samples.
#pragma once

#include <string>
#include <string_view>

namespace preon {

struct RuntimeWords {
  std::string text;  ///< one line: the nodes from outside to inside, then the reason; no source files, no colors
  std::string hint;  ///< what to try; "" where the words do not tell
};

RuntimeWords Readable(std::string_view words);

}  // namespace preon

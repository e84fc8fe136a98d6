#include "runtime/runtime_words.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/text.h"

namespace preon {
namespace {

struct Cure {
  std::string_view sign, hint;
};
constexpr Cure kCures[] = {
    {"indices element out of data bounds",
     "an input holds indices beyond the end of a table of the model: use the tokenizer or vocabulary that it was "
     "trained with, or "
     "give random samples a range with --random-range"},
    {"is not a registered function/op",
     "ONNX Runtime does not have this operator: if it is your own, --custom-op-library FILE names the library that has "
     "it"},
    {"Domain already set",
     "two libraries have operators of one domain, or the library adds its domain twice; preon has those of "
     "com.amd.quark "
     "and com.vai.quantize itself, so that no library for them is needed"},
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
     "the samples are too short for the model: make them longer; for random samples, use --random-shape"},
    {"Invalid input shape", "the samples are too small for this convolution; for random samples, use --random-shape"},
    {"libonnxruntime_providers_cuda.so with error",
     "CUDA's libraries, of the version that this ONNX Runtime was built for, and the driver have to be where the "
     "loader "
     "finds them (LD_LIBRARY_PATH); the message names the one that is missing"},
    {"smaller than the kernel", "the images are too small for the model; for random samples, use --random-shape"},
};

// By hand: std::regex recurses per character, which small stacks do not have room for.
std::string OneLine(std::string_view words) {
  std::string line;
  for (size_t at = 0; at < words.size(); ++at) {
    if (words[at] == '\x1b') {  // a color, up to its m
      at = std::min(words.find('m', at), words.size());
    } else if (std::isspace(static_cast<unsigned char>(words[at])) == 0) {
      line += words[at];
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

// "… running OP node. Name:'NAME' Status Message: " becomes "node 'NAME' (OP): ".
std::string WithNodes(std::string_view words) {
  constexpr std::string_view kBegin = "Non-zero status code returned while running ", kName = " node. Name:'",
                             kEnd = "' Status Message: ";
  std::string text;
  while (true) {
    const size_t begin = words.find(kBegin), op = begin + kBegin.size();
    const size_t name = begin == words.npos ? begin : words.find(kName, op);
    const size_t end = name == words.npos ? name : words.find(kEnd, name);
    if (end == words.npos) return text.append(words);
    const std::string_view called = words.substr(name + kName.size(), end - name - kName.size());
    text.append(StrCat(words.substr(0, begin), "node '", called, "' (", words.substr(op, name - op), "): "));
    words.remove_prefix(end + kEnd.size());
  }
}

// Place of ".h:12 " or ".cc:12 " in the words, and of what follows it; npos where there is none.
std::pair<size_t, size_t> FindSourceLine(std::string_view words) {
  for (const std::string_view ending : {".h:", ".cc:", ".cpp:"}) {
    for (size_t at = words.find(ending); at != words.npos; at = words.find(ending, at + 1)) {
      size_t after = at + ending.size();
      while (after < words.size() && std::isdigit(static_cast<unsigned char>(words[after])) != 0) ++after;
      if (after > at + ending.size() && words.substr(after, 1) == " ") return {at, after + 1};
    }
  }
  return {words.npos, words.npos};
}

// Drops "/path/file.cc:12 void F(int) condition was false. " and the like.
std::string WithoutSource(std::string text) {
  constexpr std::string_view kFalse = " was false. ";
  const auto [at, after] = FindSourceLine(text);
  if (at == text.npos) return text;
  const size_t begin = text.rfind(' ', at) + 1;  // npos + 1 is the beginning
  size_t end = after;
  if (const size_t condition = text.find(kFalse, after); condition != text.npos) {
    end = condition + kFalse.size();
  } else if (const size_t arguments = text.find(')', after); arguments != text.npos) {
    end = text.find_first_not_of(' ', arguments + 1);
    if (end != text.npos && text.compare(end, 6, "const ") == 0) end += 6;
  }
  text.erase(begin, std::min(end, text.size()) - begin);
  return text;
}

// Drops "[ONNXRuntimeError] : 1 : FAIL : ".
std::string WithoutCode(std::string text) {
  constexpr std::string_view kBegin = "[ONNXRuntimeError] : ", kBetween = " : ";
  const size_t begin = text.find(kBegin);
  if (begin == text.npos) return text;
  const size_t number = text.find(kBetween, begin + kBegin.size());
  const size_t name = number == text.npos ? number : text.find(kBetween, number + kBetween.size());
  return name == text.npos ? text : text.erase(begin, name + kBetween.size() - begin);
}

}  // namespace

RuntimeWords Readable(std::string_view words) {
  const auto cure =
      std::ranges::find_if(kCures, [&](const Cure& each) { return words.find(each.sign) != std::string_view::npos; });
  return {WithoutSource(WithNodes(WithoutCode(OneLine(words)))),
          std::string(cure == std::end(kCures) ? "" : cure->hint)};
}

}  // namespace preon

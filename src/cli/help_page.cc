#include "cli/help_page.h"

#include <unistd.h>

#include <algorithm>

#include "base/text.h"
#include "cli/terminal.h"

namespace preon::cli {
namespace {

constexpr size_t kIndent = 26;  // of what options mean

// Columns, not bytes: UTF-8's later bytes take none.
size_t Columns(std::string_view text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string Head(std::string_view title, bool color) { return Styled(title, Style::kBold, color) + "\n"; }

/// "  -o, --output FILE", and the meaning beside it or, where it is long, below it.
std::string Line(const OptionHelp& option, size_t width) {
  std::string line = StrCat("  ", option.letter.empty() ? "" : StrCat("-", option.letter, ", "), "--", option.name);
  if (!option.value.empty()) line += StrCat(" ", option.value, option.repeats ? " ..." : "");
  const size_t used = Columns(line);
  line += used + 2 <= kIndent ? std::string(kIndent - used, ' ') : "\n" + std::string(kIndent, ' ');
  return line + Wrapped(option.help, kIndent, width) + "\n";
}

}  // namespace

std::string Wrapped(std::string_view text, size_t indent, size_t width) {
  std::string wrapped;
  size_t column = indent;
  for (const std::string& word : Split(text, ' ')) {
    const size_t size = Columns(word);
    if (wrapped.empty()) {
      column += size;
    } else if (column + 1 + size > width) {
      wrapped += "\n" + std::string(indent, ' ');
      column = indent + size;
    } else {
      wrapped += ' ';
      column += 1 + size;
    }
    wrapped += word;
  }
  return wrapped;
}

std::string HelpPage(const std::vector<VerbHelp>& verbs) {
  const bool color = ShowsColor(STDOUT_FILENO);
  const size_t width = LineWidth(STDOUT_FILENO);
  constexpr size_t kSummary = 14;
  std::string page = StrCat(
      Wrapped(
          "Quantizes a float ONNX model with calibration samples, verifies the result and reports how each node runs.",
          0, width),
      "\n\n", Styled("Usage:", Style::kBold, color), " preon VERB [OPTIONS]\n\n", Head("Verbs:", color));
  for (const VerbHelp& verb : verbs) {
    page += StrCat("  ", verb.name, std::string(kSummary - 2 - verb.name.size(), ' '),
                   Wrapped(verb.summary, kSummary, width), "\n");
  }
  page += "\n" + Head("Options:", color) + "  -h, --help     show this help\n  -V, --version  show the version\n\n" +
          Head("Examples:", color) + "  preon quantize model.onnx -o model.int8.onnx --data calib.npz\n" +
          "  preon compare model.onnx model.int8.onnx --data test.npz\n\n" +
          "preon help VERB shows the options of a verb, with examples.\n";
  return page;
}

std::string HelpPage(const VerbHelp& verb) {
  const bool color = ShowsColor(STDOUT_FILENO);
  const size_t width = LineWidth(STDOUT_FILENO);
  std::string page = StrCat(Wrapped(StrCat("preon ", verb.name, ": ", verb.summary), 0, width), "\n\n",
                            Styled("Usage:", Style::kBold, color), " ", verb.Usage(), "\n");
  for (const OptionsHelp& group : verb.groups) {
    page += "\n" + Head(group.title + ":", color);
    for (const OptionHelp& option : group.options) page += Line(option, width);
  }
  if (!verb.examples.empty()) page += "\n" + Head("Examples:", color) + verb.examples;
  return page;
}

}  // namespace preon::cli

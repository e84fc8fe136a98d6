#include "cli/man_page.h"

#include "base/spelling.h"
#include "base/text.h"
#include "base/version.h"

namespace preon::cli {
namespace {

// What a page must not take for a request, an escape or a hyphen of its own.
std::string Roff(std::string_view text) {
  std::string roff;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) roff += "\\&";
    if (c == '\\')
      roff += "\\e";
    else if (c == '-')
      roff += "\\-";
    else if (c == '^' || c == '~')
      roff += c == '^' ? "\\(ha" : "\\(ti";
    else if (c == '\'')
      roff += "\\(aq";
    else
      roff += c;
    line_begins = c == '\n';
  }
  return roff;
}

// No date: the same version gives the same page.
std::string Title(std::string_view name) {
  return StrCat(".TH ", Roff(ToUpper(name)), " 1 \"\" \"preon ", kVersion, "\" \"preon manual\"\n");
}

std::string Example(std::string_view text) { return StrCat(".SH EXAMPLES\n.nf\n", Roff(text), ".fi\n"); }

std::string Entry(const OptionHelp& option) {
  std::string entry = ".TP\n";
  if (!option.letter.empty()) entry += StrCat("\\fB\\-", option.letter, "\\fR, ");
  entry += StrCat("\\fB\\-\\-", Roff(option.name), "\\fR");
  if (!option.value.empty()) entry += StrCat(" \\fI", Roff(option.value), "\\fR", option.repeats ? " ..." : "");
  return StrCat(entry, "\n", Roff(option.help), "\n");
}

}  // namespace

std::string ManPage(const std::vector<VerbHelp>& verbs) {
  std::string page = StrCat(Title("preon"), ".SH NAME\npreon \\- quantizes ONNX models\n.SH SYNOPSIS\n",
                            "\\fBpreon\\fR \\fIVERB\\fR [\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n",
                            "Quantizes a float ONNX model with calibration samples, verifies the result and reports "
                            "how each node runs.\n.SH VERBS\n");
  for (const VerbHelp& verb : verbs)
    page += StrCat(".TP\n\\fBpreon\\-", Roff(verb.name), "\\fR(1)\n", Roff(verb.summary), "\n");
  constexpr std::pair<const char*, const char*> kStatus[] = {{"0", "done"},
                                                             {"1", "the work failed"},
                                                             {"2", "wrong usage, configuration or input"},
                                                             {"3", "verification failed; nothing was written"},
                                                             {"130", "interrupted"}};
  page += ".SH EXIT STATUS\n";
  for (const auto& [status, meaning] : kStatus) page += StrCat(".TP\n\\fB", status, "\\fR\n", meaning, "\n");
  return page + ".SH ENVIRONMENT\n.TP\n\\fBNO_COLOR\\fR\nwhere it is set and not empty, no colors on terminals\n";
}

std::string ManPage(const VerbHelp& verb) {
  std::string page = StrCat(Title("preon-" + verb.name), ".SH NAME\npreon\\-", Roff(verb.name), " \\- ",
                            Roff(verb.summary), "\n.SH SYNOPSIS\n\\fBpreon ", Roff(verb.name), "\\fR");
  for (const std::string& positional : verb.positionals) page += StrCat(" \\fI", Roff(positional), "\\fR");
  page += " [\\fIOPTIONS\\fR]\n.SH OPTIONS\n";
  for (const OptionsHelp& group : verb.groups) {
    if (verb.groups.size() > 1) page += StrCat(".SS ", Roff(group.title), "\n");
    for (const OptionHelp& option : group.options) page += Entry(option);
  }
  if (!verb.examples.empty()) page += Example(verb.examples);
  return page + ".SH SEE ALSO\n\\fBpreon\\fR(1)\n";
}

}  // namespace preon::cli

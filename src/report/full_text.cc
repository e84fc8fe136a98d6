#include "base/spelling.h"
#include "base/text.h"
#include "report/text_report.h"
#include "report/text_writer.h"

namespace preon {

std::string ToText(const FullReport& result) {
  std::string text = ToText(result.validated);
  TextWriter changed;
  changed.Add("samples that change most, by the SQNR of the worst output\n");
  const ValidatedModel& judged = result.validated.models[result.validated.judged];
  for (const ChangedSample& sample : judged.compare.most_changed)
    changed.Add("  %11s   %s\n", SqnrText(sample.sqnr_db).c_str(), Printable(sample.name).c_str());
  text += "\n" + changed.Take() + "\n";
  text += result.sensitivity ? ToText(*result.sensitivity)
                             : StrCat("no sensitivity: ", Printable(result.why_no_sensitivity), "\n");
  if (result.analysis) text += "\n" + ToText(*result.analysis);
  TextWriter end;
  end.Add("\nrun\n  processor   %s, kernels %s, %s\n  versions    preon %s, ONNX Runtime %s\n",
          Printable(result.machine.cpu).c_str(), result.machine.kernels.c_str(),
          CountText(result.machine.threads, "thread").c_str(), result.facts.version.c_str(),
          result.machine.runtime_version.c_str());
  if (!result.command.empty()) end.Add("  again       %s\n", Printable(result.command).c_str());
  if (!result.output.empty()) end.Add("  output      %s\n", Printable(result.output).c_str());
  return text + end.Take();
}

}  // namespace preon

#include "base/spelling.h"
#include "base/text.h"
#include "report/text_report.h"
#include "report/text_writer.h"

namespace preon {

std::string ToText(const RetargetResult& result) {
  TextWriter out;
  out.Add("%s\n  changed by  %s\n", Printable(result.output).c_str(), JoinNames(result.changes).c_str());
  const bool same = SameOutputs(result.figures.compare);
  const std::string samples =
      CountText(result.figures.compare.samples, result.figures.random_data ? "random sample" : "sample");
  if (same)
    out.Add("  lossless    the same outputs, bit for bit, on %s\n", samples.c_str());
  else if (result.lossless)
    out.Add("  lossless    the same values; ONNX Runtime's kernels for this form round differently:\n");
  else
    out.Add("  not exact   the outputs differ on %s:\n", samples.c_str());
  if (!same) AddComparison(out, result.figures.compare);
  AddLatency(out, result.figures.latency, "the model given");
  AddFacts(out, result.facts);
  AddWarnings(out, result.warnings);
  return out.Take();
}

}  // namespace preon

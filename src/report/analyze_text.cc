
#include "base/text.h"
#include "report/analyze_samples.h"
#include "report/text_report.h"
#include "report/text_writer.h"

namespace preon {
namespace {

std::string Dead(const std::optional<DeadChannels>& dead) {
  return dead ? StrCat(dead->dead, "/", dead->channels) : "-";
}

// "percentile (Percentile=99.99)"; long lists of options stay out of a table.
std::string Advice(const TensorAnalysis& tensor) {
  if (tensor.method_options.size() != 1) return tensor.method;
  const auto& [name, value] = *tensor.method_options.begin();
  return StrCat(tensor.method, " ", name, "=", value);
}

void AddSummary(TextWriter& out, const AnalyzeResult& result) {
  const Analysis& analysis = result.analysis;
  out.Add("%s: %s, %s\n", Printable(result.calib).c_str(), CountText(std::ssize(analysis.tensors), "tensor").c_str(),
          CountText(result.samples, "sample").c_str());
  const char* title = "advice";
  for (const auto& [method, count] : analysis.advice) {
    out.Add("  %-11s %5lld of %zu tensors: %s\n", title, static_cast<long long>(count), analysis.tensors.size(),
            method.c_str());
    title = "";
  }
  for (const std::string& tensor : analysis.not_reached)
    out.Add("  no values   %s: no calibration sample reaches it\n", Printable(tensor).c_str());
}

void AddMethods(TextWriter& out, const AnalyzeResult& result) {
  if (result.analysis.methods.empty()) return;
  out.Add("\n%-24s %16s %16s %18s\n", StrCat("method, ", result.activation).c_str(), "range / max", "expected error",
          "lowest error for");
  for (const MethodSummary& method : result.analysis.methods) {
    out.Add("%-24s %14.1f %% %14.2f %% %10lld tensors\n", method.method.c_str(), 100 * method.median_kept,
            100 * method.median_error, static_cast<long long>(method.least_error));
  }
  out.Add(
      "(Medians over the tensors. Error: root mean square, relative to that of the values. Errors of single tensors "
      "do\n"
      "not tell the best method for the model: quantize tries several on samples.)\n");
}

void AddShifts(TextWriter& out, const AnalyzeResult& result) {
  const Analysis& analysis = result.analysis;
  out.Add("\nproduction: %s, %lld samples; ranges of method %s, %s\n", Printable(result.production).c_str(),
          static_cast<long long>(result.production_samples), Printable(result.method).c_str(),
          result.activation.c_str());
  out.Add("  gaps        %zu of %zu tensors, marked *\n", analysis.gaps.size(),
          analysis.tensors.size() - analysis.not_compared.size());
  out.Add("  %-30s %5s %8s %8s %10s %10s %8s %8s\n", "", "", "coverage", "", "clipped %", "", "mean", "spread");
  out.Add("  %-30s %5s %8s %8s %10s %10s %8s %8s\n", "tensor", "layer", "min", "max", "calib", "prod", "shift",
          "ratio");
  for (const size_t index : analysis.by_shift) {
    const TensorAnalysis& tensor = analysis.tensors[index];
    const Shift& shift = tensor.production->shift;
    out.Add("%c %-30s %5zu %8s %8s %10.4f %10.4f %8s %8s\n", shift.is_gap() ? '*' : ' ', Printable(tensor.name).c_str(),
            index, FigureText(shift.coverage.min, "%.3f").c_str(), FigureText(shift.coverage.max, "%.3f").c_str(),
            100 * shift.clipped_calibration, 100 * shift.clipped_production,
            FigureText(shift.mean_shift, "%+.2f").c_str(), FigureText(shift.deviation_ratio, "%.2f").c_str());
  }
  for (const std::string& tensor : analysis.not_compared)
    out.Add("  %-30s no values in production\n", Printable(tensor).c_str());
}

void AddTensors(TextWriter& out, const AnalyzeResult& result) {
  const Analysis& analysis = result.analysis;
  out.Add("\n%-30s %5s %8s %7s %7s %9s %10s %10s %10s %10s  %s\n", "tensor", "layer", "outliers", "skew", "zeros %",
          "dead", "min", "typical", "typical", "max", "advice");
  for (const size_t index : analysis.by_outliers) {
    const TensorAnalysis& tensor = analysis.tensors[index];
    const ValueFacts& values = tensor.values;
    out.Add("%-30s %5zu %8s %7.2f %7.2f %9s %10.4g %10.4g %10.4g %10.4g  %s\n", Printable(tensor.name).c_str(), index,
            FigureText(values.outlier_ratio, "%.2f").c_str(), values.skewness, 100 * values.zero_share,
            Dead(values.dead_channels).c_str(), values.min, values.median_extremes.min, values.median_extremes.max,
            values.max, Advice(tensor).c_str());
    if (values.infinities > 0)
      out.Add("  %llu of %llu values are infinite\n", static_cast<unsigned long long>(values.infinities),
              static_cast<unsigned long long>(values.count));
  }
  out.Add("(outliers: largest |x| over the 99th percentile; typical: median of the per-sample extremes)\n");
}

}  // namespace

std::string ToText(const AnalyzeResult& result) {
  TextWriter out;
  AddSummary(out, result);
  if (!result.production.empty()) AddShifts(out, result);
  AddTensors(out, result);
  AddMethods(out, result);
  AddSamples(out, result.analysis);
  if (!result.html.empty()) out.Add("\npage: %s\n", Printable(result.html).c_str());
  if (!result.cover.empty()) out.Add("\nsamples for --only: %s\n", Printable(result.cover).c_str());
  return out.Take();
}

}  // namespace preon

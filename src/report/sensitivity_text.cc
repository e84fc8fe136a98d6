#include <algorithm>

#include "base/spelling.h"
#include "base/text.h"
#include "report/text_report.h"
#include "report/text_writer.h"

namespace preon {
namespace {

constexpr size_t kListed = 12;  // layers and tensors

void AddRest(TextWriter& out, size_t all) {
  if (all > kListed) out.Add("  and %zu more (all with --json)\n", all - kListed);
}

std::string GainText(const std::optional<double>& gain_db, const char* format) {
  return EqualsFloat(gain_db) ? "equal to float" : StrCat(FigureText(gain_db, format), " dB");
}

// Signal over error; "equal" without one.
std::string RatioText(const std::optional<double>& sqnr_db) { return sqnr_db ? SqnrText(*sqnr_db) : "-"; }

void AddLayers(TextWriter& out, const std::vector<LayerSensitivity>& layers) {
  out.Add(
      "  layers, in float: predicted gain (measured), time, file; share of the error; signal over own / inherited "
      "error\n");
  for (size_t index = 0; index < std::min(kListed, layers.size()); ++index) {
    const LayerSensitivity& layer = layers[index];
    out.Add("    %s dB", FigureText(layer.float_gain_db, "%+6.2f").c_str());
    if (layer.measured_gain_db) out.Add(" (%s)", GainText(layer.measured_gain_db, "%+.2f").c_str());
    out.Add(", %s, +%s; %4.1f %%; %s / %s  %s '%s'\n", FigureText(layer.float_cost, "%+.1f %%", 100).c_str(),
            BytesText(layer.float_bytes).c_str(), 100 * layer.share(), RatioText(layer.own_db).c_str(),
            RatioText(layer.inherited_db).c_str(), Printable(layer.op_type).c_str(), Printable(layer.node).c_str());
    if (!layer.cause.empty()) out.Add("             %s\n", Printable(layer.cause).c_str());
  }
  AddRest(out, layers.size());
}

void AddTensors(TextWriter& out, const std::vector<TensorSensitivity>& tensors) {
  out.Add("  tensors: share of the error; ratio of signal to own error / to inherited error\n");
  for (size_t index = 0; index < std::min(kListed, tensors.size()); ++index) {
    const TensorSensitivity& tensor = tensors[index];
    out.Add("    %4.1f %%; %s / %s  '%s'%s%s\n", 100 * tensor.share, RatioText(tensor.own_db).c_str(),
            RatioText(tensor.inherited_db).c_str(), Printable(tensor.tensor).c_str(), tensor.cause.empty() ? "" : ": ",
            Printable(tensor.cause).c_str());
  }
  AddRest(out, tensors.size());
}

void AddFix(TextWriter& out, const std::optional<SensitivityFix>& fix, const std::string& why_none) {
  if (!fix) {
    out.Add("  fix         none: %s\n", why_none.c_str());
    return;
  }
  out.Add("  fix         %s in float: measured %s (predicted %s); time measured %s (predicted %+.1f %%), file +%s\n",
          CountText(std::ssize(fix->nodes), "layer").c_str(), GainText(fix->gain_db, "%+.1f").c_str(),
          FigureText(fix->predicted_gain_db, "%+.1f dB").c_str(),
          FigureText(fix->measured_cost, "%+.1f %%", 100).c_str(), 100 * fix->cost, BytesText(fix->bytes).c_str());
  out.Add("              %s\n", Printable(fix->command).c_str());
}

}  // namespace

std::string ToText(const SensitivityResult& result) {
  TextWriter out;
  out.Add("%s\n  quantized   target %s, method %s: %s on the calibration samples (%s); gains are means of some runs\n",
          Printable(result.model).c_str(), result.target.c_str(), Printable(result.method).c_str(),
          SqnrText(result.sqnr_db).c_str(), CountText(result.samples, "sample").c_str());
  if (!result.scope.empty()) out.Add("  scope       %s\n", Printable(result.scope).c_str());
  AddLayers(out, result.layers);
  AddTensors(out, result.tensors);
  AddFix(out, result.fix, result.why_no_fix);
  AddFacts(out, result.facts);
  AddWarnings(out, result.warnings);
  return out.Take();
}

}  // namespace preon

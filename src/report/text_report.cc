#include "report/text_report.h"

#include <algorithm>

#include "base/spelling.h"
#include "base/text.h"
#include "quantize/plan/float_reason.h"
#include "report/figures_text.h"
#include "report/found_text.h"
#include "report/placement_text.h"
#include "report/positions_report.h"
#include "report/precision_report.h"
#include "report/text_writer.h"

namespace preon {
namespace {

void AddSizes(TextWriter& out, int64_t before, int64_t after) {
  out.Add("  size        %s -> %s", BytesText(before).c_str(), BytesText(after).c_str());
  const double ratio = static_cast<double>(after) / static_cast<double>(before);
  if (before > 0 && after > 0) out.Add(ratio > 1 ? " (%.2fx larger)" : " (%.1fx smaller)", std::max(ratio, 1 / ratio));
  out.Add("\n");
}

std::string ObservedText(int64_t observed, int64_t shared) {
  return StrCat(CountText(observed, "tensor"), " observed", shared == 0 ? "" : "; their ranges are also used for ",
                shared == 0 ? "" : CountText(shared, "other tensor"));
}

void AddTensorSummaries(TextWriter& out, const char* title, const std::vector<TensorSummary>& tensors) {
  for (const TensorSummary& tensor : tensors) {
    out.Add("  %-11s %s: %s\n", title, Printable(tensor.name).c_str(), Printable(tensor.type).c_str());
    title = "";
  }
}

void AddLines(TextWriter& out, const char* title, const NamedLines& lines) {
  for (const auto& [name, line] : lines) {
    out.Add("  %-11s %-30s %s\n", title, Printable(name).c_str(), Printable(line).c_str());
    title = "";
  }
}

}  // namespace

std::string ToText(const QuantizeResult& result) {
  TextWriter out;
  out.Add("%s -> %s\n", Printable(result.model).c_str(), Printable(result.output).c_str());
  AddSizes(out, result.float_size_bytes, result.quantized_size_bytes);
  if (result.observed_tensors > 0)
    out.Add("  calibrated  %s, %s\n",
            CountText(result.samples, result.random_data ? "RANDOM sample" : "sample").c_str(),
            ObservedText(result.observed_tensors, result.shared_tensors).c_str());
  if (!result.restored_from.empty())
    out.Add("  restored    %lld ranges from %s\n", static_cast<long long>(result.restored_tensors),
            Printable(result.restored_from).c_str());
  if (!result.inherited.empty())
    out.Add("  inherited   the ranges of %zu tensors (--passthrough), for example %s\n", result.inherited.size(),
            Printable(result.inherited.begin()->first).c_str());
  if (!result.histograms.empty()) out.Add("  histograms  %s\n", Printable(result.histograms).c_str());
  const std::string blocks = result.block_size > 0 ? StrCat(" in blocks of ", result.block_size) : "";
  if (result.weights_alone)
    out.Add("  format      weights %s%s (method %s), activations %s, target %s\n", Printable(result.weight).c_str(),
            blocks.c_str(), Printable(result.weight_method).c_str(), Printable(result.activation).c_str(),
            Printable(result.target).c_str());
  else
    out.Add("  format      method %s, activations %s, weights %s%s, target %s\n", Printable(result.method).c_str(),
            Printable(result.activation).c_str(), Printable(result.weight).c_str(), blocks.c_str(),
            Printable(result.target).c_str());
  for (const auto& [target, reason] : result.passed_over)
    out.Add("  passed over target %s: %s\n", target.c_str(), Printable(reason).c_str());
  for (const std::string& library : result.needs)
    out.Add("  needs       %s to be registered in ONNX Runtime\n", Printable(library).c_str());
  if (!result.weights_alone &&
      (result.scale_type != "float32" || result.weight_scale_type != "float32" || result.weight_method != "minmax")) {
    out.Add("  scales      activations %s, weights %s (method %s)\n", Printable(result.scale_type).c_str(),
            Printable(result.weight_scale_type).c_str(), Printable(result.weight_method).c_str());
  }
  if (result.compat != "off")
    out.Add("  compat      the same numbers as %s%s\n", Printable(result.compat).c_str(),
            result.without.empty() ? "" : StrCat(", without ", JoinNames(result.without)).c_str());
  AddCandidates(out, result.candidates);
  AddFallback(out, result.fallback);
  if (result.precision) AddPrecision(out, *result.precision);
  if (result.size_fit)
    out.Add("  size limit  %s: %zu of %zu layers have %s weights\n", BytesText(result.size_fit->most_bytes).c_str(),
            result.size_fit->layers.size(), result.size_fit->candidates, result.size_fit->type.c_str());
  if (result.placement && result.computes_in_float && result.placement->runs_on.empty())
    AddQuantizedNodes(out, *result.placement);
  else if (result.placement)
    AddPlacement(out, *result.placement, result.weights_alone ? "in blocks" : "integer");
  if (!result.rewritten_by.empty())
    out.Add("  rewritten   the float model, by %s\n", JoinNames(Split(result.rewritten_by, ';')).c_str());
  AddImproved(out, result.improved);
  AddPositions(out, result.positions);
  AddDpuCosts(out, result.dpu_costs);
  out.Add("  measured    on %s\n", FiguresText(result.figures, result.compare.samples).c_str());
  AddComparison(out, result.compare);
  AddLatency(out, result.latency);
  AddRequirements(out, result.requirements);
  AddFacts(out, result.facts);
  AddWarnings(out, result.warnings);
  AddAlarms(out, result.alarms);
  return out.Take();
}

std::string ToText(const CalibrateResult& result) {
  TextWriter out;
  out.Add("%s\n  calibrated  %s, %s; %.4f s per sample\n", Printable(result.output).c_str(),
          CountText(result.samples, "sample").c_str(),
          ObservedText(result.observed_tensors, result.shared_tensors).c_str(), result.seconds_per_sample);
  AddFacts(out, result.facts);
  AddWarnings(out, result.warnings);
  return out.Take();
}

std::string ToText(const InstrumentResult& result) {
  TextWriter out;
  out.Add("%s  %s (float %s)\n", Printable(result.output).c_str(), BytesText(result.instrumented_size_bytes).c_str(),
          BytesText(result.float_size_bytes).c_str());
  out.Add("  statistics  %s\n", ObservedText(result.observed_tensors, result.shared_tensors).c_str());
  out.Add("  collects    every %lld runs and at the end; the server must load lib/libpreon_observers.so\n",
          static_cast<long long>(result.every));
  out.Add("  output      set PREON_CALIB_OUT=%s where the model is served\n",
          result.calib_out.empty() ? "FOLDER" : Printable(result.calib_out).c_str());
  AddWarnings(out, result.warnings);
  return out.Take();
}

std::string ToText(const MergeResult& result) {
  TextWriter out;
  out.Add("%s\n  merged      %s: %s, %s\n", Printable(result.output).c_str(), CountText(result.parts, "file").c_str(),
          CountText(result.samples, "sample").c_str(), CountText(result.observed_tensors, "tensor").c_str());
  for (const std::string& warning : result.warnings) out.Add("  warning: %s\n", Printable(warning).c_str());
  return out.Take();
}

std::string ToText(const PassesResult& result) {
  TextWriter out;
  out.Add("%s\n  nodes       %lld before, %lld after\n", Printable(result.output).c_str(),
          static_cast<long long>(result.nodes_before), static_cast<long long>(result.nodes_after));
  for (const auto& [name, changed] : result.passes)
    out.Add("  %-30s %s\n", name.c_str(), changed ? "changed" : "no change");
  for (const std::string& warning : result.warnings) out.Add("  warning: %s\n", Printable(warning).c_str());
  return out.Take();
}

std::string ToText(const RangesResult& result) {
  TextWriter out;
  for (const auto& [method, tensors] : result.methods) {
    if (result.all_methods) out.Add("%s%s\n", &method == &result.methods.front().method ? "" : "\n", method.c_str());
    out.Add("%-40s %14s %14s %14s %10s\n", "tensor", "min", "max", "scale", "zero point");
    for (const auto& [name, range] : tensors) {
      out.Add("%-40s %14.7g %14.7g %14.7g %10lld\n", Printable(name).c_str(), range.min, range.max, range.scale,
              static_cast<long long>(range.zero_point));
    }
  }
  AddWarnings(out, result.warnings);
  return out.Take();
}

std::string ToText(const ModelSummary& result) {
  TextWriter out;
  out.Add("%s\n  size        %s; %s, %s\n", Printable(result.path).c_str(), BytesText(result.size_bytes).c_str(),
          CountText(result.weights, "weight tensor").c_str(), BytesText(result.weight_bytes).c_str());
  out.Add("  format      IR %lld", static_cast<long long>(result.ir_version));
  for (const auto& [domain, version] : result.opsets)
    out.Add(", %s %lld", domain.empty() ? "ai.onnx" : Printable(domain).c_str(), static_cast<long long>(version));
  out.Add("%s%s%s\n", result.producer.empty() ? "" : ", by ", Printable(result.producer).c_str(),
          result.quantized ? ", quantized" : "");
  AddTensorSummaries(out, "inputs", result.inputs);
  AddTensorSummaries(out, "outputs", result.outputs);
  if (result.macs > 0)
    out.Add("  work        %s multiply-accumulates per sample\n", LargeNumberText(result.macs).c_str());
  const char* title = "operators";
  for (const auto& [op, count] : result.operators) {
    out.Add("  %-11s %5lld %s\n", title, static_cast<long long>(count), Printable(op).c_str());
    title = "";
  }
  AddLines(out, "metadata", result.metadata);
  if (result.instrumented) {
    out.Add("  observes    %lld tensors of model %s, %s\n  collects    every %lld runs\n",
            static_cast<long long>(result.instrumented->observed_tensors),
            Printable(result.instrumented->fingerprint.substr(0, 12)).c_str(),
            Printable(result.instrumented->setup).c_str(), static_cast<long long>(result.instrumented->every));
  }
  return out.Take();
}

std::string ToText(const CalibSummary& result) {
  TextWriter out;
  out.Add("%s\n  model       %s\n  setup       %s\n  samples     %lld\n", Printable(result.path).c_str(),
          Printable(result.fingerprint).c_str(), Printable(result.setup).c_str(),
          static_cast<long long>(result.samples));
  out.Add("%-40s %14s %12s %12s %12s %12s %8s\n", "tensor", "count", "min", "max", "mean", "deviation", "zeros %");
  for (const auto& [name, sketch] : result.tensors) {
    out.Add("%-40s %14llu %12.5g %12.5g %12.5g %12.5g %8.2f\n", Printable(name).c_str(),
            static_cast<unsigned long long>(sketch.count), sketch.min, sketch.max, sketch.mean, sketch.deviation,
            sketch.count > 0 ? 100.0 * static_cast<double>(sketch.zeros) / static_cast<double>(sketch.count) : 0);
  }
  for (const auto& [name, source] : result.shared)
    out.Add("%-40s shares the range of %s\n", Printable(name).c_str(), Printable(source).c_str());
  return out.Take();
}

std::string ToText(const RunResult& result) {
  TextWriter out;
  out.Add("%s\n  runs        %lld over %s\n", Printable(result.model).c_str(), static_cast<long long>(result.runs),
          CountText(result.samples, "sample").c_str());
  out.Add("  latency     p50 %.3f ms, p90 %.3f ms, p99 %.3f ms; %.1f samples per second; %s\n", result.latency.p50,
          result.latency.p90, result.latency.p99, result.latency.throughput,
          CountText(result.threads, "thread").c_str());
  if (!result.saved_to.empty()) out.Add("  outputs     %s\n", Printable(result.saved_to).c_str());
  AddFacts(out, result.facts);
  AddWarnings(out, result.warnings);
  return out.Take();
}

std::string ToText(const CompareResult& result) {
  TextWriter out;
  out.Add("%s -> %s, %s\n", Printable(result.reference).c_str(), Printable(result.other).c_str(),
          CountText(result.compare.samples, "sample").c_str());
  AddSizes(out, result.reference_size_bytes, result.other_size_bytes);
  AddComparison(out, result.compare);
  AddLatency(out, result.latency);
  AddFacts(out, result.facts);
  AddWarnings(out, result.warnings);
  return out.Take();
}

std::string ToText(const DoctorResult& result) {
  TextWriter out;
  out.Add("preon %s\n  cpu         %s\n  features    %s\n  kernels     %s\n  threads     %d\n",
          result.facts.version.c_str(), result.cpu.c_str(), Join(result.cpu_features, " ").c_str(),
          result.kernels.c_str(), result.threads);
  out.Add("  runtime     ONNX Runtime %s\n  onnx        up to opset %lld\n  types       %s\n",
          result.runtime_version.c_str(), static_cast<long long>(result.newest_opset), Join(result.types, " ").c_str());
  AddLines(out, "methods", result.methods);
  AddLines(out, "targets", result.targets);
  AddLines(out, "passes", result.passes);
  const char* title = "keys";
  int64_t has_all = 0, all_all = 0;
  for (const auto& [group, has, all] : result.quark_keys) {
    out.Add("  %-11s %-30s %lld of %lld\n", title, group.c_str(), static_cast<long long>(has),
            static_cast<long long>(all));
    title = "";
    has_all += has;
    all_all += all;
  }
  out.Add("  %-11s %-30s %lld of %lld keys of AMD Quark; any other key is an error\n", "", "all",
          static_cast<long long>(has_all), static_cast<long long>(all_all));
  if (result.descriptions) {
    for (const KeyDescription& key : result.descriptions->keys) {
      out.Add("  %-36s %-12s %-16s %s\n", key.name.c_str(), key.type.c_str(), key.fallback.c_str(),
              key.here.empty() ? "not in this version" : key.here.c_str());
    }
    out.Add("  %-11s %-30s %zu, all supported\n", "fields", "of QConfig", result.descriptions->fields.size());
  }
  return out.Take();
}

}  // namespace preon

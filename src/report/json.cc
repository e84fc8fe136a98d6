#include "report/json.h"

#include "report/figures_text.h"
#include "report/json_object.h"
#include "report/positions_report.h"
#include "report/precision_report.h"

namespace preon {
namespace {

using Json = JsonObject;

Json AccuracyJson(const Accuracy& accuracy) { return {{"top1", accuracy.top1}, {"top5", accuracy.top5}}; }

Json LatencyJson(const Latency& latency) { return {{"p50", latency.p50}, {"p90", latency.p90}, {"p99", latency.p99}}; }

Json PlacementJson(const Placement& placement) {
  Json integer = Json::array(), float_nodes = Json::array(), kernels = Json::object();
  for (const IntegerNode& node : placement.integer) {
    integer.push_back(node.node);
    if (placement.runs_on.empty()) kernels[node.kernel] = kernels.value(node.kernel, 0) + 1;
  }
  for (const FloatNode& node : placement.float_nodes) {
    Json entry = {{"node", node.node}, {"op", node.op}, {"reason", node.reason}, {"macs_share", node.macs_share}};
    if (!node.detail.empty()) entry["detail"] = node.detail;
    if (!node.weights.empty()) entry["weights"] = {{"stored", node.weights}, {"why", node.weights_why}};
    float_nodes.push_back(std::move(entry));
  }
  return {{"runs_on", placement.runs_on.empty() ? "ONNX Runtime" : placement.runs_on},
          {"integer", integer},
          {"float", float_nodes},
          {"integer_macs_share", placement.integer_macs_share},
          {"anchors", {{"integer", placement.integer_anchors}, {"float", placement.float_anchors}}},
          {"integer_kernels", kernels}};
}

Json CandidatesJson(const std::vector<MethodCandidate>& candidates) {
  Json json = Json::array();
  for (const MethodCandidate& candidate : candidates) {
    json.push_back({{"method", candidate.method},
                    {"options", candidate.options},
                    {"sqnr_db", candidate.sqnr_db},
                    {"selected", candidate.selected},
                    {"ended_early", candidate.ended_early}});
    if (candidate.activations_db) json.back()["activations_db"] = *candidate.activations_db;
  }
  return json;
}

Json FallbackJson(const AccuracyFallback& fallback) {
  Json trials = Json::array();
  for (const FallbackTrial& trial : fallback.trials)
    trials.push_back({{"nodes", trial.nodes},
                      {"sqnr_db", trial.sqnr_db},
                      {"cost", trial.cost},
                      {"kept", trial.kept},
                      {"slow", trial.slow}});
  return {{"before_db", fallback.before_db},
          {"after_db", fallback.after_db},
          {"cost", fallback.cost},
          {"why_none", fallback.why_none},
          {"trials", std::move(trials)}};
}

Json TensorsJson(const std::vector<TensorSummary>& tensors) {
  Json json = Json::object();
  for (const TensorSummary& tensor : tensors) json[tensor.name] = tensor.type;
  return json;
}

Json LinesJson(const NamedLines& lines) {
  Json json = Json::object();
  for (const auto& [name, line] : lines) json[name] = line;
  return json;
}

Json RangesJson(const std::map<std::string, TensorRange>& ranges) {
  Json tensors = Json::object();
  for (const auto& [name, range] : ranges) {
    tensors[name] = {{"min", range.min}, {"max", range.max}, {"scale", range.scale}, {"zero_point", range.zero_point}};
  }
  return tensors;
}

void DescribeRanges(const RangesResult& result, Json& json) {
  json["activation"] = result.activation;
  json["scale_type"] = result.scale_type;
  json["compat"] = result.compat;
  if (!result.all_methods) {
    json["method"] = result.methods.front().method;
    json["tensors"] = RangesJson(result.methods.front().tensors);
  } else {
    for (const auto& [method, tensors] : result.methods) json["methods"][method]["tensors"] = RangesJson(tensors);
  }
}

}  // namespace

std::string ToJson(const QuantizeResult& result) {
  Json json = BeginJson(result.facts);
  json["model"] = result.model;
  json["output"] = result.output;
  json["size_bytes"] = {{"float", result.float_size_bytes}, {"quantized", result.quantized_size_bytes}};
  json["samples"] = result.samples;
  json["random_data"] = result.random_data;
  json["observed_tensors"] = result.observed_tensors;
  json["shared_tensors"] = result.shared_tensors;
  if (!result.inherited.empty()) json["inherited"] = result.inherited;
  if (!result.restored_from.empty())
    json["restored"] = {{"file", result.restored_from}, {"tensors", result.restored_tensors}};
  if (!result.histograms.empty()) json["histograms"] = result.histograms;
  json["method"] = result.method;
  if (!result.candidates.empty()) json["candidates"] = CandidatesJson(result.candidates);
  if (!result.fallback.trials.empty() || !result.fallback.why_none.empty())
    json["fallback"] = FallbackJson(result.fallback);
  if (result.precision) json["precision"] = PrecisionJson(*result.precision);
  if (result.size_fit) {
    const SizeFit& fit = *result.size_fit;
    json["size_fit"] = {
        {"most_bytes", fit.most_bytes}, {"type", fit.type}, {"layers", fit.layers}, {"candidates", fit.candidates}};
  }
  if (!result.rewritten_by.empty()) json["rewritten_by"] = result.rewritten_by;
  for (const ImprovedCodes& improved : result.improved) {
    if (!improved.why_not.empty()) {
      json["improved"].push_back({{"algorithm", improved.algorithm}, {"why_not", improved.why_not}});
      continue;
    }
    json["improved"].push_back({{"algorithm", improved.algorithm},
                                {"runs", improved.runs},
                                {"seconds", improved.seconds},
                                {"layers_changed", improved.layers_changed},
                                {"layers_kept", improved.layers_kept},
                                {"runs_of_last_layers", improved.runs_of_last_layers},
                                {"last_layers_gain_db", improved.last_layers_gain_db},
                                {"sqnr_db_before", improved.before_db},
                                {"sqnr_db_after", improved.after_db}});
  }
  AddPositionsJson(json, result.positions);
  for (const DpuCost& cost : result.dpu_costs)
    json["dpu"].push_back({{"pass", cost.pass}, {"sqnr_db", cost.with_db}, {"sqnr_db_without", cost.without_db}});
  json["activation"] = result.activation;
  json["weight"] = result.weight;
  if (result.block_size > 0) json["block_size"] = result.block_size;
  if (!result.needs.empty()) json["needs"] = result.needs;
  json["scale_type"] = result.scale_type;
  json["weight_scale_type"] = result.weight_scale_type;
  json["weight_method"] = result.weight_method;
  json["compat"] = result.compat;
  json["target"] = result.target;
  for (const auto& [target, reason] : result.passed_over)
    json["passed_over"].push_back({{"target", target}, {"reason", reason}});
  if (result.placement) json["placement"] = PlacementJson(*result.placement);
  Json compare = Json::object();
  AddComparisonJson(compare, result.compare);
  AddLatencyJson(compare, result.latency);
  json["compare"] = compare;
  json["figures_from"] = FigureOriginName(result.figures.origin);
  AddRequirementsJson(json, result.requirements);
  AddAlarmsJson(json, result.alarms);
  json["warnings"] = result.warnings;
  return JsonLine(json);
}

std::string ToJson(const CalibrateResult& result) {
  Json json = BeginJson(result.facts);
  json["output"] = result.output;
  json["samples"] = result.samples;
  json["observed_tensors"] = result.observed_tensors;
  json["shared_tensors"] = result.shared_tensors;
  json["seconds_per_sample"] = result.seconds_per_sample;
  json["warnings"] = result.warnings;
  return JsonLine(json);
}

std::string ToJson(const InstrumentResult& result) {
  Json json = BeginJson(result.facts);
  json["output"] = result.output;
  json["size_bytes"] = {{"float", result.float_size_bytes}, {"instrumented", result.instrumented_size_bytes}};
  json["observed_tensors"] = result.observed_tensors;
  json["shared_tensors"] = result.shared_tensors;
  json["calib_out"] = result.calib_out;
  json["every"] = result.every;
  json["warnings"] = result.warnings;
  return JsonLine(json);
}

std::string ToJson(const MergeResult& result) {
  Json json = BeginJson(result.facts);
  json["output"] = result.output;
  json["parts"] = result.parts;
  json["samples"] = result.samples;
  json["observed_tensors"] = result.observed_tensors;
  json["warnings"] = result.warnings;
  return JsonLine(json);
}

std::string ToJson(const PassesResult& result) {
  Json json = BeginJson(result.facts);
  json["output"] = result.output;
  json["passes"] = Json::array();
  for (const auto& [name, changed] : result.passes) json["passes"].push_back({{"name", name}, {"changed", changed}});
  json["nodes"] = {{"before", result.nodes_before}, {"after", result.nodes_after}};
  json["warnings"] = result.warnings;
  return JsonLine(json);
}

std::string ToJson(const RangesResult& result) {
  Json json = BeginJson(result.facts);
  DescribeRanges(result, json);
  json["warnings"] = result.warnings;
  return JsonLine(json);
}

std::string RangesFile(const RangesResult& result) {
  Json json = BeginJson(result.facts);
  json.erase("seconds");
  json.erase("peak_rss_bytes");
  DescribeRanges(result, json);
  return JsonLine(json) + "\n";
}

std::string ToJson(const ModelSummary& result) {
  Json json = BeginJson(result.facts);
  json["model"] = result.path;
  json["fingerprint"] = result.fingerprint;
  json["size_bytes"] = result.size_bytes;
  json["ir_version"] = result.ir_version;
  json["opsets"] = result.opsets;
  json["producer"] = result.producer;
  json["inputs"] = TensorsJson(result.inputs);
  json["outputs"] = TensorsJson(result.outputs);
  json["operators"] = result.operators;
  json["weights"] = result.weights;
  json["weight_bytes"] = result.weight_bytes;
  json["macs"] = result.macs;
  json["quantized"] = result.quantized;
  json["metadata"] = LinesJson(result.metadata);
  if (result.instrumented) {
    json["instrumented"] = {{"every", result.instrumented->every},
                            {"observed_tensors", result.instrumented->observed_tensors},
                            {"fingerprint", result.instrumented->fingerprint},
                            {"setup", result.instrumented->setup}};
  }
  return JsonLine(json);
}

std::string ToJson(const CalibSummary& result) {
  Json json = BeginJson(result.facts);
  json["calib"] = result.path;
  json["fingerprint"] = result.fingerprint;
  json["setup"] = result.setup;
  json["samples"] = result.samples;
  Json& tensors = json["tensors"] = Json::object();
  for (const auto& [name, sketch] : result.tensors) {
    tensors[name] = {{"count", sketch.count}, {"zeros", sketch.zeros}, {"min", sketch.min},
                     {"max", sketch.max},     {"mean", sketch.mean},   {"deviation", sketch.deviation}};
  }
  json["shared"] = result.shared;
  return JsonLine(json);
}

std::string ToJson(const RunResult& result) {
  Json json = BeginJson(result.facts);
  json["model"] = result.model;
  json["samples"] = result.samples;
  json["runs"] = result.runs;
  json["latency_ms"] = LatencyJson(result.latency);
  json["threads"] = result.threads;
  json["throughput"] = result.latency.throughput;
  if (!result.saved_to.empty()) json["saved_to"] = result.saved_to;
  json["warnings"] = result.warnings;
  return JsonLine(json);
}

std::string ToJson(const CompareResult& result) {
  Json json = BeginJson(result.facts);
  json["float"] = result.reference;
  json["quantized"] = result.other;
  json["size_bytes"] = {{"float", result.reference_size_bytes}, {"quantized", result.other_size_bytes}};
  AddComparisonJson(json, result.compare);
  AddLatencyJson(json, result.latency);
  json["warnings"] = result.warnings;
  return JsonLine(json);
}

namespace {

void AddDescriptions(Json& json, const OptionDescriptions& descriptions) {
  for (const OptionDescription& option : descriptions.options) {
    json["options"].push_back({{"name", option.name},
                               {"value", option.value},
                               {"kind", option.kind},
                               {"meaning", option.meaning},
                               {"group", option.group},
                               {"verbs", option.verbs}});
  }
  for (const KeyDescription& key : descriptions.keys) {
    json["keys"].push_back({{"name", key.name},
                            {"group", key.group},
                            {"stage", key.stage},
                            {"type", key.type},
                            {"default", Json::parse(key.fallback)},
                            {"otherwise", key.otherwise},
                            {"default_here", key.default_here},
                            {"range", key.range},
                            {"meaning", key.meaning},
                            {"here", key.here},
                            {"ours", key.ours}});
  }
  for (const FieldDescription& field : descriptions.fields) {
    json["fields"].push_back(
        {{"name", field.name}, {"type", field.type}, {"default", field.fallback}, {"meaning", field.meaning}});
  }
}

}  // namespace

std::string ToJson(const DoctorResult& result) {
  Json json = BeginJson(result.facts);
  json["cpu"] = result.cpu;
  json["cpu_features"] = result.cpu_features;
  json["kernels"] = result.kernels;
  json["threads"] = result.threads;
  json["runtime_version"] = result.runtime_version;
  json["newest_opset"] = result.newest_opset;
  json["methods"] = LinesJson(result.methods);
  json["targets"] = LinesJson(result.targets);
  json["passes"] = LinesJson(result.passes);
  json["types"] = result.types;
  Json keys = Json::object();
  for (const auto& [group, has, all] : result.quark_keys) keys[group] = {{"has", has}, {"all", all}};
  json["reference_keys"] = {{"groups", keys}, {"missing", result.missing_keys}};
  if (result.descriptions) AddDescriptions(json, *result.descriptions);
  return JsonLine(json);
}

}  // namespace preon

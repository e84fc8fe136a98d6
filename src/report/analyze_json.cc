#include "report/analyze_samples.h"
#include "report/json.h"
#include "report/json_object.h"

namespace preon {
namespace {

using Json = JsonObject;

Json ExtremesJson(const TypicalExtremes& extremes) { return {{"min", extremes.min}, {"max", extremes.max}}; }

void AddFacts(Json& json, const ValueFacts& values) {
  json["count"] = values.count;
  json["infinities"] = values.infinities;
  json["zero_share"] = values.zero_share;
  json["min"] = values.min;
  json["max"] = values.max;
  json["mean"] = values.mean;
  json["deviation"] = values.deviation;
  json["skewness"] = values.skewness;
  json["p99"] = values.usual_largest;
  json["sample_extremes"] = {{"mean", ExtremesJson(values.mean_extremes)},
                             {"median", ExtremesJson(values.median_extremes)}};
  if (values.dead_channels)
    json["dead_channels"] = {{"dead", values.dead_channels->dead}, {"channels", values.dead_channels->channels}};
}

Json MethodJson(const MethodRange& method) {
  return {{"min", method.range.min}, {"max", method.range.max}, {"clipped", method.clipped}, {"error", method.error}};
}

Json ProductionJson(const ProductionView& view) {
  const Shift& shift = view.shift;
  Json json = {{"gap", shift.is_gap()},
               {"clipped", {{"calibration", shift.clipped_calibration}, {"production", shift.clipped_production}}},
               {"mean_shift", NumberOrNull(shift.mean_shift)},
               {"deviation_ratio", NumberOrNull(shift.deviation_ratio)},
               {"outlier_ratio", NumberOrNull(view.values.outlier_ratio)}};
  AddFacts(json, view.values);
  return json;
}

Json TensorJson(const TensorAnalysis& tensor, size_t layer, bool compared) {
  Json json = {{"outlier_ratio", NumberOrNull(tensor.values.outlier_ratio)},
               {"method", tensor.method},
               {"method_options", tensor.method_options},
               {"reason", tensor.reason}};
  if (compared) {
    const Coverage coverage = tensor.production ? tensor.production->shift.coverage : Coverage{};
    json["coverage"] = NumberOrNull(coverage.max);
    json["coverage_min"] = NumberOrNull(coverage.min);
  }
  json["layer"] = layer;
  json["op"] = tensor.op;
  if (!tensor.shared_by.empty()) json["shared_by"] = tensor.shared_by;
  AddFacts(json, tensor.values);
  Json& methods = json["methods"] = Json::object();
  for (const MethodRange& method : tensor.methods) methods[method.method] = MethodJson(method);
  json["range"] = MethodJson(tensor.chosen);
  if (tensor.production) json["production"] = ProductionJson(*tensor.production);
  return json;
}

Json NamesOf(const Analysis& analysis, const std::vector<size_t>& indices) {
  Json names = Json::array();
  for (const size_t index : indices) names.push_back(analysis.tensors[index].name);
  return names;
}

Json SummaryJson(const AnalyzeResult& result) {
  const Analysis& analysis = result.analysis;
  Json json = {{"tensors", analysis.tensors.size()},
               {"samples", result.samples},
               {"method", result.method},
               {"activation", result.activation},
               {"advice", analysis.advice},
               {"not_reached", analysis.not_reached},
               {"by_outliers", NamesOf(analysis, analysis.by_outliers)}};
  Json& methods = json["methods"] = Json::object();
  for (const MethodSummary& method : analysis.methods) {
    methods[method.method] = {{"median_kept", method.median_kept},
                              {"median_error", method.median_error},
                              {"least_error", method.least_error}};
  }
  json["per_sample"] = SamplesJson(analysis);
  if (result.production.empty()) return json;
  json["production"] = {{"samples", result.production_samples},
                        {"gaps", NamesOf(analysis, analysis.gaps)},
                        {"by_shift", NamesOf(analysis, analysis.by_shift)},
                        {"not_compared", analysis.not_compared}};
  return json;
}

}  // namespace

std::string ToJson(const AnalyzeResult& result) {
  Json json = BeginJson(result.facts);
  json["calib"] = result.calib;
  if (!result.production.empty()) json["production"] = result.production;
  if (!result.html.empty()) json["html"] = result.html;
  if (!result.cover.empty()) json["cover"] = result.cover;
  json["summary"] = SummaryJson(result);
  Json& tensors = json["tensors"] = Json::object();
  for (size_t layer = 0; layer < result.analysis.tensors.size(); ++layer) {
    const TensorAnalysis& tensor = result.analysis.tensors[layer];
    Json& json_of_tensor = tensors[tensor.name] = TensorJson(tensor, layer, !result.production.empty());
    if (result.analysis.samples) json_of_tensor["per_sample"] = TensorSamplesJson(result.analysis, layer);
  }
  for (const std::string& name : result.analysis.not_reached) {
    tensors[name] = {
        {"outlier_ratio", nullptr}, {"method", nullptr}, {"reason", "no calibration sample reaches it: no range"}};
  }
  return JsonLine(json);
}

}  // namespace preon

#include "report/json.h"
#include "report/json_object.h"

namespace preon {
namespace {

JsonObject LayerJson(const LayerSensitivity& layer) {
  JsonObject json = {{"node", layer.node},
                     {"op", layer.op_type},
                     {"position", layer.position},
                     {"time_share", layer.time_share},
                     {"share", layer.share()},
                     {"weight_share", layer.weight_share},
                     {"input_share", layer.input_share},
                     {"output_share", layer.output_share},
                     {"own_db", NumberOrNull(layer.own_db)},
                     {"inherited_db", NumberOrNull(layer.inherited_db)},
                     {"float_gain_db", NumberOrNull(layer.float_gain_db)},
                     {"float_cost", NumberOrNull(layer.float_cost)},
                     {"float_bytes", layer.float_bytes}};
  if (layer.measured_gain_db) json["measured_gain_db"] = *layer.measured_gain_db;
  if (EqualsFloat(layer.measured_gain_db)) json["measured_equals"] = true;
  if (!layer.cause.empty()) json["cause"] = layer.cause;
  return json;
}

JsonObject TensorJson(const TensorSensitivity& tensor) {
  JsonObject json = {{"tensor", tensor.tensor},
                     {"share", tensor.share},
                     {"own_db", NumberOrNull(tensor.own_db)},
                     {"inherited_db", NumberOrNull(tensor.inherited_db)}};
  if (!tensor.cause.empty()) json["cause"] = tensor.cause;
  return json;
}

}  // namespace

std::string ToJson(const SensitivityResult& result) {
  JsonObject json = BeginJson(result.facts);
  json["model"] = result.model;
  json["target"] = result.target;
  json["method"] = result.method;
  json["samples"] = result.samples;
  json["evaluations"] = result.evaluations;
  json["sqnr_db"] = result.sqnr_db;
  json["typical_db"] = result.typical_db;
  json["layers"] = JsonObject::array();
  for (const LayerSensitivity& layer : result.layers) json["layers"].push_back(LayerJson(layer));
  json["tensors"] = JsonObject::array();
  for (const TensorSensitivity& tensor : result.tensors) json["tensors"].push_back(TensorJson(tensor));
  if (result.fix) {
    const SensitivityFix& fix = *result.fix;
    json["fix"] = {
        {"nodes", fix.nodes},    {"predicted_gain_db", fix.predicted_gain_db},       {"gain_db", fix.gain_db},
        {"cost", fix.cost},      {"measured_cost", NumberOrNull(fix.measured_cost)}, {"bytes", fix.bytes},
        {"command", fix.command}};
    if (EqualsFloat(fix.gain_db)) json["fix"]["measured_equals"] = true;
  }
  if (!result.why_no_fix.empty()) json["why_no_fix"] = result.why_no_fix;
  if (!result.scope.empty()) json["scope"] = result.scope;
  json["warnings"] = result.warnings;
  return JsonLine(json);
}

}  // namespace preon

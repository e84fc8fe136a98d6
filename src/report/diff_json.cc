#include "report/json.h"
#include "report/json_object.h"

namespace preon {
namespace {

JsonObject ChangesJson(const std::vector<Change>& changes) {
  JsonObject json = JsonObject::array();
  for (const Change& change : changes) json.push_back({{"what", change.what}, {"a", change.a}, {"b", change.b}});
  return json;
}

JsonObject NodesJson(const std::vector<DiffNode>& nodes) {
  JsonObject json = JsonObject::array();
  for (const DiffNode& node : nodes) json.push_back({{"node", node.node}, {"op", node.op}});
  return json;
}

JsonObject CodesJson(const std::vector<StoredCodes>& all) {
  JsonObject json = JsonObject::array();
  for (const StoredCodes& codes : all) {
    JsonObject entry = {{"type", codes.format}};
    if (!codes.params.empty()) {
      entry["scale"] = JsonObject::array();
      entry["zero_point"] = JsonObject::array();
      for (const QuantParams& params : codes.params) {
        entry["scale"].push_back(params.scale);
        entry["zero_point"].push_back(params.zero_point);
      }
    }
    if (codes.axis >= 0) entry["axis"] = codes.axis;
    if (codes.block_size > 0) entry["block_size"] = codes.block_size;
    if (const auto range = RangeOfCodes(codes)) {
      entry["min"] = range->min;
      entry["max"] = range->max;
    }
    json.push_back(std::move(entry));
  }
  return json;
}

JsonObject TensorJson(const ChangedTensor& tensor) {
  JsonObject json = {{"a", tensor.a}, {"b", tensor.b}, {"constant", tensor.constant}};
  json["codes_a"] = CodesJson(tensor.codes_a);
  json["codes_b"] = CodesJson(tensor.codes_b);
  if (!tensor.changes.empty()) json["changes"] = ChangesJson(tensor.changes);
  if (!tensor.values) return json;
  if (tensor.values->codes_differ) json["codes_differ"] = *tensor.values->codes_differ;
  if (tensor.values->sqnr_db) json["sqnr_db"] = *tensor.values->sqnr_db;
  if (tensor.values->max_abs) json["max_abs"] = *tensor.values->max_abs;
  return json;
}

}  // namespace

std::string ToJson(const DiffResult& result) {
  const ModelDiff& diff = result.diff;
  JsonObject json = BeginJson(result.facts);
  json["a"] = result.a;
  json["b"] = result.b;
  json["same"] = diff.same();
  json["header"] = ChangesJson(diff.header);
  JsonObject nodes = {{"same", diff.nodes.same}};
  nodes["only_in_a"] = NodesJson(diff.nodes.only_in_a);
  nodes["only_in_b"] = NodesJson(diff.nodes.only_in_b);
  nodes["changed"] = JsonObject::array();
  for (const ChangedNode& node : diff.nodes.changed)
    nodes["changed"].push_back({{"a", {{"node", node.a.node}, {"op", node.a.op}}},
                                {"b", {{"node", node.b.node}, {"op", node.b.op}}},
                                {"changes", ChangesJson(node.changes)}});
  json["nodes"] = std::move(nodes);
  JsonObject tensors = {{"same", diff.tensors.same},
                        {"quantized_a", diff.tensors.quantized_a},
                        {"quantized_b", diff.tensors.quantized_b}};
  tensors["changed"] = JsonObject::array();
  for (const ChangedTensor& tensor : diff.tensors.changed) tensors["changed"].push_back(TensorJson(tensor));
  json["tensors"] = std::move(tensors);
  if (result.outputs) {
    JsonObject compare = JsonObject::object();
    AddComparisonJson(compare, *result.outputs);
    json["compare"] = std::move(compare);
    json["random_data"] = result.random_data;
  }
  json["warnings"] = result.warnings;
  return JsonLine(json);
}

}  // namespace preon

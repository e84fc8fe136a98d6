#include "config/files/qconfig_fields.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/spelling.h"
#include "config/json_values.h"

namespace preon {
namespace {

constexpr ConfigField kFields[] = {
    {"QConfig.global_config", "QLayerConfig", "", "settings for every layer; needs input_tensors and weight"},
    {"QConfig.specific_layer_config", "list of [QLayerConfig, selectors]", "[]",
     "settings for nodes by name, ^pattern or sub-graph; override the others"},
    {"QConfig.layer_type_config", "list of [QLayerConfig or null, operator types]", "[]",
     "settings by operator type; override global_config; null leaves the nodes in float"},
    {"QConfig.exclude", "list of selectors", "[]",
     "nodes that stay float: names, ^patterns, sub-graphs [[starts], [ends]]"},
    {"QConfig.algo_config", "list of {\"name\": ..., parameters}", "[]",
     "algorithms; one that is not in this version is an error"},
    {"QConfig.use_external_data_format", "true or false", "false", "large tensors in a file beside the model"},
    {"QConfig.extra_options", "table", "{}", "keys of Quark (--option help)"},
    {"QConfig.preon_options", "table", "{}", "preon's options by their long names (not in Quark)"},
    {"QLayerConfig.input_tensors", "QTensorConfig", "null", "activations that a layer reads"},
    {"QLayerConfig.activation", "QTensorConfig", "null", "older name of input_tensors"},
    {"QLayerConfig.weight", "QTensorConfig", "null", "constants that a layer reads"},
    {"QLayerConfig.bias", "QTensorConfig", "null",
     "bias of a layer; default: 32-bit codes with the scale of input times weight"},
    {"QLayerConfig.output_tensors", "QTensorConfig", "null",
     "activations that a layer writes; default: the settings of their readers"},
    {"QTensorConfig.symmetric", "true or false", "", "zero point in the middle"},
    {"QTensorConfig.scale_type", "Float32, PowerOf2 or Int16", "", "type of scales"},
    {"QTensorConfig.calibration_method", "method", "",
     "calibration method; constants have MinMSE or, for any other method, MinMax"},
    {"QTensorConfig.quant_granularity", "Tensor, Channel or Group", "",
     "which values share a scale; Group: blocks of block_size values"},
    {"QTensorConfig.block_size", "integer: 1..", "key WeightBlockSize",
     "with Group: number of weights that share a scale (not in Quark)"},
    {"QTensorConfig.data_type", "number format", "", "number format of the tensor"},
};

}  // namespace

std::span<const ConfigField> QConfigFields() { return kFields; }

Status CheckFields(const nlohmann::json& object, std::string_view of) {
  if (!object.is_object()) return WrongType(object, StrCat("a ", of));
  std::vector<std::string> known;
  for (const ConfigField& field : kFields) {
    if (field.name.starts_with(StrCat(of, "."))) known.emplace_back(field.name.substr(of.size() + 1));
  }
  for (const auto& [key, ignored] : object.items()) {
    if (std::ranges::find(known, key) == known.end())
      return Error(ErrorId::kBadConfig, "'", key, "' is no field of ", of, DidYouMean(key, known));
  }
  return Status::Ok();
}

}  // namespace preon

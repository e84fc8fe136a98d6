#include "config/qconfig_fields.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/spelling.h"
#include "config/json_values.h"

namespace preon {
namespace {

constexpr ConfigField kFields[] = {
    {"QConfig.global_config", "QLayerConfig", "", "what holds for every layer; needs input_tensors and weight"},
    {"QConfig.specific_layer_config", "list of [QLayerConfig, selectors]", "[]",
     "over that, for nodes by name, ^pattern or sub-graph"},
    {"QConfig.layer_type_config", "list of [QLayerConfig or null, operator types]", "[]",
     "over the global one, by operator type; null leaves them in float"},
    {"QConfig.exclude", "list of selectors", "[]",
     "nodes that stay float: names, ^patterns, sub-graphs [[starts], [ends]]"},
    {"QConfig.algo_config", "list of {\"name\": ..., parameters}", "[]",
     "algorithms; of these this version runs bias_correction"},
    {"QConfig.use_external_data_format", "true or false", "false", "large tensors in a file beside the model"},
    {"QConfig.extra_options", "table", "{}", "keys, each with a description of its own"},
    {"QConfig.preon_options", "table", "{}", "options of ours by their long names (not in the reference)"},
    {"QLayerConfig.input_tensors", "QTensorConfig", "null", "activations that a layer reads"},
    {"QLayerConfig.activation", "QTensorConfig", "null", "older name of input_tensors"},
    {"QLayerConfig.weight", "QTensorConfig", "null", "constants that it reads"},
    {"QLayerConfig.bias", "QTensorConfig", "null", "its bias, instead of 32-bit codes that fit input and weight"},
    {"QLayerConfig.output_tensors", "QTensorConfig", "null", "what it writes; default: as its readers read it"},
    {"QTensorConfig.symmetric", "true or false", "", "zero point in the middle"},
    {"QTensorConfig.scale_type", "Float32, PowerOf2 or Int16", "", "which scales there are"},
    {"QTensorConfig.calibration_method", "method", "",
     "how the range follows from the values; of constants MinMSE is searched for, all others are MinMax"},
    {"QTensorConfig.quant_granularity", "Tensor, Channel or Group", "",
     "which values share a scale; Group: block_size neighbours"},
    {"QTensorConfig.block_size", "integer: 1..", "key WeightBlockSize",
     "with Group: so many weights share a scale (not in the reference)"},
    {"QTensorConfig.data_type", "number format", "", "the type"},
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

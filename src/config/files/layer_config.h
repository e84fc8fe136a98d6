// QTensorConfig and QLayerConfig of Quark: the settings of a layer's tensors, by their role.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "config/options.h"

namespace preon {

enum class SpecGranularity { kTensor, kChannel, kGroup };

struct TensorConfig {
  bool symmetric = true;
  ScaleType scale_type = ScaleType::kFloat32;
  std::string method;
  SpecGranularity granularity = SpecGranularity::kTensor;
  int64_t block_size = 0;  // with kGroup
  TensorType type = DataType::kInt8;

  /// Of values with a range: blocks and unscaled halves have none.
  bool is_integer() const { return type.block() == nullptr && IsIntType(type.type()); }
};

/// Of a QLayerConfig: by roles (input_tensors, weight, bias, output_tensors; `activation` is put under input_tensors).
/// @param block_size  that of groups whose spec names none
/// Errors: kBadConfig, with role and field.
Result<std::map<std::string, TensorConfig>> ParseLayer(const nlohmann::json& json, std::optional<int64_t> block_size);

/// Can a tensor in this role be so? Errors: kBadConfig.
Status CheckRole(const TensorConfig& spec, std::string_view role);
/// Warns of fields that its type, or a constant, does not use: Quark ignores them, too.
void WarnOfIgnoredFields(const TensorConfig& spec, std::string_view role, Options& options);

LayerOverride LayerOf(const std::map<std::string, TensorConfig>& roles);

}  // namespace preon

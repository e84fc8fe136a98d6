#include "config/keys/pass_list.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/spelling.h"
#include "base/text.h"
#include "config/compound_options.h"
#include "config/option_table.h"
#include "config/option_values.h"
#include "config/yaml.h"

namespace preon {
namespace {

using Json = nlohmann::json;

struct ListedPass {
  std::string_view name;       ///< behind "onnx_"
  std::string_view parameter;  ///< the one that it needs; "" = called as the pass
  std::string_view key;        ///< "" = not in this version
};

constexpr ListedPass kPasses[] = {
    {"adjust_bias_scale", "", "AdjustBiasScale"},
    {"align_scale", "", ""},
    {"constrain_per_channel_weight_scale", "", ""},
    {"convert_bn_to_conv", "", "ConvertBNToConv"},
    {"convert_clip_to_relu", "", "ConvertClipToRelu"},
    {"convert_fp16_to_fp32", "", "ConvertFP16ToFP32"},
    {"convert_nchw_to_nhwc", "", "ConvertNCHWToNHWC"},
    {"convert_opset_version", "target_opset_version", "ConvertOpsetVersion"},
    {"convert_reduce_mean_to_global_avg_pool", "", "ConvertReduceMeanToGlobalAvgPool"},
    {"convert_split_to_slice", "", "ConvertSplitToSlice"},
    {"copy_bias_init", "shared_bias_op_types", "CopyBiasInit"},
    {"copy_shared_init", "shared_init_op_types", "CopySharedInit"},
    {"cross_layer_equalization", "", ""},
    {"fix_shapes", "input_output_name_shapes", "FixShapes"},
    {"fold_batch_norm", "", "FoldBatchNorm"},
    {"fold_batch_norm_after_concat", "", "FoldBatchNorm"},
    {"fold_div_into_matmul", "", ""},
    {"fuse_gelu", "", "FuseGelu"},
    {"fuse_instance_norm", "", "FuseInstanceNorm"},
    {"fuse_l2_norm", "", "FuseL2Norm"},
    {"fuse_layer_norm", "", "FuseLayerNorm"},
    {"insert_clip_before_bfloat16_qdq", "", "BF16WithClip"},
    {"optimize_with_ort", "", "OptimizeModel"},
    {"remove_bfloat16_cast", "", ""},
    {"remove_input_init", "", "RemoveInputInit"},
    {"remove_qdq_between_op_types", "", "RemoveQDQBetweenOps"},
    {"replace_bfloat16_qdq_with_cast", "", "BF16QDQToCast"},
    {"set_node_attributes", "", ""},
    {"simplify", "", "SimplifyModel"},
    {"split_large_kernel_pool", "", "SplitLargeKernelPool"},
    {"xint8_adjust", "", ""},
    {"xint8_simulate", "", ""},
};

// What is on by itself, and not part of a list that does not name it.
constexpr std::array kOnByDefault = {"SimplifyModel",       "OptimizeModel",
                                     "FoldBatchNorm",       "FuseInstanceNorm",
                                     "FuseL2Norm",          "FuseGelu",
                                     "FuseLayerNorm",       "RemoveInputInit",
                                     "ConvertBNToConv",     "ConvertReduceMeanToGlobalAvgPool",
                                     "ConvertSplitToSlice", "SplitLargeKernelPool"};

constexpr std::string_view kGeneral =
    R"({"onnx_convert_opset_version": {"target_opset_version": 21}, "onnx_simplify": {},
        "onnx_remove_input_init": {}, "onnx_copy_bias_init": {}, "onnx_optimize_with_ort": {},
        "onnx_fold_batch_norm": {}, "onnx_fuse_instance_norm": {}, "onnx_fuse_l2_norm": {},
        "onnx_fuse_gelu": {}, "onnx_fuse_layer_norm": {}})";
constexpr std::string_view kOfXInt8 =
    R"({"onnx_convert_split_to_slice": {}, "onnx_convert_bn_to_conv": {},
        "onnx_convert_reduce_mean_to_global_avg_pool": {}, "onnx_split_large_kernel_pool": {}})";

Result<Json> ReadList(const std::string& name) {
  constexpr std::array kGeneralNames = {"a8w8", "a16w8", "bf16", "bfp16"};
  const std::string lower = ToLower(name);
  const bool general = std::ranges::find(kGeneralNames, lower) != kGeneralNames.end();
  if (general || lower == "xint8") {
    Json list = Json::parse(kGeneral);
    if (!general) list.update(Json::parse(kOfXInt8));
    return list;
  }
  if (!IsYaml(name)) return BadValue(name, "a .yaml file, or a8w8, a16w8, bf16, bfp16, xint8");
  PREON_ASSIGN_OR_RETURN(const std::string text, ReadFile(name));
  PREON_ASSIGN_OR_RETURN(const Json file, ParseYaml(text, name));
  Json list = Json::object();
  if (!file.is_object()) return Error(ErrorId::kBadConfig, name, ": wanted a mapping with 'passes'");
  for (const auto& [group, content] : file.items()) {
    const bool passes = group == "passes" || group == "preprocess_passes" || group == "postprocess_passes";
    if (!passes && group != "input_model_config" && group != "input_model_path" && group != "output_model_path" &&
        group != "preprocessed_model_path")
      return Error(ErrorId::kBadConfig, name, ": unknown key '", group,
                   "'; wanted passes, preprocess_passes or postprocess_passes");
    if (group == "preprocessed_model_path" && !content.is_null())
      return Error(ErrorId::kNotYetSupported, name,
                   ": preprocessed_model_path: this version does not write the float model in between");
    if (passes && !content.is_object())
      return Error(ErrorId::kBadConfig, name, ": ", group, ": wanted a mapping from passes to their parameters");
    if (passes) list.update(content);
  }
  return list;
}

// {"x": [1, 3]} → "x:[1,3]".
std::string ShapesText(const Json& shapes) {
  std::string text;
  for (const auto& [name, shape] : shapes.items()) text += StrCat(text.empty() ? "" : ";", name, ":", shape.dump());
  return text;
}

Status SetPass(Options& options, const std::string& name, const Json& parameters) {
  const auto bare = [](std::string_view text) { return text.starts_with("onnx_") ? text.substr(5) : text; };
  const auto pass = std::ranges::find(kPasses, bare(name), &ListedPass::name);
  if (pass == std::end(kPasses)) {
    std::vector<std::string> known;
    for (const ListedPass& each : kPasses) known.push_back(StrCat("onnx_", each.name));
    return Error(ErrorId::kUnknownOption, "unknown pass", DidYouMean(name, known));
  }
  if (pass->key.empty()) return Error(ErrorId::kNotYetSupported, "this version does not have this pass");
  const std::string needed(pass->parameter.empty() ? pass->name : pass->parameter);
  Json value = true;
  if (!parameters.is_null() && !parameters.is_object())
    return Error(ErrorId::kBadConfig, "wanted a mapping of parameters");
  for (const auto& [parameter, given] : parameters.items()) {
    if (parameter == "simplify_Options") {
      PREON_RETURN_IF_ERROR(SetKey(options, "SimplifyModelOptions", given.dump()));
    } else if (parameter != needed) {
      return Error(ErrorId::kUnknownOption, "unknown parameter '", parameter, "'; wanted ", needed);
    } else {
      value = given;
    }
  }
  if (pass->key == "CopyBiasInit") return Status::Ok();
  if (!pass->parameter.empty() && value == true)
    return Error(ErrorId::kBadConfig, "wanted its parameter ", pass->parameter);
  if (pass->key == "FixShapes" && value.is_object()) value = ShapesText(value);
  return SetKey(options, std::string(pass->key), value.is_string() ? value.get<std::string>() : value.dump());
}

}  // namespace

Status SetPassList(Options& options, const KeyValue& value) {
  PREON_ASSIGN_OR_RETURN(const Json list, ReadList(value.text));
  for (const char* key : kOnByDefault) {
    const auto named = [&](const ListedPass& pass) {
      return pass.key == key && (list.contains(std::string(pass.name)) || list.contains(StrCat("onnx_", pass.name)));
    };
    if (std::ranges::none_of(kPasses, named)) PREON_RETURN_IF_ERROR(SetKey(options, key, "false"));
  }
  for (const auto& [name, parameters] : list.items())
    PREON_RETURN_IF_ERROR(SetPass(options, name, parameters).WithContext(name));
  return Status::Ok();
}

Status SetSimplifierOptions(Options& options, const KeyValue& value) {
  constexpr std::pair<std::string_view, std::string_view> kPatterns[] = {{"FusionConvBN", "fold_batch_norm"},
                                                                         {"FusionConvAdd", "fold_affine"},
                                                                         {"FusionConvMul", "fold_affine"},
                                                                         {"FusionPadConv", "fold_pad"},
                                                                         {"FusionGelu", "fuse_gelu"}};
  const Json table = Json::parse(value.text);
  if (!table.is_object()) return BadValue(value.text, "a JSON object");
  for (const auto& [name, patterns] : table.items()) {
    if (name != "skip_fusion_patterns")
      return Error(ErrorId::kUnknownOption, "unknown entry '", name, "'; this version has skip_fusion_patterns");
    if (!patterns.is_array() || !std::ranges::all_of(patterns, &Json::is_string))
      return BadValue(patterns.dump(), "a list of names").WithContext(name);
    for (const std::string& pattern : patterns.get<std::vector<std::string>>()) {
      const auto found = std::ranges::find(kPatterns, pattern, &std::pair<std::string_view, std::string_view>::first);
      if (found == std::end(kPatterns))
        options.given.warnings.push_back(
            StrCat("SimplifyModelOptions: '", pattern, "' has no effect: preon has no such pass"));
      else
        PREON_RETURN_IF_ERROR(SetOption(options, "disable-pass", std::string(found->second)));
    }
  }
  return Status::Ok();
}

}  // namespace preon

#include "config/listed_passes.h"

#include <algorithm>
#include <array>

#include "base/file.h"
#include "base/spelling.h"
#include "base/text.h"
#include "config/json_text.h"
#include "config/option_values.h"
#include "config/yaml.h"

namespace preon {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;
using enum ParameterKind;

constexpr std::string_view kFolding =
    "constant_to_initializer remove_identity fold_shapes fold_constants fold_if simplify_clip fold_batch_norm "
    "fold_affine "
    "merge_transposes fold_pad remove_dead";

constexpr ListedParameter kAdjustBias[] = {{"adjust_bias_scale", kFlag}};
constexpr ListedParameter kAlign[] = {{"align_scale", kTextOrTexts, true}};
constexpr ListedParameter kConstrain[] = {{"constrain_per_channel_weight_scale", kFlag},
                                          {"min_w_scale", kNumber},
                                          {"adaptive_min_w_scale", kFlag},
                                          {"maxmin_scale_ratio", kNumber},
                                          {"adjust_bias", kFlag}};
constexpr ListedParameter kBatchNorm[] = {{"convert_bn_to_conv", kFlag}};
constexpr ListedParameter kClipToRelu[] = {{"convert_clip_to_relu", kFlag}};
constexpr ListedParameter kFloat16[] = {{"convert_fp16_to_fp32", kFlag}, {"subgraphs_to_include", kList}};
constexpr ListedParameter kNhwc[] = {{"convert_nchw_to_nhwc", kFlagOrTexts}};
constexpr ListedParameter kOpset[] = {{"target_opset_version", kInteger, true}};
constexpr ListedParameter kReduceMean[] = {{"convert_reduce_mean_to_global_avg_pool", kFlag}};
constexpr ListedParameter kSplit[] = {{"convert_split_to_slice", kFlag}};
constexpr ListedParameter kBiasCopies[] = {{"shared_bias_op_types", kTexts, true}};
constexpr ListedParameter kCopies[] = {{"shared_init_op_types", kTexts, true}};
constexpr ListedParameter kCle[] = {{"cross_layer_equalization", kFlag},
                                    {"op_types_to_quantize", kTexts},
                                    {"nodes_to_quantize", kTexts},
                                    {"nodes_to_exclude", kTexts},
                                    {"replace_clip6_relu", kFlag},
                                    {"cle_balance_method", kText},
                                    {"cle_steps", kInteger},
                                    {"cle_weight_threshold", kNumber},
                                    {"cle_scale_append_bias", kFlag},
                                    {"cle_scale_use_threshold", kFlag},
                                    {"cle_total_layer_diff_threshold", kNumber}};
constexpr ListedParameter kShapes[] = {{"input_output_name_shapes", kMapping, true}};
constexpr ListedParameter kFoldNorm[] = {{"fold_batch_norm", kFlag}};
constexpr ListedParameter kFoldNormConcat[] = {{"fold_batch_norm_after_concat", kFlag}};
constexpr ListedParameter kFoldDiv[] = {{"fold_div_into_matmul", kFlag}};
constexpr ListedParameter kGelu[] = {{"fuse_gelu", kFlag}};
constexpr ListedParameter kInstanceNorm[] = {{"fuse_instance_norm", kFlag}};
constexpr ListedParameter kL2Norm[] = {{"fuse_l2_norm", kFlag}};
constexpr ListedParameter kLayerNorm[] = {{"fuse_layer_norm", kFlag}};
constexpr ListedParameter kClipBf16[] = {{"insert_clip_before_bfloat16_qdq", kFlag}};
constexpr ListedParameter kOrt[] = {{"optimize_with_ort", kFlag}};
constexpr ListedParameter kCastsGone[] = {{"remove_bfloat16_cast", kFlag}};
constexpr ListedParameter kInputInit[] = {{"remove_input_init", kFlag}};
constexpr ListedParameter kBetween[] = {{"remove_qdq_between_op_types", kList, true}};
constexpr ListedParameter kCasts[] = {{"replace_bfloat16_qdq_with_cast", kFlag}};
constexpr ListedParameter kAttributes[] = {{"node_attribute_updates", kList}};
constexpr ListedParameter kSimplify[] = {{"simplify", kFlag}, {"simplify_Options", kMapping}};
constexpr ListedParameter kLargePool[] = {{"split_large_kernel_pool", kFlag}};
constexpr ListedParameter kAdjust[] = {{"xint8_adjust", kFlag}};
constexpr ListedParameter kSimulate[] = {{"xint8_simulate", kFlag}};

constexpr ListedPass kPasses[] = {
    {"adjust_bias_scale", "int32_biases", "AdjustBiasScale", kAdjustBias},
    {"align_scale", "align_scales", "", kAlign},
    {"constrain_per_channel_weight_scale", "limit_channel_scales", "", kConstrain},
    {"convert_bn_to_conv", "convert_batch_norm", "ConvertBNToConv", kBatchNorm},
    {"convert_clip_to_relu", "clips_to_relu", "ConvertClipToRelu", kClipToRelu},
    {"convert_fp16_to_fp32", "convert_float16", "ConvertFP16ToFP32", kFloat16},
    {"convert_nchw_to_nhwc", "to_nhwc", "ConvertNCHWToNHWC", kNhwc},
    {"convert_opset_version", "", "ConvertOpsetVersion", kOpset},
    {"convert_reduce_mean_to_global_avg_pool", "convert_reduce_mean", "ConvertReduceMeanToGlobalAvgPool", kReduceMean},
    {"convert_split_to_slice", "convert_split", "ConvertSplitToSlice", kSplit},
    {"copy_bias_init", "copy_shared_initializers", "CopyBiasInit", kBiasCopies},
    {"copy_shared_init", "copy_shared_initializers", "CopySharedInit", kCopies},
    {"cross_layer_equalization", "", "", kCle},
    {"fix_shapes", "fix_shapes", "FixShapes", kShapes},
    {"fold_batch_norm", "fold_batch_norm", "FoldBatchNorm", kFoldNorm},
    {"fold_batch_norm_after_concat", "fold_batch_norm", "FoldBatchNorm", kFoldNormConcat},
    {"fold_div_into_matmul", "fold_division", "", kFoldDiv},
    {"fuse_gelu", "fuse_gelu", "FuseGelu", kGelu},
    {"fuse_instance_norm", "fuse_instance_norm", "FuseInstanceNorm", kInstanceNorm},
    {"fuse_l2_norm", "fuse_l2_norm", "FuseL2Norm", kL2Norm},
    {"fuse_layer_norm", "fuse_layer_norm", "FuseLayerNorm", kLayerNorm},
    {"insert_clip_before_bfloat16_qdq", "bfloat16_clips", "BF16WithClip", kClipBf16},
    {"optimize_with_ort", kFolding, "OptimizeModel", kOrt},
    {"remove_bfloat16_cast", "remove_bfloat16_casts", "", kCastsGone},
    {"remove_input_init", "remove_initializer_inputs", "RemoveInputInit", kInputInit},
    {"remove_qdq_between_op_types", "remove_pairs", "RemoveQDQBetweenOps", kBetween},
    {"replace_bfloat16_qdq_with_cast", "bfloat16_casts", "BF16QDQToCast", kCasts},
    {"set_node_attributes", "set_attributes", "", kAttributes},
    {"simplify", kFolding, "SimplifyModel", kSimplify},
    {"split_large_kernel_pool", "split_large_pool", "SplitLargeKernelPool", kLargePool},
    {"xint8_adjust", "dpu_positions", "", kAdjust},
    {"xint8_simulate",
     "dpu_leaky_relu dpu_sigmoid dpu_hard_sigmoid dpu_average_pool dpu_reduce_mean dpu_softmax "
     "dpu_instance_normalization dpu_clip",
     "", kSimulate},
};

constexpr std::string_view kGeneral =
    R"({"onnx_convert_opset_version": {"target_opset_version": 21}, "onnx_simplify": {},
        "onnx_remove_input_init": {},
        "onnx_copy_bias_init": {"shared_bias_op_types": ["Conv", "ConvTranspose", "Gemm"]},
        "onnx_optimize_with_ort": {}, "onnx_fold_batch_norm": {}, "onnx_fuse_instance_norm": {},
        "onnx_fuse_l2_norm": {}, "onnx_fuse_gelu": {}, "onnx_fuse_layer_norm": {}})";
constexpr std::string_view kOfXInt8 =
    R"({"onnx_convert_split_to_slice": {}, "onnx_convert_bn_to_conv": {},
        "onnx_convert_reduce_mean_to_global_avg_pool": {}, "onnx_split_large_kernel_pool": {}})";

// The passes of a file, whatever group they stand in.
Result<OrderedJson> PassesIn(const OrderedJson& file, const std::string& name) {
  OrderedJson passes = OrderedJson::object();
  if (!file.is_object()) return Error(ErrorId::kBadConfig, name, ": wanted a mapping with 'passes'");
  for (const auto& [group, content] : file.items()) {
    const bool holds = group == "passes" || group == "preprocess_passes" || group == "postprocess_passes";
    if (!holds && group != "input_model_config" && group != "input_model_path" && group != "output_model_path" &&
        group != "preprocessed_model_path")
      return Error(ErrorId::kBadConfig, name, ": unknown key '", group,
                   "'; wanted passes, preprocess_passes or postprocess_passes");
    if (group == "preprocessed_model_path" && !content.is_null())
      return Error(ErrorId::kNotYetSupported, name,
                   ": preprocessed_model_path: this version does not write the float model in between");
    if (holds && !content.is_object())
      return Error(ErrorId::kBadConfig, name, ": ", group, ": wanted a mapping from passes to their parameters");
    if (holds) passes.update(content);
  }
  return passes;
}

Result<OrderedJson> Passes(const std::string& list) {
  constexpr std::array kGeneralNames = {"a8w8", "a16w8", "bf16", "bfp16"};
  const std::string lower = ToLower(list);
  const bool general = std::ranges::find(kGeneralNames, lower) != kGeneralNames.end();
  if (general || lower == "xint8") {
    OrderedJson passes = OrderedJson::parse(kGeneral);
    if (!general) passes.update(OrderedJson::parse(kOfXInt8));
    return passes;
  }
  const bool text = list.find_first_not_of(" \t\r\n") == list.find('{') && list.find('{') != std::string::npos;
  const bool json = text || lower.ends_with(".json");
  if (!json && !IsYaml(list)) return BadValue(list, "a .yaml or .json file, or a8w8, a16w8, bf16, bfp16, xint8");
  const std::string name = text ? "the list of passes" : list;
  std::string content = list;
  if (!text) {
    PREON_ASSIGN_OR_RETURN(content, ReadFile(list));
  }
  OrderedJson file;
  if (json) {
    const Result<Json> valid = ParseJson(content);  // which says where it is not
    if (!valid.ok()) return Status(valid.status()).WithContext(name);
    file = OrderedJson::parse(content, nullptr, true, true);
  } else {
    PREON_ASSIGN_OR_RETURN(file, ParseOrderedYaml(content, name));
  }
  return PassesIn(file, name);
}

bool IsTexts(const Json& value) { return value.is_array() && std::ranges::all_of(value, &Json::is_string); }

// What the kind is called where a value is not of it; "" where it is.
std::string_view Lacks(ParameterKind kind, const Json& value) {
  switch (kind) {
    case kFlag:
      return value.is_boolean() ? "" : "true or false";
    case kInteger:
      return value.is_number_integer() ? "" : "a whole number";
    case kNumber:
      return value.is_number() ? "" : "a number";
    case kText:
      return value.is_string() ? "" : "text";
    case kTexts:
      return IsTexts(value) ? "" : "a list of texts";
    case kTextOrTexts:
      return value.is_string() || IsTexts(value) ? "" : "text or a list of texts";
    case kFlagOrTexts:
      return value.is_boolean() || IsTexts(value) ? "" : "true, false or a list of texts";
    case kList:
      return value.is_array() ? "" : "a list";
    case kMapping:
      return value.is_object() ? "" : "a mapping";
  }
  return "";
}

Result<ListedStep> StepOf(const std::string& name, const OrderedJson& given) {
  const std::string_view bare = std::string_view(name).starts_with("onnx_") ? std::string_view(name).substr(5) : name;
  const auto pass = std::ranges::find(kPasses, bare, &ListedPass::name);
  if (pass == std::end(kPasses)) {
    std::vector<std::string> known;
    for (const ListedPass& each : kPasses) known.push_back(StrCat("onnx_", each.name));
    return Error(ErrorId::kUnknownOption, "unknown pass", DidYouMean(name, known), " (known: ", JoinNames(known), ")");
  }
  if (!given.is_null() && !given.is_object()) return Error(ErrorId::kBadConfig, "wanted a mapping of parameters");
  ListedStep step{&*pass, Json::object()};
  for (const auto& [parameter, value] : given.items()) {
    const auto known = std::ranges::find(pass->parameters, parameter, &ListedParameter::name);
    if (known == pass->parameters.end()) {
      std::vector<std::string> names;
      for (const ListedParameter& each : pass->parameters) names.emplace_back(each.name);
      return Error(ErrorId::kUnknownOption, "unknown parameter '", parameter, "'; wanted ", JoinNames(names),
                   DidYouMean(parameter, names));
    }
    const Json plain(value);
    if (const std::string_view wanted = Lacks(known->kind, plain); !wanted.empty())
      return Error(ErrorId::kBadConfig, parameter, ": got ", plain.dump(), ", wanted ", wanted);
    step.parameters[parameter] = plain;
  }
  for (const ListedParameter& parameter : pass->parameters) {
    if (parameter.needed && !step.parameters.contains(parameter.name))
      return Error(ErrorId::kBadConfig, "wanted its parameter ", parameter.name);
  }
  return step;
}

}  // namespace

bool ListedStep::is_on() const {
  const ListedParameter& first = pass->parameters.front();
  return first.kind != kFlag || (*this)[first.name] != false;
}

const Json& ListedStep::operator[](std::string_view parameter) const {
  static const Json kNothing;
  const auto found = parameters.find(parameter);
  return found == parameters.end() ? kNothing : *found;
}

Result<std::vector<ListedStep>> ListedSteps(const std::string& list) {
  PREON_ASSIGN_OR_RETURN(const OrderedJson passes, Passes(list));
  std::vector<ListedStep> steps;
  for (const auto& [name, parameters] : passes.items()) {
    Result<ListedStep> step = StepOf(name, parameters);
    if (!step.ok()) return std::move(step).status().WithContext(name);
    steps.push_back(*std::move(step));
  }
  return steps;
}

}  // namespace preon

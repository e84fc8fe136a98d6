// What is rewritten before anything is quantized.
#include "config/keys/key_setters.h"
#include "config/keys/key_spec.h"
#include "config/keys/pass_list.h"

namespace preon {
namespace {

// A stage of Quark's, which stands for passes of ours (resolve/resolve_passes.h).
template <auto Field>
Status SetStage(Options& options, const KeyValue& value) {
  options.plan.op_list.preprocessing.*Field = value.on;
  return Status::Ok();
}

// A list of passes says what runs, whichever came first.
Status SetSkip(Options& options, const KeyValue& value) {
  options.plan.op_list.preprocessing.skip = value.on && !IsPassListGiven(options.given.keys);
  return Status::Ok();
}

constexpr KeySpec kPreprocessingKeys[] = {
    {.name = "ConvertBNToConv",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "BatchNormalization becomes a depthwise 1x1 Conv",
     .otherwise = "true if the NPU-CNN flag or the NPU-transformer flag is set, or the format is Extended (after "
                  "override upgrade) and neither BF16QDQToCast nor EnableVaimlBF16 is set; else false",
     .here = "true: --enable-pass convert_batch_norm, false: --disable-pass",
     .set =
         [](Options& o, const KeyValue& v) {
           return SetOption(o, v.on ? "enable-pass" : "disable-pass", "convert_batch_norm");
         }},
    {.name = "ConvertClipToRelu",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "Clip with non-negative lower bound becomes Relu after quantization",
     .here =
         "targets quark, ort and simulate: only if the codes end at the upper bound, otherwise the Clip stays, with a "
         "warning; with --compat quark always",
     .set = SetFlag<&OpListOptions::pairs, &PairOptions::clips_to_relu>},
    {.name = "ConvertFP16ToFP32",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "turn an FP16 model into FP32 first",
     .here = "--float16 convert",
     .set = [](Options& o, const KeyValue& v) { return SetIfOn(o, v, "float16", "convert"); }},
    {.name = "ConvertNCHWToNHWC",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "give rank-4 inputs and outputs NHWC layout; calibration data are transposed too",
     .here = "--nhwc; samples stay NCHW",
     .set = [](Options& o, const KeyValue& v) { return SetIfOn(o, v, "nhwc"); }},
    {.name = "ConvertOpsetVersion",
     .type = KeyType::kInteger,
     .fallback = "null",
     .meaning = "target opset of the model",
     .range = "7..",
     .here = "--opset",
     .set = [](Options& o, const KeyValue& v) { return SetOption(o, "opset", v.text); }},
    {.name = "ConvertReduceMeanToGlobalAvgPool",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "ReduceMean over H,W becomes GlobalAveragePool",
     .otherwise = "true if the NPU-CNN flag or the NPU-transformer flag is set, or the format is Extended (after "
                  "override upgrade) and neither BF16QDQToCast nor EnableVaimlBF16 is set; else false",
     .here = "true: --enable-pass convert_reduce_mean, false: --disable-pass",
     .set =
         [](Options& o, const KeyValue& v) {
           return SetOption(o, v.on ? "enable-pass" : "disable-pass", "convert_reduce_mean");
         }},
    {.name = "ConvertSplitToSlice",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "Split becomes Slice nodes",
     .otherwise = "true if the NPU-CNN flag or the NPU-transformer flag is set, or the format is Extended (after "
                  "override upgrade) and neither BF16QDQToCast nor EnableVaimlBF16 is set; else false",
     .here = "true: --enable-pass convert_split, false: --disable-pass",
     .set = [](Options& o,
               const KeyValue& v) { return SetOption(o, v.on ? "enable-pass" : "disable-pass", "convert_split"); }},
    {.name = "FoldBatchNorm",
     .type = KeyType::kFlag,
     .fallback = "true",
     .meaning = "fold BatchNormalization into its producer",
     .otherwise = "equals the effective OptimizeModel",
     .here = "false: --disable-pass fold_batch_norm; with --compat quark only what SimplifyModel and OptimizeModel do "
             "not fold stays",
     .set = SetStage<&Preprocessing::fold_batch_norm>},
    {.name = "FoldRelu",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "Extended only: producer takes over the output of a Relu/Clip",
     .here = "targets quark, ort and simulate: the producer of a Relu or Clip writes its output",
     .set = SetFlag<&OpListOptions::pairs, &PairOptions::fold_relu>},
    {.name = "FuseGelu",
     .type = KeyType::kFlag,
     .fallback = "true",
     .meaning = "fuse the Gelu pattern (opset 20 or later)",
     .here = "false: --disable-pass fuse_gelu; with --compat quark only where OptimizeModel is off, too",
     .set = SetStage<&Preprocessing::fuse_gelu>},
    {.name = "FuseInstanceNorm",
     .type = KeyType::kFlag,
     .fallback = "true",
     .meaning = "fuse the instance-norm pattern",
     .here = "true: --enable-pass fuse_instance_norm, false: --disable-pass",
     .set =
         [](Options& o, const KeyValue& v) {
           return SetOption(o, v.on ? "enable-pass" : "disable-pass", "fuse_instance_norm");
         }},
    {.name = "FuseL2Norm",
     .type = KeyType::kFlag,
     .fallback = "true",
     .meaning = "fuse the L2-norm pattern to LpNormalization",
     .here = "true: --enable-pass fuse_l2_norm, false: --disable-pass",
     .set = [](Options& o,
               const KeyValue& v) { return SetOption(o, v.on ? "enable-pass" : "disable-pass", "fuse_l2_norm"); }},
    {.name = "FuseLayerNorm",
     .type = KeyType::kFlag,
     .fallback = "true",
     .meaning = "fuse the layer-norm pattern (opset 17 or later)",
     .here = "false: --disable-pass fuse_layer_norm; with --compat quark only where OptimizeModel is off, too",
     .set = SetStage<&Preprocessing::fuse_layer_norm>},
    {.name = "OptimizeModel",
     .type = KeyType::kFlag,
     .fallback = "true",
     .meaning = "run the runtime's basic graph optimisation before quantizing",
     .otherwise = "false in crypto mode and when QuantizeFP16 is active",
     .here =
         "false: --disable-pass of the passes that fold constants and remove nodes; with --compat quark what "
         "SimplifyModel does, too, stays on; with --compat onnxruntime nothing is rewritten unless it is true, which "
         "folds as quant_pre_process does: BatchNormalization into Conv, constants, shapes",
     .set = SetStage<&Preprocessing::optimize>},
    {.name = "PreprocessYAML",
     .type = KeyType::kText,
     .fallback = "null",
     .meaning = "older name of ShapeShifterYaml (deprecated in 0.13, loses against it)",
     .here = "as ShapeShifterYaml",
     .set = SetPassList,
     .table_form = true},
    {.name = "ShapeShifterYaml",
     .type = KeyType::kText,
     .fallback = "null",
     .meaning = "a list of passes, by file or name, that runs on the float model first",
     .here = "a8w8, a16w8, bf16, bfp16, xint8 or a .yaml file: passes that it names are on, all others off; no float "
             "model is written",
     .set = SetPassList,
     .table_form = true},
    {.name = "SimplifyModel",
     .type = KeyType::kFlag,
     .fallback = "true",
     .meaning = "simplify the graph first",
     .here = "false: --disable-pass of the passes that simplify; with --compat quark what OptimizeModel does, too, "
             "stays on",
     .set = SetStage<&Preprocessing::simplify>},
    {.name = "SimplifyModelOptions",
     .type = KeyType::kTable,
     .fallback = "{}",
     .meaning = "keyword arguments handed to the simplifier",
     .here = "{\"skip_fusion_patterns\": [\"FusionPadConv\", ...]}: --disable-pass of the pass that does the same",
     .set = SetSimplifierOptions},
    {.name = "SkipPreprocess",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "skip graph clean-up and hardware conversions, not the algorithms",
     .here = "true: --disable-pass of all passes",
     .set = SetSkip},
    {.name = "SplitLargeKernelPool",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "split a GlobalAveragePool over a large area into two pools",
     .otherwise = "true if the NPU-CNN flag or the NPU-transformer flag is set, or the format is Extended (after "
                  "override upgrade) and neither BF16QDQToCast nor EnableVaimlBF16 is set; else false",
     .here = "true: --enable-pass split_large_pool, false: --disable-pass",
     .set = [](Options& o,
               const KeyValue& v) { return SetOption(o, v.on ? "enable-pass" : "disable-pass", "split_large_pool"); }},
};

}  // namespace

std::span<const KeySpec> PreprocessingKeys() { return kPreprocessingKeys; }

}  // namespace preon

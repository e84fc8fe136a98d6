"""What a golden configuration asks for, in preon's options and keys (op_list_runner.cc)."""
import json
import re
from fnmatch import fnmatch

TYPES = {"QInt8": "int8", "QUInt8": "uint8", "QInt16": "int16", "QUInt16": "uint16", "QInt4": "int4", "QUInt4": "uint4",
         "QInt32": "int32", "QFloat16": "float16", "QBFloat16": "bfloat16", "QFLOAT8E4M3FN": "float8e4m3fn"}
SPECS = {"Int8Spec": ("int8", True), "UInt8Spec": ("uint8", False), "Int16Spec": ("int16", True), "UInt16Spec": ("uint16", False),
         "XInt8Spec": ("int8", True), "Int32Spec": ("int32", True), "BFloat16Spec": ("bfloat16", None), "Float16Spec": ("float16", None),
         "BFP16Spec": ("bfp16", None), "MX6Spec": ("mx6", None), "MXInt8Spec": ("mxint8", None)}
BFP_BITS = {("to_bfp", 16): "bfp16", ("to_bfp_prime", 11): "mx4", ("to_bfp_prime", 13): "mx6", ("to_bfp_prime", 16): "mx9"}
MX_ELEMENTS = {"int8": "mxint8", "fp8_e5m2": "mxfp8e5m2", "fp8_e4m3": "mxfp8e4m3", "fp6_e3m2": "mxfp6e3m2",
               "fp6_e2m3": "mxfp6e2m3", "fp4_e2m1": "mxfp4e2m1"}
# Keys that preon takes as they are.
KEYS = {"ForceQuantizeNoInputCheck", "DedicatedQDQPair", "DedicateDQNode", "EnableDualQuantNodePairs", "ConvertClipToRelu", "FixShapes",
        "UseQDQContribOps", "FoldRelu", "UseUnsignedReLU", "AlignEltwiseQuantType",
        "OpTypesToExcludeOutputQuantization", "NodesToExcludeOutputQuantization", "QDQOpTypePerChannelSupportToAxis", "RemoveQDQConvClip",
        "RemoveQDQConvRelu", "RemoveQDQConvLeakyRelu", "RemoveQDQConvPRelu", "RemoveQDQConvGelu", "RemoveQDQInstanceNorm", "RemoveFusedQDQ",
        "RemoveQDQBetweenOps", "RemoveQDQMulAdd", "QuantizeBias", "Int32Bias", "Int16Bias", "AdjustBiasScale", "AdjustWeightScaleForInt32Bias", "WeightsOnly",
        "MatMulConstBOnly", "QuantizeAllOpTypes", "EnableSubgraph", "AlignConcat", "AlignPool", "AlignSlice", "AlignPad", "AlignTranspose",
        "AlignReshape", "WeightSymmetric", "ActivationSymmetric", "AddQDQPairToWeight", "CalibMovingAverage", "CalibTensorRangeSymmetric", "BF16QDQToCast",
        "BF16WithClip", "EnableVaimlBF16", "RefineBlockAxis", "ActivationScaled", "WeightScaled", "Int16Scale", "TensorQuantOverrides",
        "QDQKeepRemovableActivations", "MinimumRealRange", "QDQDisableWeightAdjustForInt32Bias", "ConvertOpsetVersion", "QuantizeFP16", "UseFP32Scale",
        "SimplifyModel", "OptimizeModel", "SkipPreprocess", "FoldBatchNorm", "FuseLayerNorm", "FuseGelu", "FuseInstanceNorm", "FuseL2Norm"}
INT8 = {"data_type": "Int8", "symmetric": True, "scale_type": "ScaleType.Float32", "calibration_method": "CalibMethod.MinMax",
        "quant_granularity": "QuantGranularity.Tensor"}
# Ours alone: what targets that follow another tool do not want anyway.
NEVER = ["fold_space_to_depth", "deduplicate", "split_shared_initializers", "simplify_clip"]
IGNORED = {"CopySharedInit", "CopyBiasInit", "UseRandomData", "ReplaceClip6Relu", "ConvertSigmoidToHardSigmoid", "FillAllValueInfo", "RemoveInputInit", "EnableNPUCnn",
           "BFPAttributes", "MXAttributes", "Percentile", "SimplifyModelOptions"}



# What ours does differently on purpose, switched off so that all the rest is compared: (configurations, models, change, why).
ADAPTED = [
    ("ort:f8", "*", lambda call: (call.drop("compat"), call.drop("method"), call.option("method", "minmax")), "float8: its scale there has nothing to do with the range; --compat has integers alone"),
]


class Unmapped(Exception):
    """A configuration that asks for something that no target of preon writes."""


def block_type(kind, options):
    if kind == "QBFP":
        attributes = options.get("BFPAttributes", {})
        name = BFP_BITS[(attributes.get("bfp_method", "to_bfp"), attributes.get("bit_width", 16))]
        return name, [["bfp-attribute", f"rounding_mode={attributes.get('rounding_mode', 0)}"]]
    attributes = options.get("MXAttributes", {})
    return MX_ELEMENTS[attributes.get("element_dtype", "int8")], [["mx-attribute", f"rounding_mode={attributes.get('rounding_mode', 0)}"]]


def typed(name, options):
    kind = name.split(".")[-1]
    return block_type(kind, options) if kind in ("QBFP", "QMX") else (TYPES[kind], [])


class Call:
    def __init__(self, float_graph):
        self.operators = {node.op_type for node in float_graph.node}
        self.nodes = [node.name for node in float_graph.node]
        self.set, self.disable, self.enable = [], set(NEVER), set()

    def option(self, name, value="true"):
        self.set.append([name, str(value)])

    def key(self, name, value):
        self.option("option", f"{name}={value if isinstance(value, str) else json.dumps(value, default=list)}")

    def as_quark(self):
        return ["compat", "quark"] in self.set

    def drop(self, name):
        """Forgets an option, or a key by "option" and its name."""
        self.set = [[option, value] for option, value in self.set if name not in (option, value.partition("=")[0])]

    def apply(self, key, value):
        """One of Quark's extra options."""
        if key in KEYS:
            self.key(key, value)
        elif key in ("ConvertBNToConv", "ConvertReduceMeanToGlobalAvgPool", "SplitLargeKernelPool", "ConvertSplitToSlice"):
            name = {"ConvertBNToConv": "convert_batch_norm", "ConvertReduceMeanToGlobalAvgPool": "convert_reduce_mean",
                    "SplitLargeKernelPool": "split_large_pool", "ConvertSplitToSlice": "convert_split"}[key]
            (self.enable.add if value else self.enable.discard)(name)
            (self.disable.discard if value else self.disable.add)(name)
        elif key not in IGNORED:
            raise Unmapped(key)


def ort_call(call, config):
    if config.get("fmt") != "QDQ" or config["kind"] != "static":
        raise Unmapped("another format")
    top = config["top"]
    call.option("target", "ort")
    call.option("compat", "onnxruntime")
    call.option("activation", TYPES[config["act"]])
    call.option("weight", TYPES[config["wgt"]])
    call.option("method", config["calib"].lower())
    if not top.get("per_channel"):
        call.option("per-tensor")
    if top.get("reduce_range"):
        call.option("reduce-range")
    if top.get("preprocess"):   # the runtime's basic level
        call.key("OptimizeModel", True)
    if top.get("get_qdq_config"):
        call.key("QuantizeAllOpTypes", True)
        call.key("ForceQuantizeNoInputCheck", True)
    for key, value in config["opts"].items():
        call.apply(key, value)


def quark_call(call, config, presets):
    kind, top = config["kind"], dict(config["top"])
    call.option("target", "quark")
    call.option("compat", "quark")
    if kind == "legacy":
        preset = {**presets["legacy_defaults"], **presets["legacy_presets"][config["preset"]]}
        preset.update({k: v for k, v in top.items()})
        options = {**preset["extra_options"], **config["opts"]}
        if config["cle"] or preset.get("use_dynamic_quant") or "AutoMixprecision" in options:
            raise Unmapped("cross-layer equalization, dynamic or mixed precision")
        activation, more = typed(preset["activation_type"], options)
        weight, more_weight = typed(preset["weight_type"], options)
        extended = preset["quant_format"].startswith("Extended")
        method = preset["calibrate_method"]
        per_channel = preset["per_channel"]
        transformer = preset["enable_npu_transformer"]
        symmetric = options.get("ActivationSymmetric", False)
        for field, key in (("op_types_to_quantize", "OpTypesToQuantize"), ("extra_op_types_to_quantize", "ExtraOpTypesToQuantize"),
                           ("nodes_to_quantize", "NodesToQuantize")):
            if preset[field]:
                call.key(key, preset[field])
        for pattern in preset["nodes_to_exclude"]:
            if any(re.search(pattern, name) if pattern.startswith("^") else pattern == name for name in call.nodes):
                call.option("exclude", pattern)   # without a match: an error
        if preset["subgraphs_to_exclude"]:
            call.set.insert(0, ["qconfig", json.dumps({"global_config": {"input_tensors": INT8, "weight": INT8}, "exclude": preset["subgraphs_to_exclude"]})])
        if preset["convert_nchw_to_nhwc"]:
            raise Unmapped("layout of data")
        if preset["convert_fp16_to_fp32"]:
            call.option("float16", "convert")
        call.key("OptimizeModel", preset["optimize_model"])
        if preset["reduce_range"]:
            call.option("reduce-range")
        power = method.startswith("PowerOfTwoMethod")
    else:
        if kind == "qconst":
            constant = presets["qconfig_presets"][config["const"]]
            specs = constant["global_config"]
            config = {**config, "act": specs["activation"]["class"], "wgt": specs["weight"]["class"], "pc": False, "calib": None,
                      "opts": {**constant["extra_options"], **config["opts"]}}
        options = dict(config["opts"])
        activation, symmetric = SPECS[config["act"]]
        weight, weight_symmetric = SPECS[config["wgt"]]
        if weight_symmetric is not None and weight not in ("int32",):
            options["WeightSymmetric"] = weight_symmetric
        more, more_weight = [], []
        for spec in {config["act"], config["wgt"]}:
            if SPECS[spec][0] in ("bfp16", "mx6"):
                more.append(["bfp-attribute", f"rounding_mode={0 if spec == 'BFP16Spec' else 2}"])
            if SPECS[spec][0] == "mxint8":
                more.append(["mx-attribute", "rounding_mode=2"])
        extended = not ({activation, weight} <= {"int8", "uint8"})
        power = config["act"] == "XInt8Spec"
        if power:
            raise Unmapped("NPU-CNN")
        method = "MinMax" if activation in ("bfloat16", "float16", "bfp16", "mx6", "mxint8") else config.get("calib") or default_method(config["act"])
        per_channel, transformer = config["pc"], False
    if "TensorQuantOverrides" in options:
        extended = True
    call.option("activation", activation)
    call.option("weight", weight)
    has_scales = activation in ("int8", "uint8", "int16", "uint16")
    if not has_scales:
        call.option("method", "minmax")   # as they are stored; few of them have ranges
    if has_scales or options.get("WeightScaled") or weight in ("int8", "uint8", "int16", "uint16", "int32"):
        if not per_channel:
            call.option("per-tensor")
    if has_scales:
        call.key("ActivationSymmetric", bool(symmetric))
        options.pop("ActivationSymmetric", None)
        name = method.split(".")[-1].lower()
        if power:
            call.option("scale-type", "power-of-two")
            call.option("method", "minmse" if name == "minmse" else "nonoverflow")
        else:
            call.option("method", {"minmax": "minmax", "percentile": "percentile", "entropy": "entropy"}[name])
            if name == "percentile":
                call.option("method-option", f"Percentile={options.get('Percentile', 99.999)}")
    else:
        options.pop("ActivationSymmetric", None)
    for setting in more + [s for s in more_weight if s not in more]:
        call.set.append(setting)
    if extended:
        call.option("format", "extended")
    if transformer:
        call.key("OpTypesToQuantize", ["Gemm", "MatMul"])
        options.setdefault("MatMulConstBOnly", True)
    if transformer:
        call.enable.update({"convert_batch_norm", "convert_reduce_mean", "split_large_pool", "convert_split"})
    for key, value in options.items():
        call.apply(key, value)


def default_method(spec):
    return {"Int8Spec": "Percentile", "UInt8Spec": "Percentile", "Int16Spec": "Percentile", "UInt16Spec": "Percentile"}[spec]


def call_for(name, config, model, float_graph, presets):
    """How preon makes the graph of configuration `name` of a float model (name, onnx.GraphProto)."""
    call = Call(float_graph)
    if config["peer"] == "ort":
        ort_call(call, config)
    else:
        quark_call(call, config, presets)
    for configs, models, change, _ in ADAPTED:
        if any(fnmatch(name, pattern) for pattern in configs.split()) and any(fnmatch(model, pattern) for pattern in models.split()):
            change(call)
    return call

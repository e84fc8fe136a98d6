"""Configurations that can't be done, by JSON, YAML and the command line: exit status, number, what the message names, nothing left."""
import json

import pytest


def spec(data_type, method="MinMax", scale="Float32", granularity="Tensor", symmetric=True):
    return {"symmetric": symmetric, "scale_type": scale, "calibration_method": method, "quant_granularity": granularity, "data_type": data_type}


def config(activation="UInt8", weight="Int8", method="MinMax", scale="Float32", granularity="Channel", symmetric=False, roles=None, **fields):
    return json.dumps({"global_config": {"input_tensors": spec(activation, method, scale, symmetric=symmetric),
                                         "weight": spec(weight, granularity=granularity), **(roles or {})}, **fields})


def keys(method="MinMax", **extra):
    return config(method=method, extra_options=extra)


def tensors(**overrides):
    return keys(TensorQuantOverrides=overrides)


def layers(*entries):
    return config(specific_layer_config=[[{"weight": spec("Int8")}, list(entries)]])


JSON = {
    # Text
    "nothing": ("", 1005, "c.json: not JSON: line 1, column 1"),
    "a comma too many": ('{"method": "minmax",}', 1005, "line 1, column 21"),
    "NaN": ('{"extra_options": {"Percentile": NaN}}', 1005, "c.json: not JSON: line 1, column 34: syntax error while parsing value"),
    "half a character": (keys(MixedPrecisionTensor="é"), 1005, "MixedPrecisionTensor: got 'é', wanted a JSON object or list"),
    "a number beyond all": ('{"overrides": {"r1": {"rmax": 1e999}}}', 1005, "overrides.r1.rmax: got 1e999, wanted a number of at most 1.8e308"),
    "twice": ('{"method": "minmax", "method": "auto"}', 1005, "key 'method' is given twice"),
    "twice inside": ('{"extra_options": {"Percentile": 99, "Percentile": 98}}', 1005, "key 'Percentile' is given twice"),
    "a hole": ("[" * 5000 + "]" * 5000, 1005, "more than 64 nested levels"),
    "no name": ('{"": 1}', 1005, "key '' is unknown"),
    "another case": ('{"Global_Config": {}}', 1005, "key 'Global_Config' is unknown; did you mean 'global_config'?"),
    "a list": ('{"method": ["minmax", "auto"]}', 1005, "method: got a list, wanted one value"),
    "more samples than numbers": ('{"samples": 99999999999999999999}', 1005, "samples: got '1e+20'"),
    # Fields
    "no global_config": ('{"global_config": null}', 1005, "global_config: You must specify `input_tensors`"),
    "sub-graph of three": (config(exclude=[[["a"], ["b"], ["c"]]]), 1005, "exclude: got [[\"a\"],[\"b\"],[\"c\"]], wanted a node's name"),
    "everything excluded": (config(exclude=["*"]), 2010, "nothing is left to quantize: the options exclude 5 of its 5 nodes"),
    "no operator of the list": (keys(OpTypesToQuantize=["Softmax"]), 2010, "the options exclude 5"),
    "a node that is not there": (layers("conv_9"), 1006, "no node of the model matches 'conv_9'; did you mean 'conv_1'?"),
    "no regular expression": (layers("^("), 1005, "'^(', which is no regular expression"),
    "an operator that is not there": (config(layer_type_config=[[None, ["Convv"]]]), 1006, "no operator of type 'Convv'; did you mean 'Conv'?"),
    "groups of no size": (config(granularity="Group"), 1005, "weight: quant_granularity: Group needs a block_size, or extra_options {\"WeightBlockSize\": N}"),
    # Values of keys
    "above 64 bits": (keys(CalibDataSize=18446744073709551615), 1005, "CalibDataSize: got '18446744073709551615', wanted an integer"),
    "a list for a number": (keys(Percentile=[1]), 1005, "Percentile: got '[1]', wanted a number"),
    "key without a name": (keys(**{"": 1}), 1005, "unknown key ''"),
    "constant of 0": (keys(CalibMovingAverage=True, CalibMovingAverageConstant=0), 1002, "CalibMovingAverageConstant: got 0, wanted a number above 0"),
    "no candidates": (keys(PercentileCandidates=[]), 1005, "PercentileCandidates: got '[]', wanted a list of numbers"),
    "metric": (keys(LWPMetric="rmse"), 1005, "LWPMetric: got 'rmse', wanted one of mae, mse"),
    "groups beyond bins": (keys("Entropy", NumBins=512, NumQuantizedBins=4096), 1002, "NumBins, NumQuantizedBins: got 512, 4096"),
    "opset of tomorrow": (keys(ConvertOpsetVersion=99), 1002, "ConvertOpsetVersion: got 99, wanted at most"),
    "half an opset": (keys(ConvertOpsetVersion=17.5), 1005, "ConvertOpsetVersion: got '17.5', wanted an integer"),
    "block of nothing": (keys(WeightBlockSize=0), 1005, "WeightBlockSize: got '0'"),
    "preference": (keys(QuantizationPreference="fast"), 1005, "QuantizationPreference: got 'fast', wanted one of accuracy"),
    "pairs that are none": (keys(RemoveQDQBetweenOps=["Mul", "Add"]), 1005, "RemoveQDQBetweenOps: got '[\"Mul\",\"Add\"]', wanted a list of pairs"),
    "axis as text": (keys(QDQOpTypePerChannelSupportToAxis={"Conv": "0"}), 1005, "QDQOpTypePerChannelSupportToAxis: Conv: got '\"0\"', wanted an axis"),
    "axis beyond the weight": (keys(QDQOpTypePerChannelSupportToAxis={"Conv": 9}), 1005, "Conv: axis: got 9 for 'w1' of node 'conv_1' with shape [8, 3, 3, 3], wanted -4 to 3"),
    "tensor of older ones": (keys(SpecificTensorPrecision=True, MixedPrecisionTensor={"QInt16": ["rr1"]}), 1006, "MixedPrecisionTensor: the model has no tensor 'rr1'; did you mean 'r1'?"),
    "type of older ones": (keys(SpecificTensorPrecision=True, MixedPrecisionTensor={"QInt99": ["r1"]}), 1001, "MixedPrecisionTensor: unknown type 'QInt99'"),
    "start that is not there": (keys(InputNodes=["nope"]), 1006, "InputNodes: no node, input or output 'nope'"),
    # Keys together
    "narrow biases of none": (keys(Int16Bias=True, QuantizeBias=False), 1004, "Int16Bias=true and QuantizeBias=false: got both"),
    "blocks and float16": (keys(UseMatMulNBits=True, UseFP32Scale=True), 1004, "UseMatMulNBits=true and UseFP32Scale=true: got both"),
    "skipped and converted": (keys(SkipPreprocess=True, ConvertFP16ToFP32=True), 1004, "SkipPreprocess=true and ConvertFP16ToFP32=true: got both"),
    "blocks and an algorithm": (config(extra_options={"UseMatMulNBits": True}, algo_config=[{"name": "bias_correction"}]), 1004, "'bias_correction' and UseMatMulNBits: got both"),
    # Single tensors
    "no table": ('{"overrides": "^("}', 1005, "overrides: got string, wanted an object with an entry for each tensor"),
    "no list": (tensors(w1={"axis": 0}), 1005, "w1: got object, wanted a list of objects"),
    "scale alone": (tensors(r1=[{"scale": 1}]), 1005, "r1: got one of scale and zero_point, wanted both"),
    "scale below 0": (tensors(r1=[{"scale": -1, "zero_point": 0}]), 1005, "r1: scale: got -1"),
    "zero point beyond the type": (tensors(r1=[{"scale": 1, "zero_point": -3}]), 1005, "r1: zero_point: got -3, wanted an integer from 0 to 255 (uint8)"),
    "scale and range": (tensors(r1=[{"scale": 1, "zero_point": 0, "rmax": 1}]), 1005, "together with symmetric, reduce_range, rmin or rmax"),
    "range as text": (tensors(r1=[{"rmax": "6"}]), 1005, "r1: rmax: got string, wanted a number"),
    "axis of an activation": (tensors(r1=[{"axis": 1}]), 1005, "r1: axis: it is an activation"),
    "reserve of an activation": (tensors(r1=[{"reduce_range": True}]), 1005, "r1: reduce_range: it is an activation"),
    "axis of blocks": (tensors(w1=[{"quant_type": "QBFP", "axis": 0}]), 1005, "w1: axis: got 0, but bfp16 has no scales per channel"),
    "axis of bfloat16": (tensors(w1=[{"quant_type": "QBFloat16", "axis": 0}]), 1005, "bfloat16 has no scales per channel"),
    "range of blocks": (tensors(r1=[{"quant_type": "QMX", "rmax": 1.0}]), 1005, "r1: got a range or a scale, but mxint8 has blocks"),
    "channels along the inputs": (tensors(w1=[{"axis": 1}]), 1005, "w1: axis: got 1, but node 'conv_1' (Conv) takes scales along axis 0 alone"),
    "channels along the inputs of a Gemm with a bias": (tensors(w2=[{"axis": -1}]), 1005, "w2: axis: got 1, but node 'gemm_1' (Gemm) takes scales along axis 0 alone"),
    "two of eight channels": (tensors(w1=[{"axis": 0, "rmin": -1, "rmax": 1}, {"rmin": -1, "rmax": 1}]), 1005, "w1: got 2 entries for 8 channels along axis 0, wanted 1 or 8"),
    "half a range of a channel": (tensors(w1=[{"axis": 0, "rmax": 1}] * 8), 1005, "w1: got one of rmin and rmax for a channel, wanted both"),
    "channels that differ": (tensors(w1=[{"axis": 0, "symmetric": True}] + [{"symmetric": False}] * 7), 1005, "are those of the first entry for all channels"),
    "second pair of a weight": (tensors(w1=[{"convert": {"quant_type": "QInt16"}}]), 1005, "w1: convert: it is a constant"),
    "second pair of no type": (tensors(r1=[{"convert": {}}]), 1005, "r1: convert: quant_type is missing"),
    "second pair of its own type": (tensors(r1=[{"convert": {"quant_type": "QUInt8"}}]), 1005, "r1: convert: quant_type: got uint8, which is the tensor's own"),
    "a reader that is none": (tensors(r1=[{"convert": {"quant_type": "QInt16", "recv_nodes": ["pol_1"]}}]), 1006, "no node 'pol_1' reads it; did you mean 'pool_1'?"),
    "all at once": (tensors(w1=[{"axis": 9}], r1=[{"axis": 0, "reduce_range": True}], zz=[{}]), 1005,
                    "r1: axis: it is an activation; only constants have it; overrides: r1: reduce_range: it is an activation; only constants have it; overrides: w1: axis: got 9"),
    # Types that nothing has
    "a type of no format": (config(weight="Bool"), 1001, "global_config: weight: data_type: unknown type 'Bool'"),
    "scales that end too early": (config("Int32", scale="Int16", symmetric=True), 1005, "global_config: input_tensors: int32: int16 scales: they end at 2^-15"),
    "a convolution of four bits and eight": (config("Int4", symmetric=True), 1004, "node 'conv_1': Conv from and to int4 with weights in int8"),
    "four bits and floats": (config("UInt4", preon_options={"weight_form": "folded"}), 1004, "node 'conv_1': Conv from and to uint4 with weights in float"),
    "weights of scales that end too early": (config(weight="Int32", granularity="Tensor", roles={"weight": spec("Int32", scale="Int16")}), 1005, "global_config: weight: int32: int16 scales"),
    "a layer of them": (config(specific_layer_config=[[{"bias": spec("UInt32", scale="Int16")}, ["conv_1"]]]), 1005, "bias: uint32: int16 scales: they end at 2^-15"),
    "a tensor of them": (config(scale="Int16", extra_options={"TensorQuantOverrides": {"r1": [{"quant_type": "QInt32"}]}}), 1005, "r1: int32: int16 scales"),
    "asymmetric bfloat16": (tensors(r1=[{"quant_type": "QBFloat16", "symmetric": False}]), 1005, "r1: symmetric: got false, but bfloat16 has no zero point"),
    "16 bits for bytes": (config("Int16", preon_options={"target": "ort-cpu"}), 1007, "--activation"),
    "a bias in blocks of a target without": (config(preon_options={"target": "ort"}, roles={"bias": spec("BFP16")}), 1007, "target ort does not support type 'bfp16'"),
    "32 bits for a weight of ort": (config(weight="Int32", granularity="Tensor", preon_options={"target": "ort"}), 1007, "target ort does not support type 'int32'"),
    "float weights of blocks": (config(extra_options={"UseMatMulNBits": True}, preon_options={"weight": "bfloat16"}), 1007, "bfloat16"),
}

YAML = {
    "twice": ("a: 1\na: 2", 1005, "key 'a' is given twice"),
    "tabs": ("global_config:\n\tx: 1", 1005, "line 2"),
    "not a number": ("extra_options: {Percentile: .nan}", 1005, "Percentile: got '.nan', wanted a number"),
    "infinity": ("overrides: {r1: {rmax: .inf}}", 1005, "r1: rmax: got string, wanted a number"),
    "an anchor of nobody": ("a: *b", 1005, "line 1"),
    "a hole": ("[" * 3000 + "]" * 3000, 1005, "c.yaml"),
    "a list as a key": ("? [a]\n: 1", 1005, "a key that is not text"),
    "yes for true": ("per_tensor: yes", 1005, "per_tensor: got 'yes', wanted true or false"),
    "a huge integer": ("extra_options: {NumBins: 123456789012345678901234567890}", 1005, "NumBins: got '1.2345678901234568e+29', wanted an integer"),
}

FLAGS = {
    "an option by its key": (["--option", "ConvertOpsetVersion=99"], 1002, "ConvertOpsetVersion: got 99"),
    "two targets": (["--target", "npu-cnn", "--option", "UseMatMulNBits=true"], 1004, "UseMatMulNBits=true and --target npu-cnn: got both, wanted one"),
    "key without a value": (["--option", "Percentile"], 1002, "KEY=VALUE"),
    "key of nothing": (["--option", "=1"], 1002, "KEY=VALUE"),
    "unknown key": (["--option", "Percentle=1"], 1001, "did you mean 'Percentile'?"),
    "method of a key": (["--method", "minmax", "--option", "Percentile=90"], 1004, "Percentile: has no effect on method minmax; methods that have it: percentile"),
    "alignment of Quark's base quantizer": (["--target", "quark", "--method", "minmax", "--compat", "quark", "--option", "AlignConcat=true"], 1004, "AlignConcat: has no effect here: the base quantizer"),
    "element-wise of the base quantizer": (["--target", "quark", "--option", "AlignEltwiseQuantType=true"], 1004, "AlignEltwiseQuantType: has no effect here: the base quantizer"),
    "blocks of the base quantizer": (["--target", "quark", "--option", "RemoveFusedQDQ=true"], 1004, "RemoveFusedQDQ: has no effect here: the base quantizer"),
    "rounds of nothing": (["--target", "ort", "--method", "minmax", "--compat", "onnxruntime", "--option", "MaxLoopNum=3"], 1004, "MaxLoopNum: has no effect here: target ort does not read it"),
    "axes of one scale": (["--target", "quark", "--per-tensor", "--option", "QDQOpTypePerChannelSupportToAxis={\"Conv\": 0}"], 1004, "weights have one scale each"),
    "activations of scales that end too early": (["--target", "quark", "--activation", "int32", "--scale-type", "int16"], 1004, "--scale-type int16: no such scale fits --activation int32"),
    "weights of scales that end too early": (["--target", "quark", "--weight", "int32", "--weight-scale-type", "int16"], 1004, "--scale-type int16: no such scale fits --weight int32"),
    "scaled integers": (["--option", "WeightScaled=true"], 1004, "WeightScaled: has no effect on int8"),
    "table that is none": (["--target", "quark", "--option", "RemoveQDQBetweenOps=[[\"Mul\""], 1002, "RemoveQDQBetweenOps: got '[[\"Mul\"', wanted a JSON object or list (not JSON: line 1"),
    "key twice in a table": (["--target", "quark", "--option", "TensorQuantOverrides={\"r1\": [], \"r1\": []}"], 1002, "key 'r1' is given twice"),
    "config that is not there": (["--config", "gone.json"], 1002, "gone.json"),
    "a folder for a config": (["--config", "./"], 1002, "./"),
    "preset misspelt": (["--config", "A8W9_QCONFIG"], 1001, "did you mean 'A8W8_QCONFIG'?"),
}


def quantize(preon, number, says, *arguments):
    preon.fails(2, number, "quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", *arguments, says=says)


@pytest.mark.parametrize("text, number, says", JSON.values(), ids=JSON)
def test_json(preon, model, data, text, number, says):
    (preon.folder / "c.json").write_text(text)
    quantize(preon, number, says, "--config", "c.json")


@pytest.mark.parametrize("text, number, says", YAML.values(), ids=YAML)
def test_yaml(preon, model, data, text, number, says):
    (preon.folder / "c.yaml").write_text(text)
    quantize(preon, number, says, "--config", "c.yaml")


@pytest.mark.parametrize("arguments, number, says", FLAGS.values(), ids=FLAGS)
def test_command_line(preon, model, data, arguments, number, says):
    quantize(preon, number, says, *arguments)


# With a QConfig, whose keys other quantizers may read, they are warnings; of which one is among these.
IGNORED = {
    "base quantizer": (keys(FoldRelu=True, AlignEltwiseQuantType=True, RemoveFusedQDQ=True), "AlignEltwiseQuantType: has no effect here: the base quantizer"),
    "Quark's base quantizer": (keys(AlignConcat=True, Compat="quark"), "AlignConcat: has no effect here: the base quantizer"),
    "method": (keys(Percentile=99), "Percentile: has no effect on method MinMax; methods that have it: percentile"),
    "a key that the method has no use for": (keys("Percentile", NumBins=512), "NumBins: has no effect (percentile: option NumBins: the histograms have a fixed number of bins"),
    "types": (keys(ActivationScaled=True, WeightScaled=True, BF16WithClip=True), "ActivationScaled: has no effect on uint8; wanted float16 or bfloat16 (here --activation-scaled)"),
    "search of weights": (keys(MinMSEModeFloatScale="All"), "MinMSEModeFloatScale: has no effect without --weight-method minmse (here --weight-search)"),
    "attributes": (keys(BFPAttributes={"block_size": 4}), "BFPAttributes: has no effect on uint8 and int8"),
    "samples": (config("BFloat16", "BFloat16", granularity="Tensor", symmetric=True, extra_options={"CalibDataSize": 4}, preon_options={"no_bias_correction": True}),
                "CalibDataSize: has no effect with --activation bfloat16"),
    "biases": (keys(WeightsOnly=True, Int32Bias=True), "Int32Bias: has no effect with WeightsOnly=true"),
    "older types": (keys(MixedPrecisionTensor={"QInt16": ["r1"]}), "MixedPrecisionTensor: has no effect without SpecificTensorPrecision=true"),
    "method of weights": (config(roles={"weight": spec("Int8", "Entropy")}), "weight: calibration_method Entropy: has no effect: weights have MinMax or MinMSE only"),
    "fields of blocks": (config("BFP16", "BFP16", "Percentile", "PowerOf2", "Tensor", True), "input_tensors: scale_type power-of-two: has no effect: bfp16 has no scales"),
    "operators": (keys(RemoveQDQBetweenOps=[["Convv", "Relu"]]), "RemoveQDQBetweenOps: 'Convv' has no effect: no such operator is left after the rewrites; did you mean 'Conv'?"),
    "operators without channels": (keys(QDQOpTypePerChannelSupportToAxis={"Relu": 0}), "'Relu' has no effect: no such operator has a constant weight with channels"),
    "channels of a bias": (keys(QDQOpTypePerChannelSupportToAxis={"Conv": 1}), "'w1' of node 'conv_1' has its channels along the outputs"),
    "the middle code": (config(symmetric=True), "symmetric of input_tensors on uint8: the zero point is the middle code"),
    "half of the values": (keys("Percentile", Percentile=40), "Percentile 40: cuts off at least half of the values"),
    "a key without effect": (keys(IgnoreWarnings=False), "IgnoreWarnings: has no effect: warnings are part of the result"),
    "another key without effect": (keys(PrintSummary=False), "PrintSummary: has no effect: preon prints nothing"),
    "signs of floats": (config("BFloat16", "BFloat16", granularity="Tensor", symmetric=True, extra_options={"UseUnsignedReLU": True}), "UseUnsignedReLU: has no effect here"),
    "biases of floats": (config("BFloat16", "BFloat16", granularity="Tensor", symmetric=True, extra_options={"Int16Bias": True}), "Int16Bias: has no effect here: with bfloat16 no bias"),
    "an empty table": (keys(GPTQParams={}), "GPTQParams: has no effect: the table is empty"),
    "no layers to mix": (keys(AutoMixprecision={}), "AutoMixprecision: has no effect: the table is empty"),
    "blocks without their target": (keys(MatMulNBitsParams={"Bits": 4, "GroupSize": 32}), "MatMulNBitsParams: has no effect without UseMatMulNBits=true"),
    "an option by its key": (keys(QuantizeFP16=True), "QuantizeFP16: has no effect: the model has no float16 tensors (here --float16)"),
    "an algorithm by its key": (keys(UseGPTQ=True), "UseGPTQ: has no effect: the model has no quantized layer of the types that it changes"),
    "narrow ranges of floats": (config("BFloat16", "BFloat16", granularity="Tensor", symmetric=True, extra_options={"MinimumRealRange": 3}), "MinimumRealRange: has no effect on bfloat16"),
    "a method for dynamic": (config(preon_options={"target": "dynamic"}), "calibration_method of input_tensors: has no effect with --target dynamic"),
    "distribution": (config(method="Distribution"), "calibration_method Distribution: made for 8-bit floating types"),
}


@pytest.mark.parametrize("text, says", IGNORED.values(), ids=IGNORED)
def test_settings_without_effect(preon, model, data, text, says):
    (preon.folder / "c.json").write_text(text)
    done = preon("quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--config", "c.json", "--json")
    assert done.returncode == 0, done.stderr
    warnings = json.loads(done.stdout)["warnings"]
    assert sum(says in warning for warning in warnings) == 1, warnings


def test_what_is_so_anyway_is_no_mistake(preon, model, data):
    done = preon("quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--target", "quark", "--method", "minmax", "--json",
                 "--option", "Percentile=99.999", "--option", "FoldRelu=false", "--option", "LWPMetric=mae")
    assert done.returncode == 0 and not any("no effect" in warning for warning in json.loads(done.stdout)["warnings"]), done.stderr

"""Every key of AMD Quark that this version has does something: what an option of ours does (here), something to the graph
(test_keys_on_graphs.py), or something that shows elsewhere (test_keys_beside_graphs.py)."""
import json

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import data_root
from key_runs import CENTRED, QUARK, WIDE, run, workplace  # noqa: F401: fixtures
from test_keys_beside_graphs import BESIDE
from test_keys_on_graphs import EFFECTS, ON_OWN_GRAPHS
from test_npu_keys import OF_NPUS

#: Two pairs of layers in a row.
EQUALIZED = [*QUARK, "--algorithm", "cle:replace-clip6=true"]
INT16 = {"symmetric": True, "scale_type": "Float32", "calibration_method": "MinMax", "quant_granularity": "Tensor", "data_type": "Int16"}
# key=value: the options before it, the options of ours that say the same
AS_OPTIONS = {
    "ConvertOpsetVersion=22": (QUARK, ["--opset", "22"]),
    "FillAllValueInfo=true": (QUARK, ["--value-info"]),
    "AddQDQPairToWeight=true": (QUARK, ["--weight-form", "operators"]),
    "CalibDataSize=2": (QUARK, ["--calib-samples", "2"]),
    "CalibPassthroughOpTypes=[\"Slice\"]": (QUARK, ["--passthrough", "Slice"]),
    "CalibTensorRangeSymmetric=true": ([*QUARK, "--activation", "uint8"], ["--method-option", "CalibTensorRangeSymmetric=true"]),
    "CalibMovingAverage=true": (QUARK, ["--method-option", "CalibMovingAverage=true"]),
    "LWPMetric=mse": (["--target", "quark", "--method", "layerwise-percentile", "--method-option", "PercentileCandidates=97,99,99.9,100"],
                      ["--method-option", "LWPMetric=mse"]),
    "PercentileCandidates=[60, 70]": (["--target", "quark", "--method", "layerwise-percentile"], ["--method-option", "PercentileCandidates=60,70"]),
    "Percentile=90": (["--target", "quark", "--method", "percentile"], ["--method-option", "Percentile=90"]),
    "NumBins=512": (["--target", "quark", "--method", "entropy"], ["--method-option", "NumBins=512"]),
    "NumQuantizedBins=16": (["--target", "quark", "--method", "entropy"], ["--method-option", "NumQuantizedBins=16"]),
    "MinMSEModePof2Scale=MostCommon": (["--target", "quark", "--method", "minmse", "--scale-type", "power-of-two", "--symmetric"],
                                       ["--method-option", "MinMSEModePof2Scale=MostCommon"]),
    "MinMSEModeFloatScale=HistCenter": ([*QUARK, "--weight", "int4", "--weight-method", "minmse"], ["--weight-search", "HistCenter"]),
    "WeightCalibrateMethod=ExtendedCalibrationMethod.MinMSE": ([*QUARK, "--weight", "int4"], ["--weight-method", "minmse"]),
    "ActivationScaled=true": (["--activation", "bfloat16"], ["--activation-scaled"]),
    "WeightScaled=true": (["--activation", "bfloat16"], ["--weight-scaled"]),
    "Int16Scale=true": (QUARK, ["--scale-type", "int16"]),
    "WeightBlockSize=2": ([*QUARK, "--weight", "int4"], ["--block-size", "2"]),
    "BF16QDQToCast=true": (["--target", "quark", "--activation", "bfloat16"], ["--bfloat16", "casts"]),
    "BF16WithClip=true": (["--target", "quark", "--activation", "bfloat16"], ["--bfloat16", "clip"]),
    "EnableVaimlBF16=true": (["--target", "quark", "--activation", "bfloat16"], ["--bfloat16", "vaiml"]),
    "RefineBlockAxis=false": (["--target", "quark", "--activation", "bfp16"], ["--keep-block-axis"]),
    "BFPAttributes={\"block_size\": 4}": (["--activation", "bfp16"], ["--bfp-attribute", "block_size=4"]),
    "MXAttributes={\"block_size\": 4}": (["--activation", "mxint8"], ["--mx-attribute", "block_size=4"]),
    "UseMatMulNBits=true": ([], ["--target", "matmul-nbits", "--block-size", "128"]),
    "MatMulNBitsParams={\"GroupSize\": 32, \"Bits\": 8, \"Symmetric\": false, \"AccuracyLevel\": 1}":
        (["--target", "matmul-nbits"], ["--block-size", "32", "--weight", "uint8", "--accuracy-level", "1"]),
    f"AutoMixprecision={json.dumps({'TargetLayerConfig': {'input_tensors': INT16}})}":
        (QUARK, ["--algorithm", f"auto_mixprecision:target_layer_config={json.dumps({'input_tensors': INT16})}"]),
    "AutoMixprecision={\"TargetLayerConfig\": \"int16\"}": (QUARK, ["--algorithm", "auto_mixprecision:target_layer_config=int16"]),
    "BiasCorrection=false": (QUARK, ["--no-bias-correction"]),
    "CLESteps=3": (EQUALIZED, ["--algorithm", "cle:steps=3"]),
    "CLEWeightThreshold=4": (EQUALIZED, ["--algorithm", "cle:weight-threshold=4"]),
    "CLEScaleUseThreshold=false": ([*EQUALIZED, "--algorithm", "cle:weight-threshold=4"], ["--algorithm", "cle:use-threshold=false"]),
    "CLEScaleAppendBias=false": (EQUALIZED, ["--algorithm", "cle:append-bias=false"]),
    "CLETotalLayerDiffThreshold=9": ([*EQUALIZED, "--algorithm", "cle:steps=4"], ["--algorithm", "cle:diff-threshold=9"]),
    "ReplaceClip6Relu=true": ([*QUARK, "--algorithm", "cle"], ["--algorithm", "cle:replace-clip6=true"]),
    "ActivationSymmetric=true": ([*QUARK, "--activation", "uint8"], ["--symmetric"]),
}
# key=true: the pass that it asks for, and the operators that it makes
PASSES = {"ConvertBNToConv": ("convert_batch_norm", "Conv"), "ConvertReduceMeanToGlobalAvgPool": ("convert_reduce_mean", "GlobalAveragePool"),
          "ConvertSplitToSlice": ("convert_split", "Slice"), "SplitLargeKernelPool": ("split_large_pool", "AveragePool")}
# By tests of their own; CLEBalanceMethod has one value alone.
ELSEWHERE = {"UseGPTQ", "RConfigPath", "RMatrixDim", "UseRandomHad",  # tests/differential/test_algorithm_goldens.py
             "GPTQParams", "FastFinetune", "CLEBalanceMethod", "SmoothAlpha",   # src/algorithms/smooth_quant_test.cc
             "ConvertFP16ToFP32", "QuantizeFP16",                                     # tests/differential/test_float16.py
             "FuseGelu", "FuseLayerNorm", "FoldBatchNorm", "OptimizeModel", "SimplifyModel",   # test_switched_off_passes
             "FuseInstanceNorm", "FuseL2Norm",   # test_norms_of_exporters
             "SkipPreprocess",
             "SaveAndRestore", "TensorsRangeFile", "SaveTensorHistFig", "UseRandomData", "RandomDataReaderInputShape",
             "RandomDataReaderInputDataRange", "RandomDataReaderNumSamples", "RandomDataReaderSeed",   # tests/differential/test_resources.py
             "MixedPrecisionTensor", "ShapeShifterYaml", "PreprocessYAML", "SimplifyModelOptions",   # test_pass_lists.py
             "UserCustomOpLibPath",                                # test_custom_ops.py
             "CryptoMode", "EncryptionAlgorithm",                  # test_crypto_mode.py
             "QDQDisableWeightAdjustForInt32Bias"}                 # tests/differential/test_ort_graphs.py


def name_of(setting):
    return setting.split("=")[0]


@pytest.mark.thorough
@pytest.mark.parametrize("setting", AS_OPTIONS)
def test_is_an_option_of_ours(run, setting):
    before, options = AS_OPTIONS[setting]
    by_key, _ = run(*before, "--option", setting)
    assert by_key == run(*before, *options)[0]
    assert by_key != run(*before, *([] if before else ["--always-write"]))[0]  # the tiny model gains nothing by itself


@pytest.fixture(scope="module")
def for_npus(workplace):
    """What NPUs want otherwise: BatchNormalization alone, Split, means over many pixels."""
    values = {"s": np.full(4, 2, np.float32), "m": np.zeros(4, np.float32), "v": np.ones(4, np.float32), "parts": np.array([1, 3]), "axes": np.array([2, 3]),
              "w": np.eye(4, dtype=np.float32)[:, :, None, None]}
    nodes = [helper.make_node("Sigmoid", ["x"], ["g"], name="n_g"), helper.make_node("BatchNormalization", ["g", "s", "m", "m", "v"], ["b"], name="n_b"),
             helper.make_node("Conv", ["b", "w"], ["c"], name="n_c"), helper.make_node("Split", ["c", "parts"], ["p", "q"], name="n_p", axis=1),
             helper.make_node("Concat", ["q", "p"], ["k"], name="n_k", axis=1), helper.make_node("GlobalAveragePool", ["k"], ["large"], name="n_large"),
             helper.make_node("ReduceMean", ["c", "axes"], ["mean"], name="n_mean"), helper.make_node("Add", ["large", "mean"], ["y"], name="n_y")]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 4, 24, 24])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 4, 1, 1])],
                              [numpy_helper.from_array(value, name) for name, value in values.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9), workplace / "for_npus.onnx")
    np.savez(workplace / "large.npz", x=np.random.default_rng(4).normal(size=(4, 4, 24, 24)).astype(np.float32))
    return {"model": "for_npus.onnx", "data": ("--data", "large.npz")}


@pytest.mark.parametrize("key", PASSES)
def test_is_a_pass(run, for_npus, key):
    name, kind = PASSES[key]

    def made(*arguments):
        written = run(*QUARK, *arguments, **for_npus)[0]
        return written, sum(node.op_type == kind for node in onnx.load_from_string(written).graph.node)

    by_key, count = made("--option", f"{key}=true")
    assert by_key == made("--enable-pass", name)[0]
    assert count > made("--option", f"{key}=false")[1]


@pytest.fixture(scope="module")
def written_out(workplace):
    """GELU and layer normalization as exporters write them, a BatchNormalization, and what changes nothing."""
    values = {"two": np.float32(np.sqrt(2)), "one": np.float32(1), "half": np.float32(0.5), "axis": np.array([-1]), "small": np.float32(1e-5),
              "g": np.ones(8, np.float32), "b": np.zeros(8, np.float32), "w": np.eye(4, dtype=np.float32)[:, :, None, None],
              "s": np.full(4, 2, np.float32), "m": np.zeros(4, np.float32), "v": np.ones(4, np.float32), "lo": np.float32(0), "hi": np.float32(6)}
    text = [("Conv", "x w", "c"), ("BatchNormalization", "c s m m v", "n"), ("Identity", "n", "i"), ("Clip", "i lo hi", "k"), ("Clip", "k lo hi", "k2"),
            ("Div", "k2 two", "d"), ("Erf", "d", "e"), ("Add", "e one", "a"), ("Mul", "k2 a", "p"), ("Mul", "p half", "q"),
            ("ReduceMean", "q axis", "mean"), ("Sub", "q mean", "r"), ("Mul", "r r", "rr"), ("ReduceMean", "rr axis", "var"), ("Add", "var small", "vs"),
            ("Sqrt", "vs", "sd"), ("Div", "r sd", "u"), ("Mul", "u g", "ug"), ("Add", "ug b", "y")]
    graph = helper.make_graph([helper.make_node(kind, inputs.split(), [output], name=f"n_{output}") for kind, inputs, output in text], "g",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 4, 8, 8])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 4, 8, 8])],
                              [numpy_helper.from_array(value, name) for name, value in values.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9), workplace / "written_out.onnx")
    return "written_out.onnx"


@pytest.mark.parametrize("key, kind", [("FuseGelu", "Erf"), ("FuseLayerNorm", "ReduceMean"), ("FoldBatchNorm", "BatchNormalization"),
                                       ("OptimizeModel", "Identity"), ("SimplifyModel", "Clip")])
def test_switched_off_passes(run, written_out, key, kind):
    def count(*arguments):
        # Codes from zero on take the place of every Clip.
        model = onnx.load_from_string(run(*(CENTRED if kind == "Clip" else QUARK), *arguments, model=written_out)[0])
        return sum(node.op_type == kind for node in model.graph.node)

    assert count("--option", f"{key}=false") > count()


#: key: Quark's model with the operator written out, and the operator.
NORMS = {"FuseL2Norm": ("l2norm_decomposed", "LpNormalization"), "FuseInstanceNorm": ("instancenorm_decomposed", "InstanceNormalization")}


@pytest.fixture
def norm(workplace, request):
    """The operator, and what makes a run of the model in which it is written out."""
    name, kind = NORMS[request.param]
    model = onnx.load(data_root.QUARK / f"graphs/models/{name}.onnx")
    onnx.save(model, workplace / "norm.onnx")
    shape = [dim.dim_value for dim in model.graph.input[0].type.tensor_type.shape.dim]
    samples = np.random.default_rng(4).normal(size=(8 * shape[0], *shape[1:])).astype(np.float32)
    np.savez(workplace / "norm.npz", **{model.graph.input[0].name: samples})
    return kind, {"model": "norm.onnx", "data": ("--data", "norm.npz")}


@pytest.mark.parametrize("norm, key", [(key, key) for key in NORMS], indirect=["norm"])
@pytest.mark.parametrize("preset", [None, "A8W8", "XINT8", "BF16"])
def test_norms_of_exporters(run, norm, key, preset):
    kind, where = norm

    def made(*words):
        written = onnx.load_from_string(run(*(["--config", preset] if preset else QUARK), "--always-write", *words, **where)[0])
        return [node.op_type for node in written.graph.node].count(kind)

    assert (made(), made("--option", f"{key}=true"), made("--option", f"{key}=false")) == (1, 1, 0)


@pytest.mark.parametrize("norm", NORMS, indirect=True)
@pytest.mark.parametrize("name", ["a8w8", "xint8"])
def test_norms_of_exporters_in_lists(preon, norm, workplace, name):
    done = preon("passes", workplace / "norm.onnx", "-o", workplace / "fused.onnx", "--list", name)
    assert done.returncode == 0, done.stderr
    assert norm[0] in {node.op_type for node in onnx.load(workplace / "fused.onnx").graph.node}


def test_without_any_pass(run, preon, written_out):
    passes = [word for name in json.loads(preon("doctor", "--json").stdout)["passes"] for word in ("--disable-pass", name)]
    without = run(*QUARK, "--option", "SkipPreprocess=true", model=written_out)[0]
    assert without == run(*QUARK, *passes, model=written_out)[0] != run(*QUARK, model=written_out)[0]


def test_mixed_precision_of_older_configurations(run):
    model = onnx.load_from_string(run(*WIDE, "--option", "SpecificTensorPrecision=true", "--option", "MixedPrecisionTensor={\"QUInt8\": [\"relu\"]}")[0])
    types = {each.name: each.data_type for each in model.graph.initializer}
    assert types["relu_zero_point"] == TensorProto.UINT8 and types["clip_zero_point"] == TensorProto.INT16


def test_every_key_is_here(preon):
    told = json.loads(preon("doctor", "--options", "--json").stdout)["keys"]
    has = {key["name"] for key in told if key["here"] and "." not in key["name"]}
    assert {name_of(setting) for setting in [*AS_OPTIONS, *EFFECTS]} | ON_OWN_GRAPHS | OF_NPUS | BESIDE | ELSEWHERE | set(PASSES) == has

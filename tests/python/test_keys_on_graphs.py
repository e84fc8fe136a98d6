"""What keys of AMD Quark do to a graph: one fact of the written model each, without the key and with it."""

import json

import graph_goldens
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from key_runs import CENTRED, QUARK, SAMPLES, WIDE, Written, key, ranged, run, workplace  # noqa: F401: fixtures

INT8, UINT8, INT16, INT32 = TensorProto.INT8, TensorProto.UINT8, TensorProto.INT16, TensorProto.INT32


def has_pair(tensor):
    return lambda model: tensor in model.pairs


def same_scale(*tensors):
    return lambda model: len({model.scale(each) for each in tensors}) == 1


def type_of(constant):
    return lambda model: model.type(constant)


def moving_average(factor):
    """The scale of x: extremes of the samples, one after the other."""
    low, high = SAMPLES[0].min(), SAMPLES[0].max()
    for sample in SAMPLES[1:]:
        low, high = low + factor * (sample.min() - low), high + factor * (sample.max() - high)
    return round(float(high - low) / 255, 6)


def of_16_bits(scale):
    """M / 2^N with M of 16 bits."""
    return np.frexp(scale)[0] * 2 ** 15 % 1 == 0


BFLOAT16 = ["--target", "quark", "--activation", "bfloat16"]

# key=value: (the options before it, a fact of the written model, what it is without the key, what with it)
EFFECTS = {
    # Which nodes
    "ExtraOpTypesToQuantize=[\"Sinh\"]": (QUARK, has_pair("y"), False, True),
    "MatMulConstBOnly=true": (QUARK, has_pair("dynamic"), True, False),
    "NodesToQuantize=[\"n_c1\", \"n_c2\"]": (QUARK, lambda m: m.coded == {"c1_w", "c1_b", "c2_w", "c2_b"}, False, True),
    "OpTypesToQuantize=[\"Conv\"]": (QUARK, lambda m: m.coded == {f"c{i}_{role}" for i in range(1, 7) for role in "wb"}, False, True),
    "QuantizeAllOpTypes=true": (QUARK, lambda m: ("y" in m.pairs, "slope" in m.coded), (False, False), (True, True)),
    "WeightsOnly=true": (QUARK, lambda m: (m.kinds["QuantizeLinear"] == 0, {"c1_w", "m_w", "g_w"} <= m.coded, "c1_b" in m.coded),
                         (False, True, True), (True, True, False)),
    "InputNodes=[\"n_c3\"]": (QUARK, lambda m: ("x" in m.pairs, "c2_w" in m.coded, "c3_w" in m.coded), (True, True, True), (False, False, True)),
    "OutputNodes=[\"n_c4\"]": (QUARK, lambda m: ("c4_w" in m.coded, "c5_w" in m.coded, "g_w" in m.coded), (True, True, True), (True, False, False)),
    # Between which there are pairs
    "DedicatedQDQPair=true": (QUARK, lambda m: (m.kinds["QuantizeLinear"], m.readers("relu_DequantizeLinear_Output_2")), (24, []), (27, ["n_concat"])),
    "DedicateDQNode=true": (QUARK, lambda m: sorted(m.readers("relu_QuantizeLinear_Output")), ["relu_DequantizeLinear"],
                            ["relu_DequantizeLinear", "relu_DequantizeLinear_1"]),
    "ForceQuantizeNoInputCheck=true": ([*QUARK, *key("OpTypesToQuantize=[\"Transpose\", \"MatMul\"]")],
                                       lambda m: {"excited", "transpose"} & m.pairs, set(), {"excited", "transpose"}),
    "NodesToExcludeOutputQuantization=[\"n_c6\"]": (QUARK, lambda m: (m.readers("c6"), "c6_w" in m.coded), (["c6_QuantizeLinear"], True),
                                                    (["n_squeezed", "n_excited"], True)),
    # Their outputs are marked by what reads them; a clamp has nothing to become part of.
    "OpTypesToExcludeOutputQuantization=[\"Conv\"]": (QUARK, lambda m: (m.kinds["Relu"], "c6" in m.pairs), (0, True), (1, True)),
    "QDQOpTypePerChannelSupportToAxis={\"MatMul\": 0}": (QUARK, lambda m: m.values("m_w_scale").shape, (4,), ()),   # of MatMul only the last runs
    "RemoveQDQBetweenOps=[[\"Mul\", \"Add\"]]": (QUARK, lambda m: (has_pair("mul")(m), has_pair("add")(m)), (True, True), (False, True)),
    "RemoveQDQMulAdd=true": (QUARK, lambda m: (has_pair("mul")(m), has_pair("add")(m)), (True, True), (False, True)),
    "RemoveQDQConvClip=false": (CENTRED, has_pair("c2"), False, True),
    "RemoveQDQConvGelu=true": (QUARK, has_pair("c5"), True, False),
    "RemoveQDQConvLeakyRelu=false": (QUARK, has_pair("c3"), False, True),
    "RemoveQDQConvPRelu=false": (QUARK, has_pair("c4"), False, True),
    "RemoveQDQConvRelu=false": (CENTRED, has_pair("c1"), False, True),
    "RemoveQDQInstanceNorm=true": (CENTRED, has_pair("norm"), True, False),
    "RemoveFusedQDQ=true": (["--target", "quark", "--activation", "bfp16"], lambda m: {"c1", "c2", "c3", "c4"} & m.pairs, {"c1", "c2", "c3", "c4"}, set()),
    "UseQDQContribOps=true": (QUARK, Written.domains, {""}, {"com.microsoft"}),
    "QDQKeepRemovableActivations=true": (QUARK, lambda m: m.kinds["Relu"], 0, 2),
    "MinimumRealRange=50": (QUARK, lambda m: m.scale("x") >= 50 / 256, False, True),
    "FoldRelu=true": ([*QUARK, "--activation", "uint16", "--weight", "int8"], lambda m: m.kinds["Relu"], 2, 0),
    "ConvertClipToRelu=true": (CENTRED, lambda m: (m.kinds["Clip"], m.nodes["n_clip"].op_type, list(m.nodes["n_clip"].input)),
                               (2, "Clip", ["c2", "zero", "six"]), (1, "Relu", ["c2"])),
    # Biases
    "QuantizeBias=false": (QUARK, type_of("c1_b_quantized"), INT32, None),
    "Int32Bias=false": (QUARK, type_of("c1_b_quantized"), INT32, INT8),
    "Int16Bias=true": (QUARK, type_of("c1_b_quantized"), INT32, INT16),
    # Scales and types
    "UseUnsignedReLU=true": (CENTRED, lambda m: (m.zero("clip"), m.zero("norm_relu"), m.zero("mul")), (0, 0, 0), (-128, -128, 0)),
    "AlignEltwiseQuantType=true": (WIDE, lambda m: (m.type("factor_quantized"), m.type("term_quantized"), m.type("c1_w_quantized")),
                                   (INT8, INT8, INT8), (INT16, INT16, INT8)),
    "WeightSymmetric=false": (QUARK, lambda m: bool(np.any(m.values("c1_w_zero_point"))), False, True),
    "TensorQuantOverrides={\"relu\": [{\"rmin\": 0, \"rmax\": 1}]}": (QUARK, lambda m: m.scale("relu") == np.float32(1 / 255), False, True),
    "CalibMovingAverageConstant=0.5": ([*QUARK, *key("CalibMovingAverage=true")], lambda m: round(m.scale("x"), 6), moving_average(0.01), moving_average(0.5)),
    "ActivationSymmetric=true": ([*QUARK, "--activation", "uint8"], lambda m: m.zero("x") == 128, False, True),
    "Int16Scale=true": (QUARK, lambda m: all(of_16_bits(m.scale(each)) for each in m.pairs), False, True),
    "ActivationScaled=true": (BFLOAT16, lambda m: m.scale("x") == 1, True, False),
    "WeightScaled=true": (BFLOAT16, lambda m: bool(np.all(m.values("c1_w_scale") == 1)), True, False),
    "WeightBlockSize=2": ([*QUARK, "--weight", "int4"], lambda m: m.values("m_w_scale").shape, (4,), (2, 4)),
    "AddQDQPairToWeight=true": (QUARK, lambda m: ("c1_w" in m.pairs, m.type("c1_w"), m.type("c1_w_quantized")), (False, None, INT8),
                                (True, TensorProto.FLOAT, None)),
    # One scale for what an operator reads and writes
    "AlignConcat=true": (WIDE, same_scale("pad", "relu", "concat"), False, True),
    "AlignPad=true": (ranged("pad"), same_scale("add", "pad"), False, True),
    "AlignPool=true": (WIDE, same_scale("c6", "squeezed"), False, True),
    "AlignReshape=true": (ranged("reshape"), same_scale("transpose", "reshape"), False, True),
    "AlignSlice=true": (WIDE, same_scale("concat", "slice"), False, True),
    "AlignTranspose=true": (ranged("transpose"), same_scale("excited", "transpose"), False, True),
    "NPULimitationCheck=false": ([*WIDE, *key("AlignConcat=true")], same_scale("pad", "relu", "concat"), True, False),
}


@pytest.mark.parametrize("target", ["quark", "ort", "simulate"])
def test_alignment_of_bytes(run, target):
    """Quark has it in its extended quantizer alone: with Compat, the base quantizer leaves the scales as they are."""
    common = ["--target", target, "--method", "minmax", *key("ForceQuantizeNoInputCheck=true")]
    aligned = same_scale("pad", "relu", "concat")
    assert not aligned(Written(run(*common)[0])) and aligned(Written(run(*common, *key("AlignConcat=true"))[0]))
    assert run(*common, *key("AlignConcat=false"))[0] == run(*common)[0]


@pytest.mark.parametrize("role", ["global_config", "layer_type_config"])
def test_weights_in_blocks_stay_behind_their_operator(run, workplace, role):
    def spec(data_type):
        return {"symmetric": True, "scale_type": "Float32", "calibration_method": "MinMax", "quant_granularity": "Tensor", "data_type": data_type}

    def quantized(**keys):
        config = {"global_config": {"input_tensors": spec("Int8"), "weight": spec("Int8")}, "extra_options": keys}
        if role == "global_config":
            config[role]["weight"] = spec("BFP16")
        else:
            config[role] = [[{"weight": spec("MXInt8")}, ["Conv"]]]
        (workplace / "blocks.json").write_text(json.dumps(config))
        return run("--config", "blocks.json")

    content, answer = quantized(AddQDQPairToWeight=False)
    assert content == quantized()[0]
    assert [each for each in answer["warnings"] if each.startswith("AddQDQPairToWeight: has no effect on weights in a block format")]


@pytest.mark.parametrize("setting", EFFECTS)
def test_has_its_effect(run, setting):
    before, fact, without, with_it = EFFECTS[setting]
    assert without != with_it
    assert fact(Written(run(*before)[0])) == without
    assert fact(Written(run(*before, *key(setting))[0])) == with_it


#: By the tests below.
ON_OWN_GRAPHS = {"EnableDualQuantNodePairs", "EnableSubgraph", "CopySharedInit", "CopyBiasInit", "RemoveInputInit", "FixShapes", "ConvertNCHWToNHWC",
                 "MaxLoopNum", "AdjustWeightScaleForInt32Bias"}


def types_around(model, node):
    """Of the codes that the node's activations come from and go to."""
    by_output = {output: each for each in model.graph.node for output in each.output}
    found = set()
    for tensor in node.input:
        dequantize = by_output.get(tensor)
        if dequantize is not None and dequantize.op_type == "DequantizeLinear" and dequantize.input[0] in by_output:
            found.add(model.type(dequantize.input[2]))
    for tensor in node.output:
        found |= {model.type(each.input[2]) for each in model.graph.node if tensor in each.input and each.op_type == "QuantizeLinear"}
    return found


def test_second_pairs_around_nodes(run):
    before = [*QUARK, *key("TensorQuantOverrides={\"relu\": [{\"quant_type\": \"QInt16\"}]}")]
    around = ("n_relu", "n_c2", "n_concat")   # writes and reads it
    without = Written(run(*before)[0])
    assert [types_around(without, without.nodes[each]) for each in around] == [{INT16}, {INT16}, {UINT8, INT16}]
    made = Written(run(*before, *key("EnableDualQuantNodePairs=true"))[0])
    assert [types_around(made, made.nodes[each]) for each in around] == [{INT16}] * 3
    # The neighbours see what they saw: int16, then uint8, between them.
    assert types_around(made, made.nodes["n_slice"]) == types_around(without, without.nodes["n_slice"]) == {UINT8}
    quantizers = [made.type(made.nodes[each].input[2]) for each in ("concat_QuantizeLinear", "concat_convert_QuantizeLinear")]
    assert quantizers == [INT16, UINT8] and "concat_convert_QuantizeLinear" not in without.nodes
    assert made.kinds["QuantizeLinear"] > without.kinds["QuantizeLinear"]


def test_second_pairs_behind_blocks(run):
    """bfloat16 beside a tensor in blocks: n_c2 reads blocks, so it writes blocks, of which its reader gets bfloat16."""
    before = ["--target", "quark", "--activation", "bfloat16", *key("TensorQuantOverrides={\"relu\": [{\"quant_type\": \"bfp16\"}]}")]
    without = Written(run(*before)[0])
    made = Written(run(*before, *key("EnableDualQuantNodePairs=true"))[0])
    blocks, second = made.nodes["c2_DequantizeLinear"], made.nodes["c2_convert_QuantizeLinear"]
    assert "c2" not in without.pairs   # between Conv and Clip
    assert blocks.op_type == "BFPQuantizeDequantize" and second.input[0] == blocks.output[0]
    assert made.nodes["n_clip"].input[0] == made.nodes["c2_convert_DequantizeLinear"].output[0]


def test_second_pairs_need_something_to_be_about(preon, run):
    def warnings(*options):
        return " ".join(run(*options, *key("EnableDualQuantNodePairs=true"))[1]["warnings"])

    assert "no node has tensors of different types" in warnings(*WIDE)
    assert "only the extended quantizer" in warnings(*QUARK)
    preon.fails(2, 1004, "quantize", "mixed.onnx", "-o", "no.onnx", "--data", "calib.npz", *WIDE, *key("EnableDualQuantNodePairs=true"),
                *key("DedicatedQDQPair=true"), says="EnableDualQuantNodePairs and DedicatedQDQPair")


def test_a_clip_whose_bound_matters_stays(run):
    """Both ends of Clip(-1, 1) do; of Clip(0, 6) the upper one where codes go further."""
    wide = key("TensorQuantOverrides={\"clip\": [{\"rmin\": 0, \"rmax\": 12}]}")
    content, result = run(*CENTRED, *wide, *key("ConvertClipToRelu=true"))
    assert Written(content).kinds["Clip"] == 2
    assert [each for each in result["warnings"] if "'n_clip' stays a Clip: its upper bound is 6, but the codes of its output reach 12" in each]
    compat = Written(run(*CENTRED, *wide, *key("ConvertClipToRelu=true"), "--compat", "quark")[0])
    assert compat.kinds["Clip"] == 1   # AMD Quark's way


def store(folder, name, nodes, inputs, outputs, constants, opset=17):
    def infos(shapes):
        return [helper.make_tensor_value_info(tensor, TensorProto.FLOAT, shape) for tensor, shape in shapes.items()]

    graph = helper.make_graph(nodes, "g", infos(inputs), infos(outputs),
                              [numpy_helper.from_array(np.asarray(value), tensor) for tensor, value in constants.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8), folder / f"{name}.onnx")
    np.savez(folder / f"{name}.npz", **{tensor: np.random.default_rng(5).normal(size=(8, *shape[1:])).astype(np.float32) for tensor, shape in inputs.items()})
    return {"model": f"{name}.onnx", "data": ("--data", f"{name}.npz")}


def weights(*shape):
    return np.random.default_rng(6).normal(size=shape).astype(np.float32)


@pytest.fixture
def shared_constants(workplace):
    nodes = [helper.make_node("Gemm", ["x", "w", "b"], ["h"], name="first"), helper.make_node("Gemm", ["h", "w", "b"], ["y"], name="second")]
    return store(workplace, "shared", nodes, {"x": [1, 4]}, {"y": [1, 4]}, {"w": weights(4, 4), "b": weights(4)})


def test_a_constant_for_each_reader(run, shared_constants):
    def coded(*options):
        return {each for each in Written(run(*QUARK, *options, **shared_constants)[0]).coded if "w" in each}

    assert coded() == {"w"}
    assert coded(*key("CopySharedInit=[]")) == coded(*key("CopySharedInit=[\"Gemm\"]")) == {"w", "duplicatedw2"}
    assert coded(*key("CopySharedInit=[\"Conv\"]")) == {"w"}


@pytest.mark.parametrize("setting", ["CopyBiasInit=[\"Gemm\"]", "CopyBiasInit=[]", "CopyBiasInit=None"])
def test_a_bias_has_codes_for_each_reader(run, shared_constants, setting):
    """Whatever the key says: their scales differ."""
    made = Written(run(*QUARK, *key(setting), **shared_constants)[0])
    codes = [made.nodes[made.nodes[each].input[2].removesuffix("_DequantizeLinear_Output") + "_DequantizeLinear"].input for each in ("first", "second")]
    assert made.nodes["first"].input[2] != made.nodes["second"].input[2]
    assert made.values(codes[0][1]) .tolist() != made.values(codes[1][1]).tolist()


def test_constants_among_the_inputs(run, workplace):
    """Those that become codes are none any more in any case."""
    nodes = [helper.make_node("MatMul", ["x", "w"], ["h"], name="n_h"), helper.make_node("Pow", ["h", "two"], ["y"], name="n_y")]
    given = store(workplace, "listed", nodes, {"x": [1, 4]}, {"y": [1, 4]}, {"w": weights(4, 4), "two": np.full(4, 2, np.float32)})
    model = onnx.load(workplace / "listed.onnx")
    for tensor, shape in {"w": [4, 4], "two": [4]}.items():
        model.graph.input.append(helper.make_tensor_value_info(tensor, TensorProto.FLOAT, shape))
    onnx.save(model, workplace / "listed.onnx")
    made = Written(run(*QUARK, *key("RemoveInputInit=true"), **given)[0])
    kept = Written(run(*QUARK, *key("RemoveInputInit=false"), **given)[0])
    assert [each.name for each in made.graph.input] == ["x"] and "w" in made.coded
    assert [each.name for each in kept.graph.input] == ["x", "two"] and "w" in kept.coded


def test_open_dimensions(run, preon, workplace):
    nodes = [helper.make_node("Conv", ["x", "w"], ["c"], name="n_c"), helper.make_node("Relu", ["c"], ["y"], name="n_y")]
    given = store(workplace, "open", nodes, {"x": [1, 4, 6, 6]}, {"y": [1, 4, 6, 6]}, {"w": weights(4, 4, 1, 1)})
    model = onnx.load(workplace / "open.onnx")
    for value in (model.graph.input[0], model.graph.output[0]):
        for axis, name in ((0, "N"), (2, "H"), (3, "W")):
            value.type.tensor_type.shape.dim[axis].dim_param = name
    onnx.save(model, workplace / "open.onnx")

    def shapes(*options):
        graph = Written(run(*QUARK, *options, **given)[0]).graph
        return {value.name: [dim.dim_value or dim.dim_param for dim in value.type.tensor_type.shape.dim]
                for value in [*graph.input, *graph.output, *graph.value_info]}

    assert shapes()["x"] == ["N", 4, "H", "W"]
    fixed = shapes(*key("FixShapes=x: [1, 4, 6, 6]"))   # the output's dimensions have the same names
    assert fixed["x"] == fixed["y"] == [1, 4, 6, 6] and all(shape == [1, 4, 6, 6] for name, shape in fixed.items() if name.startswith(("x_", "y_")) and shape)
    assert any(name.startswith("x_") for name in fixed)   # all tensors inside have theirs, too
    assert fixed == shapes("--fix-shape", "x=1x4x6x6", "--value-info")
    command = ["quantize", "open.onnx", "-o", "no.onnx", *given["data"], *QUARK]
    preon.fails(2, 1006, *command, *key("FixShapes=z:[1]"), says="'z' is not an input or output")
    preon.fails(2, 1002, *command, *key("FixShapes=x:[1,5,6,6]"), says="the model has [?, 4, ?, ?]")
    preon.fails(2, 1002, *command, *key("FixShapes=x:1,4,6,6"), says="NAME:[SIZE,SIZE,...]")


def test_images_with_channels_last(run, workplace):
    runtime = pytest.importorskip("onnxruntime")
    nodes = [helper.make_node("Conv", ["x", "w"], ["y"], name="n")]
    given = store(workplace, "images", nodes, {"x": [1, 3, 6, 8]}, {"y": [1, 4, 6, 8]}, {"w": weights(4, 3, 1, 1)})
    plain, _ = run(*QUARK, **given)
    turned, result = run(*QUARK, *key("ConvertNCHWToNHWC=true"), **given)
    made = Written(turned)
    assert made.kinds["Transpose"] == 2 and Written(plain).kinds["Transpose"] == 0
    # A pair on either side: codes are transposed.
    assert types_around(made, made.nodes["x_transpose"]) == types_around(made, made.nodes["y_transpose"]) == {UINT8}
    sample = np.load(workplace / "images.npz")["x"][:1]
    wanted, got = (runtime.InferenceSession(content, providers=["CPUExecutionProvider"]).run(None, {"x": feed})[0]
                   for content, feed in ((plain, sample), (turned, sample.transpose(0, 2, 3, 1))))
    assert got.shape == (1, 6, 8, 4)
    np.testing.assert_array_equal(got.transpose(0, 3, 1, 2), wanted)
    assert turned == run(*QUARK, "--nhwc", **given)[0]
    assert not [each for each in result["warnings"] if "NCHW" in each]


def test_rounds_of_alignment(run, workplace):
    """A Concat of a Concat: the inner one's inputs follow in the second round."""
    nodes = [helper.make_node("Conv", ["x", f"w{i}"], [f"c{i}"], name=f"n_c{i}") for i in range(3)]
    nodes += [helper.make_node("Concat", ["c0", "c1"], ["inner"], name="n_inner", axis=1), helper.make_node("Concat", ["inner", "c2"], ["y"], name="n_y", axis=1)]
    given = store(workplace, "nested", nodes, {"x": [1, 2, 4, 4]}, {"y": [1, 6, 4, 4]}, {f"w{i}": (i + 1) * weights(2, 2, 1, 1) for i in range(3)})

    def scales(rounds):
        made = Written(run(*WIDE, *key("AlignConcat=true"), *key(f"MaxLoopNum={rounds}"), **given)[0])
        return [made.scale(each) == made.scale("y") for each in ("c0", "c1", "inner", "c2")]

    assert scales(1) == [False, False, True, True] and scales(2) == scales(5) == [True] * 4


def test_biases_that_do_not_fit(run, workplace):
    nodes = [helper.make_node("Conv", ["x", "w", "b"], ["y"], name="n")]
    tiny = np.full((2, 2, 1, 1), 1e-9, np.float32)
    given = store(workplace, "biased", nodes, {"x": [1, 2, 4, 4]}, {"y": [1, 2, 4, 4]}, {"w": tiny, "b": np.array([100, -100], np.float32)})

    def largest(*options):
        return int(np.abs(Written(run(*QUARK, "--no-bias-correction", *options, **given)[0]).values("b_quantized").astype(np.int64)).max())

    limit = 2 ** 31 - 1
    assert largest(*key("AdjustWeightScaleForInt32Bias=false")) >= limit   # saturated
    assert largest(*key("AdjustWeightScaleForInt32Bias=true")) == largest() < limit


@pytest.mark.parametrize("target", ["quark", "ort"])
def test_short_biases_of_an_older_opset(run, workplace, target):
    """There only com.microsoft's operators have 16 bits."""
    nodes = [helper.make_node("Conv", ["x", "w", "b"], ["y"], name="n")]
    given = store(workplace, "short", nodes, {"x": [1, 2, 4, 4]}, {"y": [1, 2, 4, 4]}, {"w": weights(2, 2, 1, 1), "b": weights(2)})
    made = Written(run("--target", target, "--method", "minmax", *key("Int16Bias=true"), **given)[0])
    assert made.type("b_quantized") == INT16


@pytest.fixture
def loop(workplace):
    """x is multiplied five times by a matrix of the body's own and one of the graph's."""
    value = helper.make_tensor_value_info
    body = helper.make_graph(
        [helper.make_node("MatMul", ["state", "inner"], ["a"], name="in_1"), helper.make_node("MatMul", ["a", "outer"], ["b"], name="in_2"),
         helper.make_node("Tanh", ["b"], ["next"], name="in_3"), helper.make_node("Identity", ["go"], ["on"], name="in_4")], "body",
        [value("step", TensorProto.INT64, []), value("go", TensorProto.BOOL, []), value("state", TensorProto.FLOAT, [1, 32])],
        [value("on", TensorProto.BOOL, []), value("next", TensorProto.FLOAT, [1, 32])], [numpy_helper.from_array(weights(32, 32) / 4, "inner")])
    nodes = [helper.make_node("MatMul", ["x", "first"], ["h"], name="n_h"), helper.make_node("Loop", ["five", "yes", "h"], ["y"], name="n_loop", body=body)]
    return store(workplace, "loop", nodes, {"x": [1, 32]}, {"y": [1, 32]},
                 {"first": weights(32, 32), "outer": weights(32, 32)[::-1] / 4, "five": np.int64(5), "yes": np.array(True)})


@graph_goldens.needs_sums_in_32_bits
@pytest.mark.parametrize("target", ["quark", "ort"])
def test_bodies_of_loops(run, loop, target):
    options = ["--target", target, "--method", "minmax", "--weight-form", "packed", "--calib-samples", 7]
    before, made = (Written(run(*options, *more, **loop)[0]) for more in ((), key("EnableSubgraph=true")))

    def body(model):
        return model.nodes["n_loop"].attribute[0].g

    assert {each.name for each in body(before).initializer} == {"inner"} and before.type("outer") == TensorProto.FLOAT
    types = {each.name: each.data_type for each in body(made).initializer}
    assert types["inner_quantized"] == types["outer_inside_quantized"] == INT8 and not {"inner", "outer"} & set(types)
    assert "outer" not in made.constants   # nobody reads it any more
    assert [node.op_type for node in body(made).node].count("DequantizeLinear") == 2
    result = run(*options, *key("EnableSubgraph=true"), **loop)[1]
    assert [each for each in result["warnings"] if "2 constants in bodies of Loop and Scan become codes; activations there stay float" in each]
    assert result["compare"]["outputs"]["y"]["sqnr_db"] > 20


def test_without_loops_it_says_so(run, loop):
    content, result = run(*QUARK, "--compat", "quark", *key("EnableSubgraph=true"), **loop)
    without, _ = run(*QUARK, "--compat", "quark", **loop)
    assert onnx.load_from_string(content).graph == onnx.load_from_string(without).graph
    assert [each for each in result["warnings"] if "no effect with --compat" in each]
    assert [each for each in run(*QUARK, *key("EnableSubgraph=true"))[1]["warnings"] if "the model has no Loop or Scan" in each]

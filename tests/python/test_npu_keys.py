"""Keys of NPUs: each does something, and what it does is gone where it is off."""
import collections
import json

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import data_root

SHAPE = [1, 4, 8, 8]


def write(folder, nodes, output="y", **weights):
    """[1,4,8,8] x → output."""
    graph = helper.make_graph(nodes, "npu", [helper.make_tensor_value_info("x", TensorProto.FLOAT, SHAPE)],
                              [helper.make_tensor_value_info(output, TensorProto.FLOAT, None)],
                              [numpy_helper.from_array(np.asarray(value), name) for name, value in weights.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), folder / "npu.onnx")
    np.savez(folder / "npu.npz", x=np.random.default_rng(5).normal(size=(4, *SHAPE[1:])).astype(np.float32))


def node(kind, inputs, output, **attributes):
    return helper.make_node(kind, inputs, [output], name=f"n_{output}", **attributes)


@pytest.fixture
def run(preon):
    def quantized(*options, target="npu-cnn"):
        done = preon("quantize", "npu.onnx", "-o", "out.onnx", "--data", "npu.npz", "--json", *(["--target", target] if target else []),
                     *(word for option in options for word in ([option] if option.startswith("--") else ["--option", option])))
        assert done.returncode == 0, done.stderr
        return onnx.load(preon.folder / "out.onnx").graph, json.loads(done.stdout)
    return quantized


def kinds(graph):
    return collections.Counter(each.op_type for each in graph.node)


def attribute(graph, name, of):
    return next(each for each in graph.node if each.name == of and each.attribute[0].name == name).attribute[0].f


def bounds(graph):
    clip = next(each for each in graph.node if each.op_type == "Clip")
    return [numpy_helper.to_array(next(value for value in graph.initializer if value.name == bound)).item() for bound in clip.input[1:]]


#: key: the node that it is about, on by default, what is looked at, without and with it.
CONVERSIONS = {
    "ConvertLeakyReluToDPUVersion": (node("LeakyRelu", ["c"], "y", alpha=0.1), True, lambda g: attribute(g, "alpha", "n_y"), np.float32(0.1), 26 / 256),
    "ConvertSigmoidToHardSigmoid": (node("Sigmoid", ["c"], "y"), True, lambda g: kinds(g)["HardSigmoid"], 0, 1),
    "ConvertHardSigmoidToDPUVersion": (node("HardSigmoid", ["c"], "y", alpha=1 / 6), True, lambda g: kinds(g)["Mul"], 0, 1),
    "ConvertAvgPoolToDPUVersion": (node("AveragePool", ["c"], "y", kernel_shape=[3, 3]), True, lambda g: kinds(g)["Mul"], 0, 1),
    "ConvertReduceMeanToDPUVersion": (node("ReduceMean", ["c"], "y", axes=[1]), True, lambda g: kinds(g)["Mul"], 0, 1),
    "ConvertSoftmaxToDPUVersion": (node("Softmax", ["c"], "y"), False, lambda g: kinds(g)["Softmax"], 1, 0),
    "ConvertInstanceNormToDPUVersion": (node("InstanceNormalization", ["c", "gamma", "beta"], "y"), False,
                                        lambda g: kinds(g)["ExtendedInstanceNormalization"], 0, 1),
    "ConvertClipToDPUVersion": (node("Clip", ["c", "low", "high"], "y"), False, bounds, [np.float32(-0.6), 200.0], [-1.0, 127.0]),
}


def conversion(folder, key):
    rng = np.random.default_rng(3)
    # In front of a layer: what is behind the last one stays float.
    behind = node("Conv", ["y", "v"], "z")
    write(folder, [node("Conv", ["x", "w"], "c"), CONVERSIONS[key][0], behind], output="z", v=rng.normal(size=(4, 1 if key == "ConvertReduceMeanToDPUVersion" else 4, 1, 1)).astype(np.float32), w=rng.normal(size=(4, 4, 1, 1)).astype(np.float32),
          gamma=np.ones(4, np.float32), beta=np.zeros(4, np.float32), low=np.float32(-0.6), high=np.float32(200))


@pytest.mark.parametrize("key", CONVERSIONS)
def test_an_operator_of_the_dpu(preon, run, key):
    conversion(preon.folder, key)
    _, by_default, fact, without, with_it = CONVERSIONS[key]
    assert fact(run(f"{key}=true")[0]) == with_it and fact(run(f"{key}=false")[0]) == without
    assert fact(run()[0]) == (with_it if by_default else without)
    assert fact(run(f"{key}=true", "SimulateDPU=false")[0]) == without


@pytest.mark.parametrize("model, key", [("gap_head", "ConvertAvgPoolToDPUVersion"), ("reduce_mean_inner", "ConvertReduceMeanToDPUVersion")])
@pytest.mark.parametrize("preset", ["BF16_QCONFIG", "BFP16_QCONFIG"])
def test_an_average_of_blocks_and_short_floats(preon, model, key, preset):
    """The quantizers of Quark's library keep the shape, which the factor depends on."""
    path = data_root.QUARK / f"graphs/models/{model}.onnx"
    value = onnx.load(path).graph.input[0]
    shape = [dim.dim_value for dim in value.type.tensor_type.shape.dim]
    np.savez(preon.folder / "average.npz", **{value.name: np.random.default_rng(1).normal(size=(8 * shape[0], *shape[1:])).astype(np.float32)})

    def factors(preset):
        done = preon("quantize", path, "-o", "average.onnx", "--data", "average.npz", "--config", preset, "--option", f"{key}=true",
                     "--always-write", "--json")
        assert done.returncode == 0 and not any(key in warning for warning in json.loads(done.stdout)["warnings"]), done.stderr
        graph = onnx.load(preon.folder / "average.onnx").graph
        constants = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
        return [constants[each.input[1]].item() for each in graph.node if each.op_type == "Mul"]

    assert factors(preset) == factors("A16W8_QCONFIG") != []


#: Pass: nodes, and why the last of them stays as it is.
LEFT_AS_THEY_ARE = {
    "dpu_average_pool": ([node("AveragePool", ["x"], "y", kernel_shape=[3, 2])], "its window is not a square of known size"),
    "dpu_reduce_mean": ([node("NonZero", ["x"], "places"), node("Cast", ["places"], "c", to=TensorProto.FLOAT),
                         node("ReduceMean", ["c"], "y", axes=[1])],
                        "how many values it averages is not known"),
    "dpu_clip": ([node("ReduceMin", ["x"], "least", keepdims=0), node("Clip", ["x", "least"], "y")], "its bounds are not constant"),
}


@pytest.mark.parametrize("name", LEFT_AS_THEY_ARE)
def test_an_operator_that_stays(preon, name):
    nodes, why = LEFT_AS_THEY_ARE[name]
    write(preon.folder, nodes)
    done = preon("passes", "npu.onnx", "-o", "out.onnx", "--pass", name, "--json")
    assert done.returncode == 0, done.stderr
    assert any(f"node 'n_y' stays as it is: {why}" in warning for warning in json.loads(done.stdout)["warnings"]), done.stdout
    assert kinds(onnx.load(preon.folder / "out.onnx").graph) == collections.Counter(each.op_type for each in nodes)


def test_what_it_costs_is_told(preon, run):
    conversion(preon.folder, "ConvertSigmoidToHardSigmoid")
    told = {each["pass"]: each for each in run()[1]["dpu"]}
    assert set(told) == {"dpu_sigmoid", "dpu_hard_sigmoid"}
    assert told["dpu_sigmoid"]["sqnr_db_without"] > told["dpu_sigmoid"]["sqnr_db"] + 3
    assert "dpu" not in run("SimulateDPU=false")[1]


def scales(**positions):
    """Settings of tensors; of constants the zero point is 0."""
    def zero(tensor):
        return 0 if tensor in ("w", "b") else 128
    return "TensorQuantOverrides=" + json.dumps({tensor: [{"scale": 2.0 ** -position, "zero_point": zero(tensor)}] for tensor, position in positions.items()})


CONV = [node("Conv", ["x", "w", "b"], "y")]
SWISH = [node("HardSigmoid", ["x"], "g", alpha=1 / 6), node("Mul", ["x", "g"], "y")]
#: key: nodes, positions, and the node whose shift is outside without the key
SHIFTS = {
    "AdjustShiftRead": ([node("Relu", ["x"], "r"), node("Add", ["x", "r"], "y")], {"x": 10, "r": 0, "y": 0}, "n_y", "read"),
    "AdjustShiftWrite": ([node("Relu", ["x"], "r"), node("Add", ["x", "r"], "y")], {"x": 1, "r": 0, "y": 20}, "n_y", "write"),
    "AdjustShiftCut": (CONV, {"x": 10, "w": 9, "b": 4, "y": 0}, "n_y", "cut"),
    "AdjustShiftBias": (CONV, {"x": 5, "w": 6, "b": -10, "y": 4}, "n_y", "bias"),
    "AdjustHardSigmoid": (SWISH, {"x": -5, "g": 6, "y": 0}, "n_g", "hard_sigmoid input"),
    "AdjustShiftSwish": (SWISH, {"x": 5, "g": 7, "y": -10}, "n_y", "swish"),
    "AlignConcat": ([node("Relu", ["x"], "r"), node("Concat", ["x", "r"], "y", axis=1)], {"x": 4, "r": 5, "y": 0}, "n_y", "align"),
    "AlignPool": ([node("AveragePool", ["x"], "y", kernel_shape=[2, 2])], {"x": 4, "y": 6}, "n_y", "align"),
    "AlignPad": ([node("Pad", ["x", "pads"], "y")], {"x": 4, "y": 6}, "n_y", "align"),
    "AlignSlice": ([node("Slice", ["x", "start", "end", "axis"], "y")], {"x": 4, "y": 6}, "n_y", "align"),
}


@pytest.mark.parametrize("key", SHIFTS)
def test_a_limit(preon, run, key):
    nodes, positions, name, shift = SHIFTS[key]
    rng = np.random.default_rng(3)
    constants = {"w": rng.normal(size=(4, 4, 1, 1)).astype(np.float32), "b": rng.normal(size=4).astype(np.float32),
                 "pads": np.array([0, 0, 1, 1, 0, 0, 1, 1]), "start": np.array([1]), "end": np.array([3]), "axis": np.array([1])}
    read = {tensor for each in nodes for tensor in each.input}
    write(preon.folder, nodes, **{constant: value for constant, value in constants.items() if constant in read})

    def told(*options):
        answer = run(scales(**positions), *options)[1]
        row = next(each for each in answer["positions"]["nodes"] if each["node"] == name)
        low, high = row["limits"][shift]
        assert not low <= row["before"]["shifts"][shift] <= high
        return low <= row["after"]["shifts"][shift] <= high, any("does not run there" in warning for warning in answer["warnings"])

    assert told() == (True, False)
    assert told(f"{key}=false")[0] is False
    assert told("NPULimitationCheck=false") == (False, False)


def test_rounds(preon, run):
    """The input of a pool is aligned with its output, which a sum in front of it follows a round later."""
    write(preon.folder, [node("Add", ["x", "x"], "s"), node("MaxPool", ["s"], "p", kernel_shape=[2, 2]), node("Concat", ["p", "p"], "y", axis=1)])
    settings = scales(x=-10, s=20, p=20, y=20)
    assert run(settings)[1]["positions"]["rounds"] > 2
    warnings = run(settings, "MaxLoopNum=1", "--always-write")[1]["warnings"]
    assert any("MaxLoopNum: 1 rounds were not enough" in warning for warning in warnings), warnings


def test_the_target(preon, run):
    conversion(preon.folder, "ConvertAvgPoolToDPUVersion")
    assert run("EnableNPUCnn=true", target=None)[1]["target"] == "npu-cnn"
    assert run("EnableNPUCnn=false", target=None)[1]["target"] != "npu-cnn"
    answer = run()[1]
    assert (answer["scale_type"], answer["weight_scale_type"], answer["weight"]) == ("power-of-two", "power-of-two", "int8")


@pytest.mark.parametrize("options, says", [(["--scale-type", "float32"], "wanted power-of-two"), (["--reduce-range"], "no bit in reserve"),
                                           (["--option", "WeightBlockSize=32"], "--target npu-cnn: got WeightBlockSize 32, wanted one scale per weight"),
                                           (["--weight", "uint8"], "wanted int8"), (["--option", "WeightSymmetric=false"], "NPUs have no zero points")])
def test_what_npus_have_not(preon, options, says):
    conversion(preon.folder, "ConvertAvgPoolToDPUVersion")
    preon.fails(2, 1004, "quantize", "npu.onnx", "-o", "out.onnx", "--data", "npu.npz", "--target", "npu-cnn", *options, says=says)


def spec(kind, scale="PowerOf2", **more):
    return {"data_type": kind, "symmetric": True, "scale_type": scale, "calibration_method": "MinMax", "quant_granularity": "Tensor", **more}


@pytest.mark.parametrize("layer, options, target", [
    ({"input_tensors": spec("UInt8"), "weight": spec("Int8")}, [], "npu-cnn"),
    ({"input_tensors": spec("Int8", calibration_method="MinMSE")}, [], "npu-cnn"),
    ({"input_tensors": spec("Int8")}, ["--compat=quark"], "quark"),  # Quark's extended format, without limits of shifts
    ({"input_tensors": spec("Int16")}, [], "quark"),
    ({"input_tensors": spec("Int8", scale="Float32")}, [], "quark"),
    ({"input_tensors": spec("Int8", symmetric=False)}, [], "quark"),
    ({"weight": spec("Int8", quant_granularity="Channel")}, [], "quark")])
def test_settings_of_a_layer_keep_the_target_that_computes_them(preon, run, layer, options, target):
    conversion(preon.folder, "ConvertAvgPoolToDPUVersion")
    config = {"global_config": {"input_tensors": spec("Int8"), "weight": spec("Int8")}, "specific_layer_config": [[layer, ["n_c"]]]}
    (preon.folder / "layers.json").write_text(json.dumps(config))
    answer = run("--config=layers.json", *options, target=None)[1]
    assert answer["target"] == target
    assert any("without these settings the target is npu-cnn" in warning for warning in answer["warnings"]) == (target == "quark")


@pytest.mark.parametrize("setting, says", [
    ({"symmetric": False}, "got symmetric false, wanted true: NPUs have no zero points"),
    ({"scale": 0.3, "zero_point": 0}, "got scale 0.3, wanted a power of two"),
    ({"convert": {"quant_type": "QInt8"}}, "got a second pair of another type, wanted one type per tensor")])
def test_settings_that_npus_have_not(preon, setting, says):
    conversion(preon.folder, "ConvertAvgPoolToDPUVersion")
    overrides = "TensorQuantOverrides=" + json.dumps({"c": [setting]})
    preon.fails(2, 1004, "quantize", "npu.onnx", "-o", "out.onnx", "--data", "npu.npz", "--target", "npu-cnn", "--option", overrides, says=says)


def test_whose_numbers(preon, run):
    conversion(preon.folder, "ConvertAvgPoolToDPUVersion")
    done = preon("quantize", "npu.onnx", "-o", "out.onnx", "--data", "npu.npz", "--json", "--config", "XINT8", "--option", "Compat=quark")
    assert done.returncode == 0 and json.loads(done.stdout)["compat"] == "quark", done.stderr


OF_NPUS = {*CONVERSIONS, *SHIFTS, "SimulateDPU", "EnableNPUCnn", "Compat"}


def test_nodes_whose_limits_contradict_each_other_stay_float(run, preon):
    """A score's position is 7 at least, beside values in one tensor that need far less."""
    rng = np.random.default_rng(3)
    weights = {name: (size * rng.normal(size=(4, channels, 1, 1))).astype(np.float32) for name, size, channels in [("w", 1, 4), ("v", 50, 4), ("u", 1, 8)]}
    nodes = [node("Conv", ["x", "w"], "c"), node("Sigmoid", ["c"], "s"), node("Conv", ["x", "v"], "d"),
             node("Concat", ["s", "d"], "e", axis=1), node("Conv", ["e", "u"], "z")]
    write(preon.folder, nodes, output="z", **weights)
    answer = run()[1]
    reasons = {each["node"]: each["reason"] for each in answer["placement"]["float"]}
    assert reasons == {"n_s": "contradicting limits", "n_e": "contradicting limits"}
    assert answer["positions"]["cycle"] == [] and not any("does not run there" in warning for warning in answer["warnings"])
    done = preon("quantize", "npu.onnx", "-o", "out.onnx", "--data", "npu.npz", "--target", "npu-cnn", "--compat", "quark", "--method", "minmse", "--json")
    answer = json.loads(done.stdout)
    assert {"n_s", "n_e"} <= set(answer["positions"]["cycle"]) and any("does not run there" in warning for warning in answer["warnings"])


def test_what_is_outside_its_limits_is_not_written_unless_allowed(preon):
    write(preon.folder, [node("AveragePool", ["x"], "p", kernel_shape=[1, 1]), node("Relu", ["x"], "r"), node("Add", ["p", "r"], "y")])
    one_round = ["quantize", "npu.onnx", "-o", "out.onnx", "--data", "npu.npz", "--target", "npu-cnn", "--option", scales(x=10, p=10, r=0, y=0), "--option", "MaxLoopNum=1"]
    done = preon(*one_round)
    assert done.returncode == 3 and "E5502" in done.stderr and "AveragePool 'n_p': align 3 outside 0..0" in done.stderr
    assert not (preon.folder / "out.onnx").exists()
    done = preon(*one_round, "--always-write")
    assert done.returncode == 0 and (preon.folder / "out.onnx").exists()

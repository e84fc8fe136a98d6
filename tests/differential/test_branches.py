"""Models whose work is inside an If: quantized where the data went, float where they did not."""
import json
import wave

import data_root
import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper, numpy_helper

DATA = data_root.data_root()
WINDOW, CONTEXT = 512, 64
SILERO = DATA / "models/silero_vad_op18_ifless.onnx"


def session(path):
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def read_wav(name):
    with wave.open(str(DATA / "audio/vad" / name)) as file:
        return np.frombuffer(file.readframes(file.getnframes()), np.int16).astype(np.float32) / 32768


def speech_share(network, speech, frames=None):
    """Share of windows judged as speech; the state goes from window to window."""
    state, context, said = np.zeros((2, 1, 128), np.float32), np.zeros(CONTEXT, np.float32), []
    for start in range(0, len(speech) - WINDOW + 1, WINDOW):
        chunk = np.concatenate([context, speech[start:start + WINDOW]])
        feed = {"input": chunk[None], "state": state, "sr": np.array(16000, np.int64)}
        frames is None or frames.append(feed)
        probability, state = network.run(["output", "stateN"], feed)
        context = chunk[-CONTEXT:]
        said.append(probability[0, 0] > 0.5)
    return np.mean(said)


@pytest.fixture
def silero(preon):
    if not SILERO.exists():
        pytest.skip(f"{SILERO} is not there (./dev data fetches it)")
    frames = []
    speech_share(session(SILERO), read_wav("silero_test.wav"), frames)
    frames = frames[::8]
    np.savez(preon.folder / "calib.npz", input=np.concatenate([frame["input"] for frame in frames]),
             state=np.stack([frame["state"] for frame in frames]), sr=np.stack([frame["sr"] for frame in frames]))
    return preon


def quantize(preon, model, *options):
    done = preon("quantize", model, "-o", "int8.onnx", "--json", *options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def eight_khz():
    random = np.random.default_rng(1)
    return {"input": 0.1 * random.normal(size=(1, 288)).astype(np.float32), "sr": np.array(8000, np.int64),
            "state": 0.3 * random.normal(size=(2, 1, 128)).astype(np.float32)}


def check_same(networks, feed):
    for wanted, got in zip(*(network.run(None, feed) for network in networks)):
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.thorough
def test_silero_is_integer_at_16_khz_and_exact_at_8_khz(silero):
    result = quantize(silero, SILERO, "--data", "calib.npz")
    assert result["placement"]["anchors"]["integer"] >= 6
    assert any("else_branch of node_cond__1" in warning for warning in result["warnings"]), result["warnings"]
    reasons = {node["node"]: node["reason"] for node in result["placement"]["float"]}
    for name in ("node_Conv_28", "node_conv1d_1_2", "node_conv1d_4_2", "node_linear_2"):
        assert reasons[name] == "not reached"
    assert reasons["node_cond__1"] == "no integer kernel"
    assert min(output["sqnr_db"] for output in result["compare"]["outputs"].values()) > 15

    networks = [session(SILERO), session(silero.folder / "int8.onnx")]
    shares = [speech_share(network, read_wav("en_num.wav")) for network in networks]
    share, tolerance = (0.79, 0.03) if data_root.is_fetched(DATA) else (0.86, 0.02)  # of two recordings
    assert shares[0] == pytest.approx(share, abs=0.01)
    assert shares[1] == pytest.approx(shares[0], abs=tolerance)

    check_same(networks, eight_khz())


@pytest.mark.thorough
def test_other_targets_leave_8_khz_exact_too(silero):
    quantize(silero, SILERO, "--data", "calib.npz", "--target", "quark")
    check_same([session(SILERO), session(silero.folder / "int8.onnx")], eight_khz())


@pytest.mark.thorough
def test_compare_and_run_take_silero(silero):
    quantize(silero, SILERO, "--data", "calib.npz")
    compared = silero("compare", SILERO, "int8.onnx", "--data", "calib.npz", "--json")
    assert compared.returncode == 0, compared.stderr
    ran = silero("run", "int8.onnx", "--data", "calib.npz", "--json")
    assert ran.returncode == 0, ran.stderr
    inspected = json.loads(silero("inspect", SILERO, "--json").stdout)
    assert inspected["operators"]["If"] == 1 and inspected["operators"]["Conv"] == 12


def two_branches():
    """x [N,8,6,6] and take bool -> both branches a Conv of their own on the same Relu."""
    random = np.random.default_rng(1)
    constants = {name: random.normal(size=(8, 8, 3, 3)) for name in ("w_then", "w_else")}
    shape = ["N", 8, 6, 6]

    def branch(name):
        return helper.make_graph(
            [helper.make_node("Conv", ["r", f"w_{name}"], [f"c_{name}"], name=f"conv_{name}", pads=[1, 1, 1, 1]),
             helper.make_node("Relu", [f"c_{name}"], [f"y_{name}"], name=f"relu_{name}")],
            name, [], [helper.make_tensor_value_info(f"y_{name}", TensorProto.FLOAT, shape)])

    nodes = [helper.make_node("Relu", ["x"], ["r"], name="relu"),
             helper.make_node("If", ["take"], ["y"], name="choice", then_branch=branch("then"), else_branch=branch("else"))]
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape), helper.make_tensor_value_info("take", TensorProto.BOOL, [])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)],
        [numpy_helper.from_array(value.astype(np.float32), name) for name, value in constants.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


@pytest.fixture
def branches(preon):
    onnx.save(two_branches(), preon.folder / "m.onnx")
    values = np.random.default_rng(2).normal(size=(12, 8, 6, 6)).astype(np.float32)
    np.savez(preon.folder / "then.npz", x=values, take=np.ones(12, bool))
    np.savez(preon.folder / "else.npz", x=values, take=np.zeros(12, bool))
    np.savez(preon.folder / "both.npz", x=values, take=np.arange(12) < 6)
    return preon


@pytest.mark.thorough
@pytest.mark.parametrize("target", ["ort-cpu", "quark"])
def test_branches_in_branches(preon, target):
    """Products that read the same input in three branches, two of them inside another."""
    random = np.random.default_rng(1)

    def product(name):
        node = helper.make_node("MatMul", ["x", f"w_{name}"], [f"m_{name}"], name=name)
        return helper.make_graph([node], name, [], [helper.make_tensor_value_info(f"m_{name}", TensorProto.FLOAT, ["N", 512])])

    inner = [helper.make_node("If", ["d"], ["s"], name="inner", then_branch=product("b"), else_branch=product("c")),
             helper.make_node("Tanh", ["s"], ["e"], name="tanh")]
    other = helper.make_graph(inner, "else", [], [helper.make_tensor_value_info("e", TensorProto.FLOAT, ["N", 512])])
    graph = helper.make_graph(
        [helper.make_node("If", ["take"], ["y"], name="outer", then_branch=product("a"), else_branch=other)], "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 512]), helper.make_tensor_value_info("take", TensorProto.BOOL, []),
         helper.make_tensor_value_info("d", TensorProto.BOOL, [])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", 512])],
        [numpy_helper.from_array(random.normal(size=(512, 512)).astype(np.float32), f"w_{name}") for name in "abc"])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), preon.folder / "m.onnx")

    index = np.arange(12)
    for take, d, wanted in ((index < 99, index < 99, {"a"}), (index > 99, index < 99, {"b"}), (index > 99, index > 99, {"c"}),
                            (index % 2 == 0, index % 4 < 2, {"a", "b", "c"})):
        np.savez(preon.folder / "x.npz", x=random.normal(size=(12, 512)).astype(np.float32), take=take, d=d)
        placement = quantize(preon, "m.onnx", "--data", "x.npz", "--target", target)["placement"]
        assert {name for name in placement["integer"] if name in "abc"} == wanted
        missed = {node["node"] for node in placement["float"] if node["reason"] == "not reached"} & set("abc")
        assert missed == set("abc") - wanted


def integer_nodes(result):
    return {node for node in result["placement"]["integer"] if node.startswith("conv")}


def test_each_branch_is_integer_where_the_data_went(branches):
    assert integer_nodes(quantize(branches, "m.onnx", "--data", "then.npz")) == {"conv_then"}
    assert integer_nodes(quantize(branches, "m.onnx", "--data", "else.npz")) == {"conv_else"}
    both = quantize(branches, "m.onnx", "--data", "both.npz")
    assert integer_nodes(both) == {"conv_then", "conv_else"}
    assert not any("no calibration sample reaches" in warning for warning in both["warnings"])


def test_both_branches_run_as_integer_kernels(branches):
    quantize(branches, "m.onnx", "--data", "both.npz")
    options = ort.SessionOptions()
    options.optimized_model_filepath = str(branches.folder / "optimized.onnx")
    ort.InferenceSession(str(branches.folder / "int8.onnx"), options, providers=["CPUExecutionProvider"])
    choice = next(node for node in onnx.load(branches.folder / "optimized.onnx").graph.node if node.op_type == "If")
    for attribute in choice.attribute:
        assert "QLinearConv" in [node.op_type for node in attribute.g.node], attribute.name


@pytest.mark.parametrize("shards", [("then.npz", "else.npz"), ("else.npz", "then.npz")])
def test_shards_that_took_one_branch_each_merge(branches, shards):
    for index, data in enumerate(shards):
        arrays = dict(np.load(branches.folder / data))
        whole = {name: np.concatenate([arrays[name]] * 2) for name in arrays}
        np.savez(branches.folder / f"whole{index}.npz", **whole)
        done = branches("calibrate", "m.onnx", "-o", f"{index}.calib", "--data", f"whole{index}.npz", "--shard", f"{index + 1}/2")
        assert done.returncode == 0, done.stderr
    assert branches("merge", "0.calib", "1.calib", "-o", "all.calib").returncode == 0
    result = quantize(branches, "m.onnx", "--calib", "all.calib", "--data", "both.npz")
    assert integer_nodes(result) == {"conv_then", "conv_else"}


def test_ranges_leave_out_what_was_not_reached(branches):
    assert branches("calibrate", "m.onnx", "-o", "a.calib", "--data", "then.npz").returncode == 0
    done = branches("ranges", "a.calib", "--json")
    assert done.returncode == 0, done.stderr
    tensors = json.loads(done.stdout)["tensors"]
    assert "r" in tensors and not any("else" in name for name in tensors)
    assert branches("inspect", "a.calib", "--json").returncode == 0


def test_data_that_reach_nothing_are_an_error_that_says_so(preon):
    model = two_branches()
    choice = next(node for node in model.graph.node if node.op_type == "If")
    body = next(attribute.g for attribute in choice.attribute if attribute.name == "then_branch")
    body.node[0].op_type = "Neg"   # no work in this branch
    body.node[0].input.pop()
    del body.node[0].attribute[:]
    onnx.save(model, preon.folder / "m.onnx")
    np.savez(preon.folder / "then.npz", x=np.ones((4, 8, 6, 6), np.float32), take=np.ones(4, bool))
    preon.fails(2, 2010, "quantize", "m.onnx", "-o", "o.onnx", "--data", "then.npz", says="else_branch of choice")


def test_a_relu_between_products_in_a_branch(preon):
    """The runtime drops it in front of codes from 0, and then the pair: such models were not quantized at all."""
    rng = np.random.default_rng(4)
    model = onnx.parser.parse_model('''<ir_version: 8, opset_import: ["": 17]>
        g (float[N, 64] x) => (float[N, 256] out) <float[1] zero = {0}> {
          a = MatMul(x, w)
          r = Relu(a)
          top = ReduceMax<keepdims = 0>(x)
          c = Greater(top, zero)
          z = If(c) <
            then_branch = yes () => (float[N, 256] t) { u = MatMul(r, v) s = Relu(u) t = MatMul(s, v) },
            else_branch = no () => (float[N, 256] e) { e = Identity(r) }>
          out = Add(r, z) }''')
    for name, size in (("w", (64, 256)), ("v", (256, 256))):
        model.graph.initializer.append(numpy_helper.from_array((rng.normal(size=size) / 8).astype(np.float32), name))
    onnx.save(model, preon.folder / "model.onnx")
    np.savez(preon.folder / "d.npz", x=rng.normal(size=(24, 64)).astype(np.float32))
    done = preon("quantize", "model.onnx", "-o", "q.onnx", "--data", "d.npz", "--latency", 0, "--always-write", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert "left out" not in done.stderr and result["compare"]["outputs"]["out"]["sqnr_db"] > 25
    branch = next(node for node in onnx.load(preon.folder / "q.onnx").graph.node if node.op_type == "If").attribute
    kinds = {node.op_type for each in branch if each.name == "then_branch" for node in each.g.node}
    assert "QuantizeLinear" in kinds and "Relu" not in kinds

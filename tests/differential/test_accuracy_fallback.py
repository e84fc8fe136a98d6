"""auto leaves nodes in float whose rounding costs the model much and whose float form costs little time."""
import json

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

CHANNELS = 8


def loud_channel_model(loud):
    """Conv -> SiLU -> depthwise Conv -> SiLU -> Conv: channel 0 of the first is `loud` times the others, and the second
    convolution undoes that, so that every channel matters alike behind it."""
    random = np.random.default_rng(1)
    gain = np.ones(CHANNELS)
    gain[0] = loud
    weights = {
        "w1": random.normal(size=(CHANNELS, 3, 3, 3)) / 3 * gain[:, None, None, None],
        "w2": random.normal(size=(CHANNELS, 1, 3, 3)) / gain[:, None, None, None],
        "w3": random.normal(size=(16, CHANNELS, 3, 3)) / 8,
        "w4": random.normal(size=(4, 16, 3, 3)) / 12,
    }
    pads = {"pads": [1, 1, 1, 1]}
    nodes = [
        helper.make_node("Conv", ["x", "w1"], ["c1"], "loud", **pads),
        helper.make_node("Sigmoid", ["c1"], ["s1"], "s1"),
        helper.make_node("Mul", ["c1", "s1"], ["a1"], "a1"),
        helper.make_node("Conv", ["a1", "w2"], ["c2"], "undone", group=CHANNELS, **pads),
        helper.make_node("Relu", ["c2"], ["r2"], "r2"),
        helper.make_node("Conv", ["r2", "w3"], ["c3"], "third", **pads),
        helper.make_node("Relu", ["c3"], ["r3"], "r3"),
        helper.make_node("Conv", ["r3", "w4"], ["y"], "fourth", **pads),
    ]
    initializers = [numpy_helper.from_array(value.astype(np.float32), name) for name, value in weights.items()]
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 16, 16])]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 4, 16, 16])]
    graph = helper.make_graph(nodes, "loud_channel", inputs, outputs, initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def quantize(preon, loud, *options):
    onnx.save(loud_channel_model(loud), preon.folder / "model.onnx")
    np.save(preon.folder / "x.npy", np.random.default_rng(2).normal(size=(24, 3, 16, 16)).astype(np.float32))
    done = preon("quantize", "model.onnx", "-o", "int8.onnx", "--data", "x.npy", "--json", "--quiet", *options)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    floats = {node["node"]: node["reason"] for node in result["placement"]["float"]}
    return floats, result["compare"]["outputs"]["y"]["sqnr_db"], result


def test_layers_with_small_channels_stay_float(preon):
    _, without, _ = quantize(preon, 2000, "--method", "minmax")
    floats, sqnr, result = quantize(preon, 2000)
    assert {node for node, reason in floats.items() if reason == "accuracy"} == {"loud", "undone"}
    assert without < 15 and sqnr > without + 6
    assert len(result["candidates"]) == 5
    (selected,) = [entry for entry in result["candidates"] if entry["selected"]]
    best = max(result["candidates"], key=lambda entry: entry["sqnr_db"])
    assert selected is best or selected["sqnr_db"] > best["sqnr_db"] - 1 and selected["activations_db"] > best["activations_db"] + 0.5


def test_what_is_good_enough_is_left_alone(preon):
    floats, sqnr, _ = quantize(preon, 1)
    assert "accuracy" not in floats.values()
    assert sqnr > 20


def filter_bank_model():
    """A Conv whose output is squared and goes through a logarithm, which makes much of what is small, then larger ones."""
    random = np.random.default_rng(3)
    weights = {"bank": random.normal(size=(16, 1, 9, 9)), "w1": random.normal(size=(64, 16, 3, 3)) / 12,
               "w2": random.normal(size=(64, 64, 3, 3)) / 24, "w3": random.normal(size=(64, 64, 3, 3)) / 24}
    pads = {"pads": [1, 1, 1, 1]}
    nodes = [helper.make_node("Conv", ["x", "bank"], ["f"], "bank", pads=[4, 4, 4, 4]),
             helper.make_node("Mul", ["f", "f"], ["power"], "square"), helper.make_node("Add", ["power", "little"], ["above"], "above"),
             helper.make_node("Log", ["above"], ["log"], "log"),
             helper.make_node("Conv", ["log", "w1"], ["c1"], "first", **pads), helper.make_node("Relu", ["c1"], ["r1"], "r1"),
             helper.make_node("Conv", ["r1", "w2"], ["c2"], "second", **pads), helper.make_node("Relu", ["c2"], ["r2"], "r2"),
             helper.make_node("Conv", ["r2", "w3"], ["y"], "third", **pads)]
    initializers = [numpy_helper.from_array(value.astype(np.float32), name) for name, value in weights.items()]
    initializers.append(numpy_helper.from_array(np.float32(1e-4), "little"))
    graph = helper.make_graph(nodes, "filter_bank", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 1, 64, 64])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 64, 64, 64])], initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def quantize_filter_bank(preon, *options):
    onnx.save(filter_bank_model(), preon.folder / "model.onnx")
    random = np.random.default_rng(4)
    loudness = 10 ** random.uniform(-2, 0, size=(24, 1, 1, 1))
    np.save(preon.folder / "x.npy", (random.normal(size=(24, 1, 64, 64)) * loudness).astype(np.float32))
    done = preon("quantize", "model.onnx", "-o", "int8.onnx", "--data", "x.npy", "--json", "--quiet", "--latency", "0", *options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.thorough
def test_a_cheap_front_end_stays_float(preon):
    without = quantize_filter_bank(preon, "--budget", "0")
    result = quantize_filter_bank(preon)
    assert "fallback" not in without
    kept = [node for trial in result["fallback"]["trials"] if trial["kept"] for node in trial["nodes"]]
    assert "bank" in kept and "second" not in kept
    assert {node["node"] for node in result["placement"]["float"] if node["reason"] == "accuracy"} == set(kept)
    gain = result["compare"]["outputs"]["y"]["sqnr_db"] - without["compare"]["outputs"]["y"]["sqnr_db"]
    assert gain > 6
    assert result["fallback"]["after_db"] > result["fallback"]["before_db"] + 6


def test_a_budget_is_between_nothing_and_all(preon):
    done = preon("quantize", "model.onnx", "--budget", "101")
    assert done.returncode == 2 and "0 to 100" in done.stderr


def test_a_fixed_method_leaves_nothing_out(preon):
    floats, _, _ = quantize(preon, 2000, "--method", "minmax")
    assert "accuracy" not in floats.values()

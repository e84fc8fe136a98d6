"""Algorithms that rewrite the float model by what samples tell: statistics are of use to the same rewrite alone."""
import json

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

HEADROOM = ("--algorithm", "channel-headroom")
NPU = ("--target", "npu-cnn")


@pytest.fixture
def data(preon, model):
    channels = np.array([4, 1, 0.25], np.float32)[:, None, None]
    samples = np.random.default_rng(5).normal(size=(48, 3, 8, 8)).astype(np.float32) * channels
    np.savez(preon.folder / "calib.npz", input=samples)
    return ("--data", "calib.npz")


def written(preon, verb, output, *options):
    done = preon(verb, "model.onnx", "-o", output, *options)
    assert done.returncode == 0, done.stderr
    return (preon.folder / output).read_bytes()


def codes(model):
    """All constants; the metadata names the options."""
    return {tensor.name: numpy_helper.to_array(tensor).tolist() for tensor in onnx.load_from_string(model).graph.initializer}


def test_quantize_rewrites_for_npus_by_itself(preon, data):
    assert written(preon, "quantize", "a.onnx", *NPU, *data) != written(preon, "quantize", "b.onnx", *NPU, *data, "--disable-algorithm", "channel-headroom")
    assert "rewritten   the float model, by channel-headroom" in preon("quantize", "model.onnx", "-o", "a.onnx", *NPU, *data).stdout
    assert "rewritten" not in preon("quantize", "model.onnx", "-o", "c.onnx", *data).stdout


def test_workers_rewrite_as_one_process(preon, data):
    alone = written(preon, "quantize", "a.onnx", *NPU, *data, "--method", "minmse")
    assert written(preon, "quantize", "a.onnx", *NPU, *data, "--method", "minmse", "--workers", "2") == alone


def test_files_of_statistics_are_of_the_plain_model(preon, data):
    written(preon, "calibrate", "npu.calib", *NPU, *data)
    fast = ("--method", "minmse", "--effort", "fast")
    restored = written(preon, "quantize", "a.onnx", *NPU, "--calib", "npu.calib", *fast)
    plain = written(preon, "quantize", "b.onnx", *NPU, *data, *fast, "--disable-algorithm", "channel-headroom")
    assert codes(restored) == codes(plain)


def test_a_rewrite_that_was_asked_for_has_to_come_again(preon, data):
    written(preon, "calibrate", "npu.calib", *NPU, *HEADROOM, *data)
    alone = written(preon, "quantize", "a.onnx", *NPU, *HEADROOM, *data, "--method", "minmse")
    assert written(preon, "quantize", "a.onnx", *NPU, *HEADROOM, *data, "--method", "minmse", "--calib", "npu.calib") == alone
    failed = preon.fails(2, 3013, "quantize", "model.onnx", "-o", "b.onnx", *NPU, *HEADROOM, "--calib", "npu.calib", says="algorithms=channel-headroom@")
    assert "hint: add --data with the samples of that file" in failed.stderr
    np.savez(preon.folder / "other.npz", input=2 * np.load(preon.folder / "calib.npz")["input"][:, ::-1])
    preon.fails(2, 3013, "quantize", "model.onnx", "-o", "b.onnx", *NPU, *HEADROOM, "--calib", "npu.calib", "--data", "other.npz", says="channel-headroom@")


def test_shards_that_were_rewritten_apart_do_not_merge(preon, data):
    parts = [f"{shard}.calib" for shard in (1, 2)]
    for shard, part in enumerate(parts, 1):
        written(preon, "calibrate", part, *NPU, *HEADROOM, *data, "--shard", f"{shard}/2")
    preon.fails(2, 3013, "merge", *parts, "-o", "whole.calib", says="channel-headroom@")


def test_restored_ranges_are_of_the_plain_model(preon, data):
    restored = ("--save-and-restore", "ranges.json")
    first = written(preon, "quantize", "a.onnx", *NPU, *data, "--method", "minmse", *restored, "--effort", "fast")
    assert written(preon, "quantize", "a.onnx", *NPU, "--method", "minmse", *restored, "--effort", "fast") == first
    (preon.folder / "ranges.json").unlink()
    written(preon, "quantize", "a.onnx", *NPU, *data, *HEADROOM, "--method", "minmse", *restored)
    again = ("quantize", "model.onnx", "-o", "b.onnx", *NPU, "--method", "minmse", *restored)
    preon.fails(2, 3013, *again, *HEADROOM, says="@no-samples")
    np.savez(preon.folder / "other.npz", input=2 * np.load(preon.folder / "calib.npz")["input"][:, ::-1])
    preon.fails(2, 3013, *again, *HEADROOM, "--data", "other.npz", says="wanted 'channel-headroom@")
    preon.fails(2, 3013, *again, says="rewritten by 'channel-headroom@")


@pytest.mark.thorough
def test_every_candidate_of_validate_is_made(preon, data):
    done = preon("validate", "model.onnx", *data, *NPU, "--latency", "0")
    assert "method minmse" in done.stdout and "not made" not in done.stdout, done.stdout + done.stderr


def residual_model(c):
    """Conv, Relu, Conv, Add, Relu, Pad of channels, Conv, Relu, GlobalAveragePool, Flatten, Gemm, whose C is a constant or its own data."""
    dice = np.random.default_rng(3)
    uneven = np.array([3, 1, 0.3, 0.1], np.float32)[:, None, None, None]
    shapes = {"w1": (4, 3, 3, 3), "b1": 4, "w2": (4, 4, 3, 3), "b2": 4, "w3": (6, 6, 1, 1), "b3": 6, "w4": (6, 6), "c4": 6}
    weights = {name: dice.normal(size=shape).astype(np.float32) / 3 for name, shape in shapes.items()} | {"w1": dice.normal(size=(4, 3, 3, 3)).astype(np.float32) * uneven}
    nodes = [helper.make_node("Conv", ["input", "w1", "b1"], ["c1"], pads=[1] * 4), helper.make_node("Relu", ["c1"], ["r1"]),
             helper.make_node("Conv", ["r1", "w2", "b2"], ["c2"], pads=[1] * 4), helper.make_node("Add", ["c2", "r1"], ["a"]), helper.make_node("Relu", ["a"], ["r2"]),
             helper.make_node("Pad", ["r2", "pads"], ["p"]), helper.make_node("Conv", ["p", "w3", "b3"], ["c3"]), helper.make_node("Relu", ["c3"], ["r3"]),
             helper.make_node("GlobalAveragePool", ["r3"], ["g"]), helper.make_node("Flatten", ["g"], ["f"]), helper.make_node("Gemm", ["f", "w4", c], ["y"])]
    constants = [numpy_helper.from_array(value, name) for name, value in weights.items() if name != "c4" or c == "c4"]
    constants.append(numpy_helper.from_array(np.array([0, 1, 0, 0, 0, 1, 0, 0]), "pads"))
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("input", TensorProto.FLOAT, ["N", 3, 8, 8])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", 6])], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


@pytest.mark.parametrize("algorithm", ["channel-headroom", "cle"])
@pytest.mark.parametrize("c", ["c4", "f"])
def test_a_rewritten_model_computes_the_same(preon, data, algorithm, c):
    """The first run compares the rewritten model with the given one; a difference is a warning."""
    onnx.save(residual_model(c), preon.folder / "model.onnx")
    done = preon("quantize", "model.onnx", "-o", "q.onnx", *NPU, *data, "--algorithm", algorithm, "--always-write", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["rewritten_by"] == algorithm and not [text for text in result["warnings"] if "rewrite" in text], result["warnings"]
    found = json.loads(preon("compare", "model.onnx", "q.onnx", *data, "--json").stdout)
    assert found["outputs"]["y"]["sqnr_db"] > 15

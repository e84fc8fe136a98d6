"""A result that is larger than float or has no integer node is not written: status 5; another target in its place.

What is slower is judged by src/pipeline/gain_test.cc and confirmed by src/eval/latency_test.cc: here no test depends on a quiet machine.
"""
import json

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper


def save(folder, nodes, inputs, outputs, weights):
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info(*each) for each in inputs],
                              [helper.make_tensor_value_info(*each) for each in outputs],
                              [numpy_helper.from_array(value, name) for name, value in weights.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), folder / "model.onnx")


def random(*shape):
    return np.random.default_rng(4).normal(size=shape).astype(np.float32)


def table(preon, rows=2000):
    """A large table that is read as it is, and as the weight of a product that the runtime does not fuse with static scales."""
    nodes = [helper.make_node("Gather", ["table", "ids"], ["embedding"], name="embedding"),
             helper.make_node("MatMul", ["x", "table"], ["product"], name="product"),
             helper.make_node("Add", ["product", "embedding"], ["y"], name="sum")]
    save(preon.folder, nodes, [("ids", TensorProto.INT64, ["n"]), ("x", TensorProto.FLOAT, ["n", rows])],
         [("y", TensorProto.FLOAT, ["n", 64])], {"table": random(rows, 64)})
    np.savez(preon.folder / "calib.npz", ids=np.arange(16), x=random(16, rows))


def many_layers(preon, chains=30, layers=3):
    """Layers of few weights, which codes make no smaller than scales, zero points and names make the file larger. In short chains, whose error is
    too small for layers in float on any processor."""
    nodes, weights, outputs = [], {}, []
    image = ["n", 8, 32, 32]
    for chain in range(chains):
        tensors = ["x", *(f"t{chain}_{layer}" for layer in range(layers))]
        for layer, (before, behind) in enumerate(zip(tensors, tensors[1:])):
            weight = f"w{chain}_{layer}"
            nodes.append(helper.make_node("Conv", [before, weight], [behind], name=f"conv_{chain}_{layer}"))
            weights[weight] = random(8, 8, 1, 1) / (3 + len(weights) / 100)  # each of its own
        outputs.append((tensors[-1], TensorProto.FLOAT, image))
    save(preon.folder, nodes, [("x", TensorProto.FLOAT, image)], outputs, weights)
    np.savez(preon.folder / "calib.npz", x=random(8, 8, 32, 32))


QUANTIZE = ("quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--threads", 1, "--quiet")
NOT_FUSED = "no node runs in integers"


def test_another_target_that_gains_takes_its_place_and_both_are_named(preon):
    table(preon)
    answer = json.loads(preon(*QUANTIZE, "--json").stdout)
    assert answer["target"] == "dynamic" and answer["size_bytes"]["quantized"] < 0.6 * answer["size_bytes"]["float"]
    assert answer["passed_over"] == [{"target": "ort-cpu", "reason": NOT_FUSED}]
    assert f"passed over target ort-cpu: {NOT_FUSED}" in preon(*QUANTIZE).stdout


@pytest.mark.thorough
def test_larger_is_refused_with_status_5_and_the_other_targets_are_named(preon):
    many_layers(preon)
    done = preon.fails(5, 5601, *QUANTIZE, says="model.onnx: nothing to gain, not written: with target ort-cpu the file is larger, ")
    assert "; with target dynamic nothing can be quantized; with target matmul-nbits nothing can be quantized" in done.stderr


def test_options_that_another_target_does_not_take_leave_it_out(preon):
    table(preon)
    done = preon.fails(5, 5601, *QUANTIZE, "--method", "minmax", says=f"not written: with target ort-cpu {NOT_FUSED}")
    assert "dynamic" not in done.stderr, done.stderr


@pytest.mark.thorough
def test_as_json_it_is_an_error_with_the_status(preon):
    many_layers(preon)
    error = json.loads(preon(*QUANTIZE, "--json").stdout)["error"]
    assert (error["id"], error["status"]) == ("E5601", 5) and "--always-write" in error["hint"]


@pytest.mark.thorough
@pytest.mark.parametrize("asked", [("--always-write",), ("--target", "ort-cpu")])
@pytest.mark.parametrize(("make", "reason"), [(table, NOT_FUSED), (many_layers, "the file is larger, ")])
def test_what_is_asked_for_is_written_with_a_warning(preon, make, reason, asked):
    make(preon)
    answer = json.loads(preon(*QUANTIZE, "--json", *asked).stdout)
    assert answer["target"] == "ort-cpu" and (preon.folder / "out.onnx").exists()
    assert any(line.startswith(f"nothing is gained over the float model: {reason}") for line in answer["warnings"]), answer["warnings"]


@pytest.mark.parametrize("target", ["ort", "quark", "simulate"])
def test_where_targets_of_other_hardware_put_quantizers_is_not_judged(preon, target):
    many_layers(preon)
    answer = json.loads(preon(*QUANTIZE, "--target", target, "--json").stdout)
    assert not any("gained" in line for line in answer["warnings"])


def test_other_tools_numbers_are_not_judged(preon):
    table(preon)
    answer = json.loads(preon(*QUANTIZE, "--compat", "onnxruntime", "--method", "minmax", "--json").stdout)
    assert not any("gained" in line for line in answer["warnings"])

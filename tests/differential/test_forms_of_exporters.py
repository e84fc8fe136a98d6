"""Forms that exporters write and few tests have: ONNX Runtime opens these models, so they are quantized as well."""
import json

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

SIZE, WIDE, HOP = 192, 768, 64
RNG = np.random.default_rng(7)


def weight(name, *shape):
    return numpy_helper.from_array((RNG.normal(size=shape) / np.sqrt(SIZE)).astype(np.float32), name)


def floats(name, *shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def save(preon, nodes, inputs, outputs, constants, stated=()):
    graph = helper.make_graph(nodes, "g", inputs, outputs, constants, value_info=list(stated))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.save(model, preon.folder / "m.onnx")


def quantize(preon, *shape):
    np.savez(preon.folder / "x.npz", x=RNG.normal(size=(32, *shape)).astype(np.float32))
    done = preon("quantize", "m.onnx", "-o", "q.onnx", "--data", "x.npz", "--effort", "fast", "--latency", "0", "--always-write", "--json", "--quiet")
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["compare"]["outputs"]["y"]["sqnr_db"] > 25
    return facts


@pytest.mark.parametrize("named", [False, True], ids=["without names of nodes", "with names"])
def test_layers_of_keras(preon, named):
    """Heads by EinsumDense, the attention itself as Einsum of two activations, no names: the runtime's graph has other Einsum
    nodes at the places of these."""
    shapes = {"q": "abc,cde->abde", "k": "abc,cde->abde", "v": "abc,cde->abde"}
    nodes = [helper.make_node("Einsum", ["x", f"w{head}"], [head], equation=equation) for head, equation in shapes.items()]
    nodes += [helper.make_node("Einsum", ["k", "q"], ["s"], equation="aecd,abcd->acbe"),
              helper.make_node("Softmax", ["s"], ["p"]),
              helper.make_node("Einsum", ["p", "v"], ["o"], equation="acbe,aecd->abcd"),
              helper.make_node("Einsum", ["o", "wo"], ["a"], equation="abcd,cde->abe"),
              helper.make_node("Einsum", ["a", "w1"], ["h"], equation="abc,cd->abd"),
              helper.make_node("Relu", ["h"], ["r"]),
              helper.make_node("Einsum", ["r", "w2"], ["y"], equation="abc,cd->abd")]
    for number, node in enumerate(nodes if named else []):
        node.name = f"layer{number}"
    heads = [weight(f"w{head}", SIZE, 4, SIZE // 4) for head in shapes]
    save(preon, nodes, [floats("x", "N", 24, SIZE)], [floats("y", "N", 24, SIZE)],
         [*heads, weight("wo", 4, SIZE // 4, SIZE), weight("w1", SIZE, WIDE), weight("w2", WIDE, SIZE)])
    placement = quantize(preon, 24, SIZE)["placement"]
    assert placement["integer_macs_share"] > 0.9
    assert [node["op"] for node in placement["float"] if node["macs_share"] > 0] == ["Einsum", "Einsum"]


def test_attributes_that_are_left_out(preon):
    """STFT is one-sided by default."""
    nodes = [helper.make_node("STFT", ["x", "step", "window"], ["s"]), helper.make_node("Mul", ["s", "s"], ["squares"]),
             helper.make_node("ReduceSum", ["squares", "axis"], ["power"], keepdims=0),
             helper.make_node("MatMul", ["power", "w1"], ["h"]), helper.make_node("Relu", ["h"], ["r"]), helper.make_node("MatMul", ["r", "w2"], ["y"])]
    constants = [numpy_helper.from_array(np.array(HOP), "step"), numpy_helper.from_array(np.array([-1]), "axis"),
                 numpy_helper.from_array(np.hanning(128).astype(np.float32), "window"), weight("w1", 65, WIDE), weight("w2", WIDE, SIZE)]
    save(preon, nodes, [floats("x", "N", 2000, 1)], [floats("y", "N", None, SIZE)], constants)
    assert quantize(preon, 2000, 1)["placement"]["integer_macs_share"] == 1


def test_wrong_shapes_in_the_file(preon):
    nodes = [helper.make_node("MatMul", ["x", "w1"], ["h"]), helper.make_node("Relu", ["h"], ["r"]), helper.make_node("MatMul", ["r", "w2"], ["y"])]
    save(preon, nodes, [floats("x", "N", SIZE)], [floats("y", "N", SIZE)], [weight("w1", SIZE, WIDE), weight("w2", WIDE, SIZE)],
         stated=[floats("h", "N", SIZE)])
    warnings = quantize(preon, SIZE)["warnings"]
    assert "the model states wrong shapes of h: preon uses those that the operators give" in warnings

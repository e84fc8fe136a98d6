"""Functions that a model defines for itself, as PyTorch's newer exporter writes them: their operators are quantized as if they stood in the graph."""
import json

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SIZE = 256


def model_of_functions():
    """Three calls of a function that calls another one, then a layer of its own; the function's alpha is an attribute of the call."""
    random = np.random.default_rng(0)
    weights = [numpy_helper.from_array((random.normal(size=(SIZE, SIZE)) / np.sqrt(SIZE)).astype(np.float32), f"w{i}") for i in range(4)]
    standard = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
    slope = helper.make_node("LeakyRelu", ["x"], ["y"])
    reference = slope.attribute.add()
    reference.name, reference.ref_attr_name, reference.type = "alpha", "alpha", onnx.AttributeProto.FLOAT
    function = lambda name, inputs, nodes, attributes=(): helper.make_function("own", name, inputs, ["y"], nodes, standard, attributes)
    functions = [function("Slope", ["x"], [slope], ["alpha"]),
                 function("Layer", ["x", "w"], [helper.make_node("MatMul", ["x", "w"], ["p"]), helper.make_node("Slope", ["p"], ["y"], domain="own", alpha=0.25)])]
    nodes = [helper.make_node("Layer", ["x" if i == 0 else f"h{i - 1}", f"w{i}"], [f"h{i}"], domain="own", name=f"layer{i}") for i in range(3)]
    graph = helper.make_graph([*nodes, helper.make_node("MatMul", ["h2", "w3"], ["y"], name="last")], "functions",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", SIZE])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", SIZE])], weights)
    return helper.make_model(graph, opset_imports=standard, functions=functions, ir_version=8)


def test_layers_inside_of_functions_are_quantized(preon):
    onnx.save(model_of_functions(), preon.folder / "model.onnx")
    np.save(preon.folder / "x.npy", np.random.default_rng(1).normal(size=(64, 1, SIZE)).astype(np.float32))
    done = preon("quantize", "model.onnx", "-o", "q.onnx", "--data", "x.npy", "--effort", "fast", "--always-write", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["placement"]["anchors"] == {"integer": 4, "float": 0}
    written = onnx.load(preon.folder / "q.onnx")
    assert not written.functions and sum(node.op_type == "MatMul" for node in written.graph.node) == 4
    compared = preon("compare", "model.onnx", "q.onnx", "--data", "x.npy", "--latency", 0, "--json")
    assert json.loads(compared.stdout)["outputs"]["y"]["sqnr_db"] > 30
    assert json.loads(preon("inspect", "model.onnx", "--json").stdout)["macs"] == 4 * SIZE * SIZE

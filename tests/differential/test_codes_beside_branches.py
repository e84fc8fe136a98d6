"""Codes are fitted in models with If: nothing runs that the data did not ask for, and no size is stated that the model left open."""
import json

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

SHAPE = ["N", 8, "H", 6]


def value(name):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, SHAPE)


def branch(name, *nodes):
    return helper.make_graph(list(nodes), name, [], [value(nodes[-1].output[0])])


def conv(name, source):
    return helper.make_node("Conv", [source, f"w_{name}"], [f"c_{name}"], name=name, pads=[1, 1, 1, 1])


def model(nodes, inputs=(), **constants):
    random = np.random.default_rng(1)
    weights = {f"w_{name}": random.normal(size=(8, 8, 3, 3)).astype(np.float32) / 8 for name in ("first", "then", "last")}
    graph = helper.make_graph(nodes, "g", [value("x"), *inputs], [value("c_last")],
                              [numpy_helper.from_array(np.asarray(array), name) for name, array in (weights | constants).items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def other_data():
    """Where `take` is false, a Reshape follows that only fits other samples."""
    then = branch("then", conv("then", "r"), helper.make_node("Relu", ["c_then"], ["y_then"], name="relu_then"))
    never = branch("else", helper.make_node("Reshape", ["r", "other"], ["y_else"], name="other_sizes"))
    return model([conv("first", "x"), helper.make_node("Relu", ["c_first"], ["r"], name="relu"),
                  helper.make_node("If", ["take"], ["y"], name="choice", then_branch=then, else_branch=never), conv("last", "y")],
                 [helper.make_tensor_value_info("take", TensorProto.BOOL, [])], other=np.array([1, 8, 9, 6]))


def by_size():
    """Rows of one are squeezed: with rows of 6 that branch breaks a rule of ONNX, once the size is stated."""
    one = branch("one", helper.make_node("Squeeze", ["r", "axis"], ["s"], name="squeeze"),
                 helper.make_node("Unsqueeze", ["s", "axis"], ["u"], name="unsqueeze"))
    more = branch("more", helper.make_node("Identity", ["r"], ["i"], name="identity"))
    return model([conv("first", "x"), helper.make_node("Relu", ["c_first"], ["r"], name="relu"),
                  helper.make_node("Shape", ["r"], ["sizes"], name="sizes"), helper.make_node("Gather", ["sizes", "two"], ["rows"], name="rows"),
                  helper.make_node("Equal", ["rows", "single"], ["is_one"], name="is_one"),
                  helper.make_node("If", ["is_one"], ["y"], name="choice", then_branch=one, else_branch=more), conv("last", "y")],
                 axis=np.array([2]), two=np.array(2), single=np.array(1))


@pytest.mark.parametrize("make, feeds", [(other_data, {"take": np.ones(40, bool)}), (by_size, {})])
def test_fits_codes(preon, make, feeds):
    onnx.save(make(), preon.folder / "m.onnx")
    np.savez(preon.folder / "x.npz", x=np.random.default_rng(2).normal(size=(40, 8, 6, 6)).astype(np.float32), **feeds)
    done = preon("quantize", "m.onnx", "-o", "int8.onnx", "--data", "x.npz", "--algorithm", "adaquant", "--json")
    assert done.returncode == 0, done.stderr
    [improved] = json.loads(done.stdout)["improved"]
    assert improved["layers_changed"] > 0 and improved["sqnr_db_after"] > improved["sqnr_db_before"]

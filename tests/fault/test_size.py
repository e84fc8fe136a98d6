"""What reading and running a model costs grows with the model's nodes and not with their square."""
import resource

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

MOST_GROWTH = 2  # of the processor time per node, from the smaller model to the larger one


def chain(path, length):
    """MatMul, Relu, Add in turn."""
    dice, make = np.random.default_rng(0), helper.make_node
    weights = {"w": np.eye(8) + dice.normal(size=(8, 8)) / 50, "b": dice.normal(size=8) / 50}
    nodes, last = [], "x"
    for index in range(length):
        operator, output = ("MatMul", "Relu", "Add")[index % 3], "y" if index == length - 1 else f"t{index}"
        nodes.append(make(operator, [last] + {"MatMul": ["w"], "Relu": [], "Add": ["b"]}[operator], [output], name=f"n{index}"))
        last = output
    info = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "g", [info("x", TensorProto.FLOAT, ["N", 8])], [info("y", TensorProto.FLOAT, ["N", 8])],
                              [numpy_helper.from_array(value.astype(np.float32), name) for name, value in weights.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def seconds(preon, *arguments):
    """Of processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = preon(*arguments, timeout=300)
    assert done.returncode in (0, 5), done.stderr
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.thorough
@pytest.mark.parametrize("verb, options", [("inspect", []), ("run", ["--data", "random:1"]),
                                           ("calibrate", ["--data", "random:1", "-o", "m.calib"])])
def test_growth(preon, verb, options):
    cost = {}
    for length in (2000, 8000):
        chain(preon.folder / "m.onnx", length)
        cost[length] = seconds(preon, verb, "m.onnx", *options) / length
    assert cost[8000] <= MOST_GROWTH * cost[2000], cost

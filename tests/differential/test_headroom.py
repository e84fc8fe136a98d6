"""Targets simulate and quark widen calibrated ranges of 16 bits by half, so that larger values of unseen samples are not cut off."""
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper


def scale_of_input(preon, *options):
    done = preon("quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--method", "minmax", "--latency", "0", *options)
    assert done.returncode == 0, done.stderr
    model = onnx.load(preon.folder / "out.onnx")
    node = next(node for node in model.graph.node if node.op_type == "QuantizeLinear" and node.input[0] == "x")
    return float(next(numpy_helper.to_array(tensor) for tensor in model.graph.initializer if tensor.name == node.input[1]))


@pytest.mark.parametrize("options, width", [
    (["--activation", "int16", "--target", "simulate"], 1.5),
    (["--activation", "int16", "--target", "simulate", "--compat", "onnxruntime"], 1),
    (["--activation", "int16", "--target", "quark"], 1.5),
    (["--activation", "int16", "--target", "quark", "--compat", "quark"], 1),
    (["--activation", "int8", "--target", "simulate"], 1)])
def test_16_bits_have_headroom(preon, options, width):
    rng = np.random.default_rng(3)
    weight = numpy_helper.from_array(rng.normal(size=(8, 4)).astype(np.float32), "w")
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"])], "g",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 8])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 4])], [weight])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), preon.folder / "model.onnx")
    samples = rng.uniform(-1, 1, size=(16, 8)).astype(np.float32)
    samples[0, :2] = -2, 2
    np.savez(preon.folder / "calib.npz", x=samples)
    codes = 2 ** (8 if "int8" in options else 16)
    assert scale_of_input(preon, *options) * codes == pytest.approx(4 * width, rel=0.02)

"""A convolution of images whose input was filled up to four channels computes what it computed before, bit for bit."""
import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper, numpy_helper


def image_model(channels):
    rng = np.random.default_rng(channels)
    weights = {"w": rng.normal(size=(16, channels, 3, 3)), "b": rng.normal(size=16)}
    graph = helper.make_graph(
        [helper.make_node("Conv", ["input", "w", "b"], ["y"], name="conv", pads=[1, 1, 1, 1], strides=[2, 2])], "image",
        [helper.make_tensor_value_info("input", TensorProto.FLOAT, ["N", channels, 12, 10])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", 16, 6, 5])],
        [numpy_helper.from_array(value.astype(np.float32), name) for name, value in weights.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def without_filling(model, channels):
    plain = onnx.ModelProto()
    plain.CopyFrom(model)
    nodes = {node.name: node for node in plain.graph.node}
    nodes["conv"].input[0] = nodes["conv_four_channels_Concat"].input[0]
    codes = next(tensor for tensor in plain.graph.initializer if tensor.name == "w_quantized")
    codes.CopyFrom(numpy_helper.from_array(np.ascontiguousarray(numpy_helper.to_array(codes)[:, :channels]), codes.name))
    kept = [node for node in plain.graph.node if "four_channels" not in node.name]
    del plain.graph.node[:]
    plain.graph.node.extend(kept)
    return plain


def run(model, level, feed, optimized=None):
    options = ort.SessionOptions()
    options.graph_optimization_level = level
    if optimized:
        options.optimized_model_filepath = str(optimized)
    return ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"]).run(None, feed)[0]


@pytest.mark.parametrize("channels", [1, 2, 3])
def test_same_outputs_from_fewer_operations(preon, channels, tmp_path):
    onnx.save(image_model(channels), preon.folder / "image.onnx")
    images = np.random.default_rng(5).normal(size=(8, channels, 12, 10)).astype(np.float32)
    np.savez(preon.folder / "data.npz", input=images)
    done = preon("quantize", "image.onnx", "-o", "int8.onnx", "--data", "data.npz", "--method", "minmax", "--effort", "fast", "--quiet")
    assert done.returncode == 0, done.stderr
    filled = onnx.load(preon.folder / "int8.onnx")
    plain = without_filling(filled, channels)
    for level in (ort.GraphOptimizationLevel.ORT_ENABLE_ALL, ort.GraphOptimizationLevel.ORT_DISABLE_ALL):
        feed = {"input": images * 1.5}  # beyond what calibration saw: saturated codes, too
        np.testing.assert_array_equal(run(filled, level, feed), run(plain, level, feed))
    run(filled, ort.GraphOptimizationLevel.ORT_ENABLE_ALL, feed, tmp_path / "optimized.onnx")
    operators = [node.op_type for node in onnx.load(tmp_path / "optimized.onnx").graph.node]
    assert "QLinearConv" in operators and "QLinearConcat" in operators and "Concat" not in operators

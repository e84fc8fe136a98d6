"""What several tests of this folder read."""
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from test_accuracy_fallback import filter_bank_model


@pytest.fixture
def filter_bank(preon, request):
    """model.onnx, and as many samples of differing loudness in x.npy as the test's file names (SAMPLES)."""
    samples = request.module.SAMPLES
    onnx.save(filter_bank_model(), preon.folder / "model.onnx")
    random = np.random.default_rng(4)
    loudness = 10 ** random.uniform(-2, 0, size=(samples, 1, 1, 1))
    np.save(preon.folder / "x.npy", (random.normal(size=(samples, 1, 64, 64)) * loudness).astype(np.float32))


@pytest.fixture
def pooled(preon):
    """pooled.onnx, whose input has the size of `model`'s: with the first convolution in float, what its pool gives is quantized."""
    rng = np.random.default_rng(6)
    weights = {"w1": rng.normal(size=(16, 3, 3, 3)), "w2": rng.normal(size=(16, 16, 3, 3)) / 8, "w3": rng.normal(size=(4, 16 * 16)) / 16}
    nodes = [helper.make_node("Conv", ["input", "w1"], ["c1"], name="first", pads=[1, 1, 1, 1]),
             helper.make_node("MaxPool", ["c1"], ["p1"], name="pool", kernel_shape=[2, 2], strides=[2, 2]),
             helper.make_node("Conv", ["p1", "w2"], ["c2"], name="second", pads=[1, 1, 1, 1]),
             helper.make_node("Flatten", ["c2"], ["f"], name="flatten"),
             helper.make_node("Gemm", ["f", "w3"], ["logits"], name="last", transB=1)]
    graph = helper.make_graph(nodes, "pooled", [helper.make_tensor_value_info("input", TensorProto.FLOAT, ["N", 3, 8, 8])],
                              [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["N", 4])],
                              [numpy_helper.from_array(value.astype(np.float32), name) for name, value in weights.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), preon.folder / "pooled.onnx")
    return "pooled.onnx"

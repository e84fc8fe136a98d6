"""int8 activations at opset 21: the runtime adds pairs around what only moves values, and would not load the result."""
import numpy as np
import onnxruntime
import preon
import pytest
from onnx import TensorProto, helper, numpy_helper


def pooled_model():
    rng = np.random.default_rng(1)
    weights = {"w": rng.normal(size=(8, 3, 3, 3)), "v": rng.normal(size=(4, 8 * 9))}
    nodes = [helper.make_node("Conv", ["input", "w"], ["c"], name="conv"),
             helper.make_node("MaxPool", ["c"], ["p"], name="pool", kernel_shape=[2, 2], strides=[2, 2]),
             helper.make_node("Flatten", ["p"], ["f"], name="flatten"),
             helper.make_node("Gemm", ["f", "v"], ["logits"], name="gemm", transB=1)]
    graph = helper.make_graph(nodes, "pooled", [helper.make_tensor_value_info("input", TensorProto.FLOAT, ["N", 3, 8, 8])],
                              [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["N", 4])],
                              [numpy_helper.from_array(value.astype(np.float32), name) for name, value in weights.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


@pytest.mark.parametrize("target", ["simulate", "quark", "ort"])
def test_float_pools_at_opset_21(target):
    samples = np.random.default_rng(2).normal(size=(8, 3, 8, 8)).astype(np.float32)
    outputs = {}
    for opset in (20, 21):
        result = preon.quantize(pooled_model(), None, samples, target=target, activation="int8", weight="int8", method="minmax",
                                exclude_type=["MaxPool", "Flatten"], opset=opset, latency=0)
        session = onnxruntime.InferenceSession(result.model.SerializeToString())
        outputs[opset] = session.run(None, {"input": samples})[0]
    np.testing.assert_array_equal(outputs[20], outputs[21])

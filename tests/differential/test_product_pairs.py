"""Processors without VNNI add two products of codes in 16 bits, saturated: the result has to be the same there."""
import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper, numpy_helper

EXACT = "session.x64quantprecision"  # the runtime then adds in 32 bits everywhere, at half the speed


def loud_model(path, kind):
    """Weights that are large side by side, of one sign, so that sums of two products leave 16 bits."""
    random = np.random.default_rng(3)
    weights = random.uniform(0.5, 1, size=(64, 16, 3, 3)).astype(np.float32) * random.choice([-1, 1], size=(64, 1, 1, 1))
    head = random.uniform(0.5, 1, size=(64, 32)).astype(np.float32)
    nodes = [helper.make_node("Conv", ["x", "w"], ["c"], "conv", pads=[1, 1, 1, 1]), helper.make_node("Relu", ["c"], ["r"], "relu"),
             helper.make_node("GlobalAveragePool", ["r"], ["p"], "pool"), helper.make_node("Flatten", ["p"], ["f"], "flatten")]
    constants = {"w": weights.astype(np.float32), "h": head}
    if kind == "gemm":
        nodes.append(helper.make_node("Gemm", ["f", "h"], ["y"], "head", transB=1))
        constants["h"] = head.T.copy()
    else:
        nodes.append(helper.make_node("MatMul", ["f", "h"], ["y"], "head"))
    graph = helper.make_graph(nodes, "loud", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 16, 12, 12])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 32])],
                              [numpy_helper.from_array(value, name) for name, value in constants.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def outputs(path, samples, exact):
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.add_session_config_entry(EXACT, "1" if exact else "0")
    session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return np.concatenate([session.run(None, {"x": sample[None]})[0] for sample in samples])


def largest_sum(path):
    """Of the codes of two channels that stand side by side in the first convolution."""
    codes = next(numpy_helper.to_array(each) for each in onnx.load(path).graph.initializer
                 if len(each.dims) == 4 and each.data_type == TensorProto.INT8).astype(int)
    return np.abs(codes[:, 0::2] + codes[:, 1::2]).max()


@pytest.mark.parametrize("kind", ["gemm", "matmul"])
def test_results_are_the_same_on_every_processor(preon, tmp_path, kind):
    loud_model(tmp_path / "loud.onnx", kind)
    samples = np.random.default_rng(4).uniform(0, 1, size=(20, 16, 12, 12)).astype(np.float32)
    np.savez(tmp_path / "samples.npz", x=samples)
    preon("quantize", "loud.onnx", "-o", "q.onnx", "--data", "samples.npz", "--latency", 0, "--always-write", check=True)
    assert largest_sum(tmp_path / "q.onnx") <= 128
    got = outputs(tmp_path / "q.onnx", samples, exact=False)
    np.testing.assert_array_equal(got, outputs(tmp_path / "q.onnx", samples, exact=True))
    wanted = outputs(tmp_path / "loud.onnx", samples, exact=False)
    assert 10 * np.log10((wanted**2).sum() / ((got - wanted) ** 2).sum()) > 30


def test_vnni_uses_all_codes(preon, tmp_path):
    loud_model(tmp_path / "loud.onnx", "matmul")
    preon("quantize", "loud.onnx", "-o", "q.onnx", "--data", "random:20", "--latency", 0, "--always-write", "--vnni", "--effort", "fast", check=True)
    assert largest_sum(tmp_path / "q.onnx") > 200
    preon.fails(2, 1004, "quantize", "loud.onnx", "-o", "q2.onnx", "--data", "random:2", "--vnni", "--target", "quark", says="--vnni")

"""ort-cpu in one model: convolutions with scales from calibration, an LSTM that finds its scales in each run."""
import json

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper, numpy_helper

STEPS, CHANNELS, HIDDEN = 16, 64, 128


def conv_lstm_model(folder):
    """Three convolutions over [1, 64, 8, 16], whose columns are the steps of a bidirectional LSTM; a Gemm behind it."""
    random = np.random.default_rng(3)
    weights = {f"w{i}": random.normal(size=(CHANNELS, CHANNELS, 3, 3)) / 20 for i in range(3)}
    weights |= {"w": random.normal(size=(2, 4 * HIDDEN, CHANNELS * 8)) / 16, "r": random.normal(size=(2, 4 * HIDDEN, HIDDEN)) / 16,
                "b": random.normal(size=(2, 8 * HIDDEN)) / 16, "out": random.normal(size=(2 * HIDDEN, 32)) / 8}
    shapes = {"steps": [STEPS, 1, CHANNELS * 8], "rows": [STEPS, 2 * HIDDEN]}
    nodes = []
    for i, (source, target) in enumerate([("x", "a0"), ("a0", "a1"), ("a1", "a2")]):
        nodes += [helper.make_node("Conv", [source, f"w{i}"], [f"c{i}"], f"conv{i}", pads=[1, 1, 1, 1]),
                  helper.make_node("Relu", [f"c{i}"], [target], f"relu{i}")]
    nodes += [
        helper.make_node("Transpose", ["a2"], ["t"], "turn", perm=[3, 0, 1, 2]),
        helper.make_node("Reshape", ["t", "steps"], ["s"], "to_steps"),
        helper.make_node("LSTM", ["s", "w", "r", "b"], ["h"], "lstm", hidden_size=HIDDEN, direction="bidirectional"),
        helper.make_node("Transpose", ["h"], ["u"], "turn_back", perm=[0, 2, 1, 3]),
        helper.make_node("Reshape", ["u", "rows"], ["v"], "to_rows"),
        helper.make_node("Gemm", ["v", "out"], ["y"], "head"),
    ]
    initializers = [numpy_helper.from_array(value.astype(np.float32), name) for name, value in weights.items()]
    initializers += [numpy_helper.from_array(np.array(value, np.int64), name) for name, value in shapes.items()]
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, CHANNELS, 8, STEPS])]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, [STEPS, 32])]
    graph = helper.make_graph(nodes, "conv_lstm", inputs, outputs, initializers)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), folder / "model.onnx")
    np.save(folder / "x.npy", random.normal(size=(24, CHANNELS, 8, STEPS)).astype(np.float32))
    return random.normal(size=(8, 1, CHANNELS, 8, STEPS)).astype(np.float32)


def run(path, samples):
    session = ort.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return np.stack([session.run(None, {"x": sample})[0] for sample in samples])


def sqnr_db(wanted, got):
    return 10 * np.log10(np.square(wanted).sum() / np.square(wanted - got).sum())


@pytest.fixture
def written(preon):
    unseen = conv_lstm_model(preon.folder)
    done = preon("quantize", "model.onnx", "-o", "int8.onnx", "--data", "x.npy", "--json", "--quiet")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), unseen


def test_each_node_has_the_kernel_that_the_runtime_has(preon, written):
    result, unseen = written
    assert result["target"] == "ort-cpu"
    kernels = result["placement"]["integer_kernels"]
    assert "lstm" in result["placement"]["integer"] and kernels["DynamicQuantizeLSTM"] == 1 and kernels["QLinearConv"] == 3
    assert result["placement"]["anchors"] == {"integer": 5, "float": 0}
    assert result["placement"]["integer_macs_share"] == pytest.approx(1)
    assert result["size_bytes"]["quantized"] < 0.27 * result["size_bytes"]["float"]
    assert sqnr_db(run(preon.folder / "model.onnx", unseen), run(preon.folder / "int8.onnx", unseen)) > 30


@pytest.mark.thorough
def test_the_report_names_the_kernels(preon, written):
    done = preon("quantize", "model.onnx", "-o", "again.onnx", "--data", "x.npy", "--quiet", "--method", "minmax")
    line = next(line for line in done.stdout.splitlines() if line.strip().startswith("kernels"))
    assert line.split(maxsplit=1)[1].split(", ")[0] == "3 QLinearConv" and "1 DynamicQuantizeLSTM" in line


def test_an_lstm_that_the_user_excludes_stays_float(preon):
    conv_lstm_model(preon.folder)
    done = preon("quantize", "model.onnx", "-o", "int8.onnx", "--data", "x.npy", "--json", "--quiet", "--method", "minmax", "--exclude", "lstm")
    assert done.returncode == 0, done.stderr
    reasons = {node["node"]: node["reason"] for node in json.loads(done.stdout)["placement"]["float"]}
    assert reasons["lstm"] == "excluded"
    assert "LSTM" in {node.op_type for node in onnx.load(preon.folder / "int8.onnx").graph.node}

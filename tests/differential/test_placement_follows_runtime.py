"""What the runtime computes in float although its operands are codes is planned again, as float."""
import json

import data_root
import onnx
import pytest

DATA = data_root.data_root()
MODEL = DATA / "models/dtln_model_2.onnx"  # its first LSTM's MatMul and Add become a float Gemm


def test_products_that_are_not_fused_keep_their_float_weights(preon):
    if not MODEL.exists():
        pytest.skip(f"{MODEL} is not there (./dev data fetches it)")
    done = preon("quantize", MODEL, "-o", "int8.onnx", "--data", "random:4", "--target", "ort-cpu", "--float-weights", "float32", "--json")
    assert done.returncode == 0, done.stderr
    not_fused = [node["node"] for node in json.loads(done.stdout)["placement"]["float"] if node["reason"] == "not fused"]
    assert not_fused
    graph = onnx.load(preon.folder / "int8.onnx").graph
    producers = {tensor: node for node in graph.node for tensor in node.output}
    nodes = {node.name: node for node in graph.node}
    for name in not_fused:
        operands = [producers[tensor].op_type for tensor in nodes[name].input if tensor in producers]
        assert "DequantizeLinear" not in operands[1:], name
        assert nodes[name].input[1] in {weight.name for weight in graph.initializer}

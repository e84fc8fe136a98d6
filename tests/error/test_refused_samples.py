"""What the runtime refuses is said with sample, node and what to do; files in the place of others are named."""
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper


def save(preon, nodes, inputs, constants):
    graph = helper.make_graph(nodes, "g", inputs, [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
                              [numpy_helper.from_array(value, name) for name, value in constants.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), preon.folder / "m.onnx")


def embedding(preon):
    nodes = [helper.make_node("Gather", ["table", "ids"], ["e"], name="embed"), helper.make_node("MatMul", ["e", "w"], ["y"], name="out")]
    save(preon, nodes, [helper.make_tensor_value_info("ids", TensorProto.INT64, ["N", "T"])],
         {"table": np.ones((10, 4), np.float32), "w": np.ones((4, 2), np.float32)})


def positions(preon):
    nodes = [helper.make_node("Add", ["x", "p"], ["s"], name="position"), helper.make_node("MatMul", ["s", "w"], ["y"], name="out")]
    save(preon, nodes, [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", "T", 4])],
         {"p": np.ones((8, 4), np.float32), "w": np.ones((4, 2), np.float32)})


@pytest.mark.parametrize("verb", ["quantize", "calibrate", "run", "compare"])
def test_ids_beyond_the_vocabulary(preon, verb):
    embedding(preon)
    np.savez(preon.folder / "a.npz", ids=np.array([[1, 2], [3, 4], [5, 99]]))
    arguments = {"quantize": ["-o", "q.onnx"], "calibrate": ["-o", "q.calib"], "compare": ["m.onnx"]}.get(verb, [])
    done = preon.fails(1, 6002, verb, "m.onnx", *arguments, "--data", "a.npz", "--batch", "1", says="sample a.npz[2]")
    assert "node 'embed' (Gather): " in done.stderr and "hint: " in done.stderr and "tokenizer" in done.stderr


def test_sequences_that_are_too_long(preon):
    positions(preon)
    np.savez(preon.folder / "a.npz", x=np.ones((2, 9, 4), np.float32))
    done = preon.fails(1, 6002, "run", "m.onnx", "--data", "a.npz", says="sample a.npz[0]")
    assert "node 'position' (Add): " in done.stderr and "cut or pad" in done.stderr
    assert "/onnxruntime" not in done.stderr and "Non-zero" not in done.stderr


@pytest.mark.parametrize("content, is_named", [
    (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "git lfs pull"),
    (b"<!DOCTYPE html><html><body>Not found</body></html>", "HTML page"),
    (b"PK\x03\x04\x14\x00rest", "zip archive"),
])
def test_files_that_are_something_else(preon, content, is_named):
    (preon.folder / "other.onnx").write_bytes(content)
    preon.fails(2, 2003, "inspect", "other.onnx", says=is_named)
    embedding(preon)
    (preon.folder / "a.npz").write_bytes(content)
    preon.fails(2, 3002, "run", "m.onnx", "--data", "a.npz", says="" if is_named == "zip archive" else is_named)

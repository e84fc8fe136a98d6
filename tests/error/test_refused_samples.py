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


def ran(preon, *arguments):
    done = preon(*arguments)
    assert done.returncode == 0, done.stderr
    return done


def sound(preon):
    nodes = [helper.make_node("Unsqueeze", ["x", "one"], ["u"]), helper.make_node("Conv", ["u", "w"], ["c"], name="frames", strides=[160]),
             helper.make_node("Relu", ["c"], ["y"])]
    save(preon, nodes, [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", "T"])],
         {"one": np.array([1], np.int64), "w": np.random.default_rng(1).normal(size=(16, 1, 400)).astype(np.float32)})


def test_random_samples_get_a_size_that_the_model_runs_with(preon):
    sound(preon)
    for verb, *more in (["run"], ["compare", "m.onnx"], ["calibrate", "-o", "q.calib"], ["quantize", "-o", "q.onnx", "--target", "quark"], ["instrument", "-o", "i.onnx"]):
        data = [] if verb == "instrument" else ["--data", "random:4"]
        done = ran(preon, verb, "m.onnx", *more, *data)
        assert "found by trying: 'x' [?, 512]" in done.stderr, (verb, done.stderr)
    assert "found by trying" in ran(preon, "retarget", "q.onnx", "-o", "r.onnx", "--activation", "int8").stderr
    assert "found by trying" not in ran(preon, "run", "m.onnx", "--data", "random:2", "--random-shape", "x=1x800").stderr
    done = preon.fails(1, 6002, "run", "m.onnx", "--data", "random:2", "--random-shape", "x=1x80", says="sample random:2[0]")
    assert "--random-shape" in done.stderr


def test_weights_tell_the_sizes_of_random_samples(preon):
    nodes = [helper.make_node("MatMul", ["x", "w"], ["y"], name="out")]
    save(preon, nodes, [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", "T", "D"])], {"w": np.ones((7, 2), np.float32)})
    assert "found by trying" not in ran(preon, "run", "m.onnx", "--data", "random:2").stderr
    np.savez(preon.folder / "a.npz", x=np.ones((2, 9, 6), np.float32))
    preon.fails(1, 6002, "run", "m.onnx", "--data", "a.npz", says="node 'out' (MatMul)")


def test_models_that_run_with_no_size_say_what_the_runtime_said(preon):
    nodes = [helper.make_node("Reshape", ["x", "s"], ["y"], name="cut")]
    save(preon, nodes, [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", "T"])], {"s": np.array([7, 11, 13], np.int64)})
    preon.fails(1, 6002, "run", "m.onnx", "--data", "random:1", says="node 'cut' (Reshape)")

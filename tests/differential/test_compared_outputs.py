"""What a report compares: only outputs that can be compared, and classes only where there are classes."""
import json

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper


def detector(path, outputs=("map", "where", "values")):
    """Two convolutions; the last one's values above 0 and where they are, whose number depends on the data."""
    rng = np.random.default_rng(1)
    weights = {"w1": rng.normal(size=(16, 3, 3, 3)), "w2": rng.normal(size=(16, 16, 3, 3)) / 12, "limit": np.float32([0])}
    nodes = [helper.make_node("Conv", ["x", "w1"], ["a"], pads=[1] * 4), helper.make_node("Relu", ["a"], ["b"]),
             helper.make_node("Conv", ["b", "w2"], ["map"], pads=[1] * 4),
             helper.make_node("Greater", ["map", "limit"], ["above"]), helper.make_node("NonZero", ["above"], ["where"]),
             helper.make_node("Reshape", ["above", "flat"], ["above_flat"]),
             helper.make_node("Compress", ["map", "above_flat"], ["values"])]
    info = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "detector", [info("x", TensorProto.FLOAT, [1, 3, 32, 32])],
                              [each for each in (info("map", TensorProto.FLOAT, [1, 16, 32, 32]), info("where", TensorProto.INT64, [4, None]),
                                                 info("values", TensorProto.FLOAT, [None])) if each.name in outputs],
                              [numpy_helper.from_array(value.astype(np.float32), name) for name, value in weights.items()]
                              + [numpy_helper.from_array(np.array([-1], np.int64), "flat")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def test_outputs_whose_shape_depends_on_the_data(preon):
    detector(preon.folder / "m.onnx")
    np.save(preon.folder / "x.npy", np.random.default_rng(2).normal(size=(16, 3, 32, 32)).astype(np.float32))
    done = preon("quantize", "m.onnx", "-o", "q.onnx", "--data", "x.npy", "--json")
    assert done.returncode in (0, 5), done.stderr
    result = json.loads(done.stdout)
    outputs = result["compare"]["outputs"]
    assert outputs["map"]["sqnr_db"] > 20
    assert outputs["where"].keys() == {"shape_differs"} and outputs["where"]["shape_differs"] > 0
    assert any("'where'" in each and "not compared" in each for each in result["warnings"]), result["warnings"]
    assert "argmax_agreement" not in result["compare"]
    if done.returncode == 0:
        compared = json.loads(preon("compare", "m.onnx", "q.onnx", "--data", "x.npy", "--json").stdout)
        assert any("'where'" in each for each in compared["warnings"])


def test_without_an_output_that_can_be_compared(preon):
    """No figure stands for nothing: `auto` has none to choose by."""
    detector(preon.folder / "m.onnx", ("where", "values"))
    np.save(preon.folder / "x.npy", np.random.default_rng(2).normal(size=(16, 3, 32, 32)).astype(np.float32))
    done = preon("quantize", "m.onnx", "-o", "q.onnx", "--data", "x.npy", "--json")
    assert done.returncode in (0, 5), done.stderr
    result = json.loads(done.stdout)
    assert result.get("candidates", []) == []
    assert any("no output can be compared" in each and "minmse" in each for each in result["warnings"]), result["warnings"]


def test_images_as_nhwc_beside_outputs_whose_shape_depends_on_the_data(preon):
    detector(preon.folder / "m.onnx")
    x = np.random.default_rng(2).normal(size=(16, 3, 32, 32)).astype(np.float32)
    np.save(preon.folder / "x.npy", x)
    for output, options in (("nchw.onnx", []), ("nhwc.onnx", ["--nhwc"])):
        done = preon("quantize", "m.onnx", "-o", output, "--data", "x.npy", "--method", "minmax", *options)
        assert done.returncode in (0, 5), done.stderr
    results = [ort.InferenceSession(preon.folder / name).run(None, {"x": feed})
               for name, feed in (("nchw.onnx", x[:1]), ("nhwc.onnx", x[:1].transpose(0, 2, 3, 1)))]
    np.testing.assert_array_equal(results[0][0].transpose(0, 2, 3, 1), results[1][0])
    for nchw, nhwc in zip(results[0][1:], results[1][1:]):
        np.testing.assert_array_equal(nchw, nhwc)


def test_one_sample_and_one_that_is_larger(preon, model, data):
    done = preon("quantize", model, "-o", "q.onnx", "--data", data, "--samples", "1")
    assert "calibrated  1 sample," in done.stdout, done.stdout
    assert "0." not in done.stdout.splitlines()[1].split("(")[1] and "x larger)" in done.stdout, done.stdout


def lstm(path):
    rng = np.random.default_rng(1)
    weights = {"w": rng.normal(size=(1, 128, 64)), "r": rng.normal(size=(1, 128, 32)), "v": rng.normal(size=(64, 64))}
    nodes = [helper.make_node("MatMul", ["x", "v"], ["a"], name="matmul"),
             helper.make_node("LSTM", ["a", "w", "r"], ["y"], name="lstm", hidden_size=32)]
    info = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "lstm", [info("x", TensorProto.FLOAT, [100, 1, 64])], [info("y", TensorProto.FLOAT, [100, 1, 1, 32])],
                              [numpy_helper.from_array(value.astype(np.float32), name) for name, value in weights.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def test_recurrent_nodes_count(preon):
    lstm(preon.folder / "m.onnx")
    np.save(preon.folder / "x.npy", np.random.default_rng(2).normal(size=(16, 100, 1, 64)).astype(np.float32))
    done = preon("quantize", "m.onnx", "-o", "q.onnx", "--data", "x.npy")
    assert "1 of 2 Conv, MatMul, Gemm, LSTM, GRU and RNN nodes; 2" in done.stdout, (done.stdout, done.stderr)

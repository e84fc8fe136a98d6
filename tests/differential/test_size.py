"""--size: layers get 4-bit weights, first those that lose least for the bytes that they save, until the file is small enough."""
import json

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

SIZE, LAYERS = 128, 4
SAVED = SIZE * SIZE // 2  # bytes, in each layer


def chain():
    """Layers of one size. The first has large weights for an input that is nearly 0: with 4 bits little is left of the others."""
    random = np.random.default_rng(0)
    weights = [(random.normal(size=(SIZE, SIZE)) / np.sqrt(SIZE)).astype(np.float32) for _ in range(LAYERS)]
    weights[0][0] *= 20
    nodes, tensor = [], "x"
    for i in range(LAYERS):
        nodes += [helper.make_node("MatMul", [tensor, f"w{i}"], [f"p{i}"], name=f"layer{i}"), helper.make_node("Relu", [f"p{i}"], [f"h{i}"])]
        tensor = f"h{i}"
    graph = helper.make_graph(nodes, "chain", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", SIZE])],
                              [helper.make_tensor_value_info(tensor, TensorProto.FLOAT, ["n", SIZE])],
                              [numpy_helper.from_array(weight, f"w{i}") for i, weight in enumerate(weights)])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


@pytest.fixture
def layers(preon):
    onnx.save(chain(), preon.folder / "model.onnx")
    x = np.random.default_rng(1).normal(size=(64, 1, SIZE)).astype(np.float32)
    x[..., 0] *= 0.01
    np.save(preon.folder / "x.npy", x)
    return ("quantize", "model.onnx", "-o", "q.onnx", "--data", "x.npy", "--always-write")


def told(preon, *words):
    done = preon(*words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def bits_of_weights(path):
    model = onnx.load(path)
    return {each.name: 4 if each.data_type == TensorProto.INT4 else 8 for each in model.graph.initializer if np.prod(each.dims) == SIZE * SIZE}


def test_as_few_layers_as_it_takes_and_those_that_lose_least(preon, layers):
    told(preon, *layers, "--target", "simulate")
    most = (preon.folder / "q.onnx").stat().st_size - 3 * SAVED // 2
    answer = told(preon, *layers, "--size", most)
    assert (preon.folder / "q.onnx").stat().st_size <= most and answer["target"] == "simulate"
    fit = answer["size_fit"]
    assert fit["most_bytes"] == most and fit["type"] == "int4" and fit["candidates"] == LAYERS and len(fit["layers"]) == 2
    assert "layer0" not in fit["layers"]
    bits = bits_of_weights(preon.folder / "q.onnx")
    assert sorted(bits.values()) == [4, 4, 8, 8]
    fewest = told(preon, *layers, "--weight", "int4")
    assert answer["compare"]["outputs"]["h3"]["sqnr_db"] > fewest["compare"]["outputs"]["h3"]["sqnr_db"] + 1


def test_a_share_of_the_float_model_and_a_target_that_was_asked_for(preon, layers):
    answer = told(preon, *layers, "--size", "20%", "--target", "quark")
    assert answer["size_bytes"]["quantized"] <= 0.2 * answer["size_bytes"]["float"]
    assert answer["target"] == "quark" and 1 <= len(answer["size_fit"]["layers"]) < LAYERS


def test_a_large_layer_alone_where_it_is_enough(preon, layers):
    """Small layers cost least for a byte, but the large one is needed, and then they are not."""
    model = chain()
    wide = numpy_helper.from_array((np.random.default_rng(2).normal(size=(SIZE, 8 * SIZE)) / np.sqrt(SIZE)).astype(np.float32), "wide")
    model.graph.initializer.append(wide)
    model.graph.node.append(helper.make_node("MatMul", [model.graph.output[0].name, "wide"], ["y"], name="wide_layer"))
    del model.graph.output[:]
    model.graph.output.append(helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 8 * SIZE]))
    onnx.save(model, preon.folder / "model.onnx")
    told(preon, *layers, "--target", "simulate")
    answer = told(preon, *layers, "--target", "simulate", "--size", (preon.folder / "q.onnx").stat().st_size - 7 * SAVED)
    assert answer["size_fit"]["layers"] == ["wide_layer"]


def test_a_small_file_is_gain_enough(preon, layers):
    answer = told(preon, *layers[:-1], "--size", "20%")
    assert answer["target"] == "simulate" and answer["size_fit"]["layers"]


def test_statistics_of_another_target_do_not_hide_the_size(preon, layers):
    told(preon, "calibrate", "model.onnx", "-o", "all.calib", "--data", "x.npy")
    done = preon.fails(4, 5603, *layers[:4], "--calib", "all.calib", "--size", "20%", "--always-write", says="but --size allows")
    assert "simulate" in done.stderr


def test_weights_of_other_types_are_no_candidates(preon, layers):
    (preon.folder / "own.json").write_text(json.dumps({"target": "quark", "overrides": {"w1": {"type": "int16"}}}))
    answer = told(preon, *layers, "--config", "own.json", "--size", "26%")
    assert answer["size_fit"]["candidates"] == LAYERS - 1 and "layer1" not in answer["size_fit"]["layers"]


def test_eight_bits_where_they_are_few_enough(preon, layers):
    answer = told(preon, *layers, "--size", "40%")
    assert answer["target"] == "ort-cpu" and "size_fit" not in answer
    answer = told(preon, *layers, "--size", "40%", "--target", "simulate")
    assert "size_fit" not in answer and set(bits_of_weights(preon.folder / "q.onnx").values()) == {8}


@pytest.mark.parametrize("options, says", [
    (["--size", "10kB"], "with 4-bit weights in all layers that can have them the file takes"),
    (["--size", "50kB", "--target", "ort-cpu"], "but --size allows 50.0 kB"),
    (["--size", "50kB", "--target", "npu-cnn"], "but --size allows 50.0 kB"),
    (["--size", "50kB", "--target", "dynamic"], "but --size allows 50.0 kB"),
    (["--size", "20kB", "--target", "matmul-nbits"], "but --size allows 20.0 kB"),
    (["--size", "50kB", "--compat", "onnxruntime", "--method", "minmax"], "but --size allows 50.0 kB")])
def test_nothing_is_written_where_the_file_is_larger(preon, layers, options, says):
    preon.fails(4, 5603, *layers, *options, says=says)
    assert not (preon.folder / "q.onnx").exists()


@pytest.mark.parametrize("size", ["0", "small", "-3MB", "3TB", ""])
def test_what_is_no_size(preon, layers, size):
    preon.fails(2, 1002, *layers, "--size", size, says="for example 3MB or 30%")

"""Weights of nodes that stay in float: stored in fewer bits, in a form that the runtime folds when it loads the model."""
import json

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper, numpy_helper

CHANNELS = 48


@pytest.fixture
def net(tmp_path):
    """Three convolutions; the channels of the second one differ by factors of up to 1000."""
    rng = np.random.default_rng(0)
    nodes, weights, data = [], [], "input"
    for index, channels in enumerate((8, CHANNELS, CHANNELS)):
        weight = rng.normal(size=(CHANNELS, channels, 3, 3)).astype(np.float32) / np.float32(np.sqrt(channels * 9))
        if index == 1:
            weight *= np.logspace(-3, 0, CHANNELS).astype(np.float32).reshape(-1, 1, 1, 1)
        weights.append(numpy_helper.from_array(weight, f"w{index}"))
        nodes.append(helper.make_node("Conv", [data, f"w{index}"], [f"c{index}"], name=f"conv{index}", pads=[1] * 4))
        nodes.append(helper.make_node("Relu", [f"c{index}"], [f"r{index}"], name=f"relu{index}"))
        data = f"r{index}"
    shape = ["N", 8, 16, 16]
    graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info("input", TensorProto.FLOAT, shape)],
                              [helper.make_tensor_value_info(data, TensorProto.FLOAT, ["N", CHANNELS, 16, 16])], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), tmp_path / "net.onnx")
    np.savez(tmp_path / "data.npz", input=rng.normal(size=(40, 8, 16, 16)).astype(np.float32))
    return "net.onnx"


def quantize(preon, net, tmp_path, *options, status=0):
    done = preon("quantize", net, "-o", "out.onnx", "--json", "--data", "data.npz", "--target", "ort-cpu", "--latency", 0,
                 *options)
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    return json.loads(done.stdout)


def weights_of(result):
    return {node["node"]: node["weights"] for node in result["placement"]["float"] if "weights" in node}


def optimized(path, tmp_path):
    options = ort.SessionOptions()
    options.optimized_model_filepath = str(tmp_path / "optimized.onnx")
    options.log_severity_level = 3
    ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return onnx.load(tmp_path / "optimized.onnx")


@pytest.mark.parametrize("storage", ["float32", "float16", "int8"])
def test_the_runtime_folds_what_is_stored(preon, net, tmp_path, storage):
    result = quantize(preon, net, tmp_path, "--exclude", "conv1", "--float-weights", storage)
    assert weights_of(result).get("conv1", {"stored": "float32"})["stored"] == storage
    written = onnx.load(tmp_path / "out.onnx")
    types = {constant.name: constant.data_type for constant in written.graph.initializer}
    assert types.get("w1_quantized", types.get("w1")) == {"float32": TensorProto.FLOAT, "float16": TensorProto.FLOAT16,
                                                          "int8": TensorProto.INT8}[storage]
    graph = optimized(tmp_path / "out.onnx", tmp_path).graph
    assert not [node for node in graph.node if node.op_type in ("Cast", "Mul")]
    floats = [constant for constant in graph.initializer
              if constant.data_type == TensorProto.FLOAT and np.prod(constant.dims) == CHANNELS * CHANNELS * 9]
    assert len(floats) == 1  # of the excluded node alone


def test_each_storage_is_as_small_and_as_near_to_float_as_it_says(preon, net, tmp_path):
    sizes, decibels = {}, {}
    for storage in ("float32", "float16", "int8"):
        result = quantize(preon, net, tmp_path, "--exclude", "conv1", "--exclude", "conv2", "--float-weights", storage, "--always-write")
        sizes[storage] = result["size_bytes"]["quantized"]
        decibels[storage] = result["compare"]["outputs"]["r2"]["sqnr_db"]
    bytes_of_floats = 2 * CHANNELS * CHANNELS * 9 * 4
    assert sizes["float32"] - sizes["float16"] == pytest.approx(bytes_of_floats / 2, rel=0.02)
    assert sizes["float32"] - sizes["int8"] == pytest.approx(bytes_of_floats * 3 / 4, rel=0.02)
    assert decibels["float16"] == pytest.approx(decibels["float32"], abs=0.2)
    assert 30 < decibels["int8"] < decibels["float32"]


def test_excluded_nodes_keep_16_bits_unless_the_user_says_more(preon, net, tmp_path):
    result = quantize(preon, net, tmp_path, "--exclude", "conv1")
    assert weights_of(result)["conv1"]["stored"] == "float16" and weights_of(result)["conv1"]["why"]


@pytest.mark.parametrize("on_codes", [True, False])
def test_a_node_without_a_kernel_gets_8_bits_where_that_costs_nothing(preon, net, tmp_path, on_codes):
    """A transposed convolution behind the others: its weights lie on codes of 8 bits, or they do not."""
    model = onnx.load(tmp_path / net)
    weight = np.random.default_rng(1).normal(size=(CHANNELS, 8, 9, 9)).astype(np.float32) / np.float32(60)
    if on_codes:
        scale = np.abs(weight).max((0, 2, 3), keepdims=True) / 127
        weight = np.round(weight / scale) * scale
    model.graph.initializer.append(numpy_helper.from_array(weight, "up_w"))
    model.graph.node.append(helper.make_node("ConvTranspose", ["r2", "up_w"], ["up"], name="up", pads=[4] * 4))
    model.graph.output[0].name = "up"
    model.graph.output[0].type.tensor_type.shape.dim[1].dim_value = 8
    onnx.save(model, tmp_path / net)
    result = quantize(preon, net, tmp_path)
    stored = weights_of(result)["up"]
    assert stored["stored"] == ("int8" if on_codes else "float16") and ("measured" in stored["why"]) == on_codes
    exact = quantize(preon, net, tmp_path, "--float-weights", "float32")
    saved = exact["size_bytes"]["quantized"] - result["size_bytes"]["quantized"]
    assert saved == pytest.approx(weight.nbytes * (0.75 if on_codes else 0.5), rel=0.02)
    before, after = (of["compare"]["outputs"]["up"]["sqnr_db"] for of in (exact, result))
    assert after > before - 0.2


def test_other_targets_refuse_it(preon, net, tmp_path):
    done = preon("quantize", net, "-o", "out.onnx", "--data", "data.npz", "--target", "quark", "--float-weights", "int8")
    assert done.returncode == 2 and "--float-weights: has no effect with --target quark" in done.stderr
    done = preon("quantize", net, "-o", "out.onnx", "--data", "data.npz", "--float-weights", "int7")
    assert done.returncode == 2 and "int8" in done.stderr


@pytest.mark.parametrize("format", ["qdq", "qoperator"])
def test_formats_and_tools_take_it(preon, net, tmp_path, format):
    quantize(preon, net, tmp_path, "--exclude", "conv1", "--float-weights", "int8", "--format", format)
    for verb in (["lint", "out.onnx"], ["inspect", "out.onnx"], ["run", "out.onnx", "--data", "data.npz"],
                 ["compare", net, "out.onnx", "--data", "data.npz"], ["diff", net, "out.onnx"]):
        done = preon(*verb)
        assert done.returncode in (0, 1), (verb, done.stderr)

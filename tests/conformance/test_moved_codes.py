"""What moves or clamps between integer layers and float ones: on codes, and without keeping the layers from integers."""
import json

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper, numpy_helper

RNG = np.random.default_rng(0)
SIZE = 64


def constant(name, *shape):
    values = RNG.normal(size=shape) / np.sqrt(np.prod(shape[1:]))
    return numpy_helper.from_array(values.astype(np.float32), name)


def integers(name, values):
    return numpy_helper.from_array(np.array(values, np.int64), name)


def save(tmp_path, nodes, weights, shape, output):
    graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
                              [helper.make_tensor_value_info(output, TensorProto.FLOAT, None)], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), tmp_path / "net.onnx")
    np.savez(tmp_path / "data.npz", x=RNG.normal(size=[24, *shape[1:]]).astype(np.float32))


def quantize(preon, tmp_path, *options):
    done = preon("quantize", "net.onnx", "-o", "out.onnx", "--json", "--data", "data.npz", "--target", "ort-cpu", "--latency", 0,
                 *options)
    assert done.returncode == 0, (done.stdout, done.stderr)
    settings = ort.SessionOptions()
    settings.optimized_model_filepath = str(tmp_path / "optimized.onnx")
    settings.log_severity_level = 3
    ort.InferenceSession(str(tmp_path / "out.onnx"), settings, providers=["CPUExecutionProvider"])
    return json.loads(done.stdout), [node.op_type for node in onnx.load(tmp_path / "optimized.onnx").graph.node]


def padded(kind, data, index):
    """A tensor with one more row and column at each end: nodes and the result's name."""
    if kind != "slices":
        name = f"pad{index}"
        return [helper.make_node("Pad", [data, "pads"], [name], mode=kind, name=name)], name
    nodes = []
    for axis in (2, 3):
        ends = [f"{end}{index}{axis}" for end in ("first", "last")]
        for end, bounds in zip(ends, (["zero", "one"], ["minus", "large"])):
            nodes.append(helper.make_node("Slice", [data, *bounds, f"axis{axis}"], [end], name=end))
        nodes.append(helper.make_node("Concat", [ends[0], data, ends[1]], [f"wide{index}{axis}"], axis=axis, name=f"wide{index}{axis}"))
        data = f"wide{index}{axis}"
    return nodes, data


@pytest.mark.parametrize("kind", ["slices", "edge", "reflect", "constant"])
def test_padding_moves_codes(preon, tmp_path, kind):
    """Behind the image, behind a float function, and behind an integer convolution."""
    weights = [integers("zero", [0]), integers("one", [1]), integers("minus", [-1]), integers("large", [2**31]),
               integers("axis2", [2]), integers("axis3", [3]), integers("pads", [0, 0, 1, 1, 0, 0, 1, 1])]
    nodes, data, channels = [], "x", 8
    for index, function in enumerate(("Softplus", "Relu", "Relu")):
        more, data = padded(kind, data, index)
        weights.append(constant(f"w{index}", 32, channels, 3, 3))
        nodes += [*more, helper.make_node("Conv", [data, f"w{index}"], [f"c{index}"], name=f"conv{index}"),
                  helper.make_node(function, [f"c{index}"], [f"r{index}"], name=f"function{index}")]
        data, channels = f"r{index}", 32
    save(tmp_path, nodes, weights, [1, 8, SIZE, SIZE], data)
    # Not one of the zeros that a Conv takes as its own.
    result, kernels = quantize(preon, tmp_path, "--disable-pass", "fold_pad")
    assert [node["op"] for node in result["placement"]["float"]] == ["Softplus"]
    assert kernels.count("QLinearConv") == 3 and kernels.count("QuantizeLinear") == 2  # of the image, behind Softplus
    assert kernels.count("DequantizeLinear") == 2  # in front of Softplus, of the output
    assert result["compare"]["outputs"]["r2"]["sqnr_db"] > 30


@pytest.mark.parametrize("clamp", ["Relu", "Clip"])
@pytest.mark.parametrize("reader", ["float", "both", "output"])
def test_matmul_in_front_of_a_clamp_that_is_read_in_float_runs_in_integers(preon, tmp_path, clamp, reader):
    weights = [constant("w0", 512, 512), constant("w1", 512, 512), numpy_helper.from_array(np.float32(0), "low"),
               numpy_helper.from_array(np.float32(1), "high")]
    bounds = ["low", "high"] if clamp == "Clip" else []
    nodes = [helper.make_node("MatMul", ["x", "w0"], ["m0"], name="product0"),
             helper.make_node(clamp, ["m0", *bounds], ["r0"], name="clamp")]
    if reader != "output":
        nodes.append(helper.make_node("Exp", ["r0"], ["e"], name="exp"))
    if reader == "both":
        nodes += [helper.make_node("MatMul", ["r0", "w1"], ["m1"], name="product1"), helper.make_node("Add", ["e", "m1"], ["y"], name="sum")]
    output = {"float": "e", "both": "y", "output": "r0"}[reader]
    save(tmp_path, nodes, weights[:1] + weights[2:] if reader != "both" else weights, ["N", 16, 512], output)
    result, kernels = quantize(preon, tmp_path)
    assert result["placement"]["integer_macs_share"] == 1 and "MatMul" not in kernels
    assert result["compare"]["outputs"][output]["sqnr_db"] > 30

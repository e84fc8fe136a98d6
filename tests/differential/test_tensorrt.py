"""Target tensorrt on real models: what NVIDIA's rules for explicit quantization ask of Q/DQ nodes (docs/design/tensorrt.md)."""
import collections
import json

import data_root
import numpy as np
import onnx
import pytest
from onnx import numpy_helper

#: By model: quantized activations, Conv, Gemm and MatMul nodes that read codes, sums that read one operand as codes.
MODELS = {"resnet20_cifar10": (21, 19, 9), "mobilenetv2_1.0": (54, 53, 10), "resnet50v2_stage3_probe": (57, 43, 13),
          "yolox_nano": (100, 113, 7), "sst2_transformer": (8, 12, 0), "super_resolution_10": (4, 4, 0)}
LAYERS = ("Conv", "ConvTranspose", "Gemm", "MatMul")
ACTIVATION_FUNCTIONS = ("Relu", "Clip", "Sigmoid", "LeakyRelu")


class Written:
    def __init__(self, path):
        model = onnx.load(path)
        self.opset = {each.domain: each.version for each in model.opset_import}
        self.graph = model.graph
        self.constants = {each.name: numpy_helper.to_array(each) for each in self.graph.initializer}
        self.producers = {name: node for node in self.graph.node for name in node.output}
        self.operators = [node for node in self.graph.node if node.op_type not in ("QuantizeLinear", "DequantizeLinear")]
        self.readers = collections.defaultdict(list)
        for node in self.graph.node:
            for name in node.input:
                self.readers[name].append(node)

    def dequantize(self, tensor):
        node = self.producers.get(tensor)
        return node if node is not None and node.op_type == "DequantizeLinear" else None

    def source(self, tensor):
        """The activation whose codes are read, or None."""
        node = self.dequantize(tensor)
        quantize = self.producers.get(node.input[0]) if node is not None else None
        return quantize.input[0] if quantize is not None else None


def quantized(preon, tmp_path, name, *options):
    model = data_root.data_root() / f"models/{name}.onnx"
    if not model.exists():
        pytest.skip(f"no {model}")
    done = preon("quantize", model, "-o", "trt.onnx", "--target", "tensorrt", "--data", "random:2", "--effort", "fast", "--always-write", *options)
    assert done.returncode == 0, done.stderr
    return done, Written(tmp_path / "trt.onnx")


@pytest.mark.parametrize("name", MODELS)
def test_rules_of_explicit_quantization(preon, tmp_path, name):
    done, model = quantized(preon, tmp_path, name)
    assert set(model.opset) - {"", "ai.onnx.ml"} == set() and model.opset[""] >= 13
    pairs = [node for node in model.graph.node if node.op_type in ("QuantizeLinear", "DequantizeLinear")]
    for node in pairs:
        zero_point = model.constants[node.input[2]]
        assert zero_point.dtype == np.int8 and not zero_point.any(), node.name
    tensors, layers, sums = MODELS[name]
    assert len({node.input[0] for node in pairs if node.op_type == "QuantizeLinear"}) == tensors
    read = [node for node in model.operators if node.op_type in LAYERS and model.source(node.input[0]) is not None]
    assert len(read) == layers
    for node in read:
        weight = model.dequantize(node.input[1])
        codes, scale = (model.constants[each] for each in weight.input[:2])
        outputs = codes.shape[0 if node.op_type in ("Conv", "Gemm") else -1]
        assert codes.dtype == np.int8 and codes.min() >= -127 and scale.size == outputs, node.name
        if len(node.input) > 2 and node.input[2]:
            assert model.constants[node.input[2]].dtype == np.float32, node.name  # no DequantizeLinear
    one_of_two = [node for node in model.operators
                  if node.op_type == "Add" and [model.source(each) is not None for each in node.input].count(True) == 1]
    assert len(one_of_two) == sums
    for node in one_of_two:  # the other operand is a convolution's own result, which nothing else reads
        raw = next(each for each in node.input if model.source(each) is None)
        assert model.readers[raw] == [node], node.name
    assert "not fused" not in done.stdout and (name != "resnet20_cifar10" or "1 GlobalAveragePool  output tail" in done.stdout), done.stdout
    assert "made for    TensorRT, which is not used here" in done.stdout and "latency" not in done.stdout, done.stdout


@pytest.mark.parametrize("name", [name for name in MODELS if name != "sst2_transformer"])
def test_nothing_lies_between_a_convolution_and_its_activation_function(preon, tmp_path, name):
    _, model = quantized(preon, tmp_path, name)
    checked = 0
    for node in model.operators:
        if node.op_type != "Conv":
            continue
        for reader in model.readers[node.output[0]]:
            checked += reader.op_type in ACTIVATION_FUNCTIONS
            assert reader.op_type != "QuantizeLinear" or not {each.op_type for each in model.readers[node.output[0]]} & set(ACTIVATION_FUNCTIONS)
    assert checked > 0


def test_scales_that_older_versions_read(preon, tmp_path):
    """TensorRT below 8.6 quantizes float weights itself."""
    _, model = quantized(preon, tmp_path, "resnet20_cifar10", "--weight-form", "operators")
    weights = [model.source(node.input[1]) for node in model.operators if node.op_type == "Conv"]
    assert len(weights) == 19 and all(model.constants[each].dtype == np.float32 for each in weights)


@pytest.mark.parametrize("options, number, says", [
    (["--activation", "uint8"], 1007, "target tensorrt does not support type 'uint8'; it supports: int8"),
    (["--option", "ActivationSymmetric=false"], 1004, "got ActivationSymmetric false, wanted true: TensorRT has no zero points"),
    (["--block-size", "32"], 1004, "--block-size: has no effect with --target tensorrt")])
def test_what_tensorrt_has_not(preon, model, data, options, number, says):
    preon.fails(2, number, "quantize", model, "-o", "out.onnx", "--data", data, "--target", "tensorrt", *options, says=says)


def test_encodings_with_a_zero_point_are_refused(preon, model, data, tmp_path):
    entry = {"name": "input", "output_dtype": "uint8", "y_scale": 0.05, "y_zero_point": 100}
    (tmp_path / "e.json").write_text(json.dumps({"version": "2.0.0", "encodings": [entry]}))
    preon.fails(2, 1004, "quantize", model, "-o", "out.onnx", "--data", data, "--target", "tensorrt", "--encodings", "e.json",
                says="--encodings: input: got a zero point")


def test_from_python(tmp_path, model, data):
    package = pytest.importorskip("preon")
    result = package.quantize(tmp_path / model, tmp_path / "out.onnx", data=tmp_path / data, target="tensorrt", always_write=True)
    assert (result.target, result.activation, result.weight) == ("tensorrt", "int8", "int8")
    written = Written(tmp_path / "out.onnx")
    assert [written.source(node.input[0]) for node in written.operators if node.op_type == "Conv"] == ["input"]

"""--scale-type: every scale that is written is one of the type, biases have the product, and the result stays near float."""
import json

import graph_goldens
import numpy as np
import onnx
import pytest
from onnx import numpy_helper

# dB that the outputs reach at least with (power-of-two, int16) scales. A power of two can be 1.41 times too wide or too
# narrow, which costs up to 3 dB of rounding noise in each tensor and more where it saturates.
LEAST_SQNR_DB = {"resnet20_cifar10": (23, 27), "sst2_transformer": (41, 42), "mobilenetv2_1.0": (19, 20)}


def is_scale_of(scale, scale_type):
    if scale_type == "power-of-two":
        return np.frexp(scale)[0] == 0.5
    return any((scale * 2.0**shift).is_integer() and 1 <= scale * 2.0**shift <= 32767 for shift in range(16))


class Scales:
    """Scales of a quantized model by what they are for."""

    def __init__(self, path):
        graph = onnx.load(path).graph
        constants = {value.name: numpy_helper.to_array(value) for value in graph.initializer}
        producers = {output: node for node in graph.node for output in node.output}
        dequantizers = {name: node for name, node in producers.items() if node.op_type == "DequantizeLinear"}
        bias_scales = set()
        self.biases = []   # (input's, weight's, bias' own)
        for node in graph.node:
            if node.op_type in ("Conv", "Gemm") and len(node.input) == 3 and node.input[2] in dequantizers:
                of = [dequantizers[name].input[1] for name in node.input]
                bias_scales.add(of[2])
                self.biases.append(tuple(constants[name].astype(np.float32) for name in of))
        self.others = {node.input[1]: constants[node.input[1]].ravel().tolist() for node in graph.node
                       if node.op_type in ("QuantizeLinear", "DequantizeLinear") and node.input[1] not in bias_scales}


def quantize(model, *options):
    done = model.preon("quantize", model.path, "-o", "out.onnx", "--data", "calib.npz", "--json", *options, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), Scales(model.preon.folder / "out.onnx")


@pytest.mark.thorough
@pytest.mark.parametrize("scale_type", ["power-of-two", "int16"])
@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.slow if name.startswith("mobilenet") else ())
                                  for name in LEAST_SQNR_DB])
def test_every_scale_is_of_the_type(real_model, name, scale_type):
    result, scales = quantize(real_model(name), "--scale-type", scale_type)
    assert len(scales.others) >= 10 and bool(scales.biases) == (name != "sst2_transformer")   # whose layers are MatMul and Add
    for tensor, values in scales.others.items():
        assert all(is_scale_of(scale, scale_type) for scale in values), tensor
    for of_input, of_weight, of_bias in scales.biases:
        np.testing.assert_array_equal(of_bias.ravel(), np.maximum((of_input * of_weight).ravel(), np.finfo(np.float32).tiny))
    assert (result["scale_type"], result["weight_scale_type"]) == (scale_type, scale_type)
    least = LEAST_SQNR_DB[name][scale_type == "int16"]
    for output, figures in result["compare"]["outputs"].items():
        assert least <= figures["sqnr_db"] <= 80, (output, figures)


def test_float_scales_are_not_of_the_other_types(real_model):
    """What the test above checks is no accident."""
    _, scales = quantize(real_model("resnet20_cifar10"))
    every = [scale for values in scales.others.values() for scale in values]
    for scale_type in ("power-of-two", "int16"):
        assert sum(is_scale_of(scale, scale_type) for scale in every) < 0.05 * len(every)


def test_weights_can_have_a_type_of_their_own(real_model):
    result, scales = quantize(real_model("resnet20_cifar10"), "--scale-type", "power-of-two", "--weight-scale-type", "float32",
                              "--method", "minmse")
    assert (result["scale_type"], result["weight_scale_type"], result["weight_method"]) == ("power-of-two", "float32", "minmax")
    of_weights = [scale for name, values in scales.others.items() if len(values) > 1 for scale in values]
    of_activations = [scale for values in scales.others.values() if len(values) == 1 for scale in values]
    assert all(is_scale_of(scale, "power-of-two") for scale in of_activations)
    assert sum(is_scale_of(scale, "power-of-two") for scale in of_weights) < 0.05 * len(of_weights)


@graph_goldens.needs_sums_in_32_bits
def test_weights_of_power_of_two_scales_are_searched(real_model):
    """The nearest power of two saturates weights; minmse, the default for these scales, is better by decibels."""
    model = real_model("resnet20_cifar10")
    nearest, searched = (quantize(model, "--scale-type", "power-of-two", "--method", "minmse", *options)[0]
                         for options in (("--weight-method", "minmax"), ()))
    assert searched["weight_method"] == "minmse"
    of = [result["compare"]["outputs"]["output"]["sqnr_db"] for result in (nearest, searched)]
    assert of[1] > of[0] + 3


def test_int16_scales_out_of_reach_are_told(real_model):
    result, _ = quantize(real_model("resnet20_cifar10"), "--scale-type", "int16", "--method", "minmax")
    assert any(line.startswith("int16 scales reach from 2^-15 to 32767: ") for line in result["warnings"]), result["warnings"]


def test_ranges_have_the_scales_that_quantize_writes(real_model):
    model = real_model("resnet20_cifar10")
    calib = model.calibrate()
    listed = model.json("ranges", calib, "--method", "minmse", "--scale-type", "power-of-two")
    assert listed["scale_type"] == "power-of-two"
    model.quantize("out.onnx", "--calib", calib, "--method", "minmse", "--scale-type", "power-of-two")
    written = Scales(model.preon.folder / "out.onnx").others
    same = [written[f"{tensor}_scale"][0] == entry["scale"] for tensor, entry in listed["tensors"].items()
            if f"{tensor}_scale" in written]
    assert len(same) >= 10 and all(same)


@pytest.mark.parametrize("options, number, says", [
    (["--scale-type", "fixed"], 1001, "--scale-type: unknown scale type 'fixed'"),
    (["--weight-method", "entropy"], 1001, "--weight-method: unknown weight method 'entropy' (known: minmax, minmse, hqq)"),
    (["--weight-search", "HistCenter"], 1004, "--weight-search: has no effect without --weight-method minmse"),
    (["--scale-type", "power-of-two", "--weight-search", "HistCenter"], 1004, "--weight-search: has no effect with power-of-two"),
    (["--method", "minmse", "--method-option", "MinMSEModePof2Scale=Percentile"], 1004, "only with power-of-two scales"),
])
def test_what_can_not_be(preon, model, data, options, number, says):
    preon.fails(2, number, "quantize", model, "-o", "out.onnx", "--data", data, *options, says=says)


def test_int32_codes_have_no_int16_scales(preon, model, data):
    assert preon("calibrate", model, "-o", "a.calib", "--data", data).returncode == 0
    preon.fails(2, 1004, "ranges", "a.calib", "--method", "minmax", "--activation", "int32", "--scale-type", "int16",
                says="--scale-type int16: no such scale fits --activation int32")


def test_a_scale_given_for_a_tensor_must_be_of_the_type(preon, model, data, tmp_path):
    def config(**override):
        (tmp_path / "c.json").write_text(json.dumps({"scale_type": "power-of-two", "overrides": {"input": override}}))
        return "quantize", model, "-o", "out.onnx", "--data", data, "--config", "c.json"
    arguments = config(scale=0.03, zero_point=128)
    preon.fails(2, 1005, *arguments, says="overrides: input: scale: got 0.03, wanted one of scale type power-of-two such as 0.03125")
    assert preon(*config(scale=0.03, zero_point=128, scale_type="float32")).returncode == 0
    assert Scales(tmp_path / "out.onnx").others["input_scale"] == [np.float32(0.03)]

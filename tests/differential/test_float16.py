"""Float16 models: as good as their float32 originals, with inputs and outputs as they were."""
import json

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, numpy_helper

HALF, FLOAT = TensorProto.FLOAT16, TensorProto.FLOAT


def to_float16(model):
    """Initializers, casts and facts of a model without sub-graphs."""
    graph = model.graph
    for tensor in graph.initializer:
        if tensor.data_type == FLOAT:
            tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor).astype(np.float16), tensor.name))
    for node in graph.node:
        for attribute in node.attribute:
            if node.op_type == "Cast" and attribute.name == "to" and attribute.i == FLOAT:
                attribute.i = HALF
            if attribute.HasField("t") and attribute.t.data_type == FLOAT:
                attribute.t.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(attribute.t).astype(np.float16)))
    for value in [*graph.input, *graph.output]:
        if value.type.tensor_type.elem_type == FLOAT:
            value.type.tensor_type.elem_type = HALF
    del graph.value_info[:]
    return model


def types(values):
    return [value.type.tensor_type.elem_type for value in values]


def quantize(preon, model, *options, data="calib.npz"):
    done = preon("quantize", model, "-o", "out.onnx", "--data", data, "--json", *options, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), onnx.load(preon.folder / "out.onnx")


def sqnr_db(result):
    return {name: output["sqnr_db"] for name, output in result.get("compare", result)["outputs"].items()}


def on_the_samples(preon, model, data="calib.npz"):
    """Of the model as it was written."""
    compared = preon("compare", model, "out.onnx", "--data", data, "--json")
    assert compared.returncode == 0, compared.stderr
    return sqnr_db(json.loads(compared.stdout))


@pytest.fixture
def tiny(preon, model, data):
    """The tiny model in float16, beside its float32 samples."""
    onnx.save(to_float16(onnx.load(preon.folder / model)), preon.folder / "half.onnx")
    return "half.onnx"


def samples(preon):
    return np.load(preon.folder / "calib.npz")["input"]


def check_scales(model):
    """Every scale is float32, and none is the 1 that stands for one that float16 could not hold."""
    initializers = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    nodes = [node for node in model.graph.node if node.op_type in ("QuantizeLinear", "DequantizeLinear")]
    assert nodes
    for node in nodes:
        assert initializers[node.input[1]].dtype == np.float32 and np.all(initializers[node.input[1]] != 1), node.name


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["resnet20_cifar10", pytest.param("sst2_transformer", marks=pytest.mark.slow),
                                  pytest.param("mobilenetv2_1.0", marks=pytest.mark.slow)])
def test_as_good_as_float32(real_model, preon, name):
    model = real_model(name)
    quantize(preon, model.path)
    wanted = on_the_samples(preon, model.path)
    half = to_float16(onnx.load(model.path))
    onnx.save(half, preon.folder / "half.onnx")
    _, written = quantize(preon, "half.onnx")
    onnx.checker.check_model(written, full_check=True)
    assert types(written.graph.input) == types(half.graph.input) and types(written.graph.output) == types(half.graph.output)
    check_scales(written)
    for output, decibels in on_the_samples(preon, "half.onnx").items():
        assert decibels > wanted[output] - 1


def test_borders(preon, tiny):
    result, written = quantize(preon, tiny)
    nodes = {node.name: node for node in written.graph.node}
    assert nodes["input_Cast_0"].output == ["input_Cast_0_output"] and nodes["logits_Cast"].input == ["logits_Cast_input"]
    assert sum(node.op_type == "Cast" for node in written.graph.node) == 2
    assert types(written.graph.input) == [HALF] and types(written.graph.output) == [HALF]
    session = ort.InferenceSession(written.SerializeToString(), providers=["CPUExecutionProvider"])
    assert session.run(None, {"input": samples(preon)[:1].astype(np.float16)})[0].dtype == np.float16
    assert not any("float16" in warning for warning in result["warnings"])
    assert min(sqnr_db(result).values()) > 30


@pytest.mark.parametrize("options", [["--float16", "convert"],
                                     ["--option", "ConvertFP16ToFP32=true", "--option", "QuantizeFP16=true"]])
def test_float32_everywhere(preon, tiny, options):
    result, written = quantize(preon, tiny, *options)
    assert types(written.graph.input) == [FLOAT] and types(written.graph.output) == [FLOAT]
    assert "Cast" not in {node.op_type for node in written.graph.node}
    assert min(sqnr_db(result).values()) > 30


# Of the file as it is and the result, whatever the types of their inputs and outputs. `compare` reads samples as the file
# takes them, so float32 inputs get rounded ones.
@pytest.mark.parametrize("how, tolerance", [("keep-io", 0.01), pytest.param("convert", 2, marks=pytest.mark.slow)])
def test_compare(preon, tiny, how, tolerance):
    np.savez(preon.folder / "few.npz", input=samples(preon)[:7])   # too few to be measured with the ranges of others
    result, _ = quantize(preon, tiny, "--float16", how, data="few.npz")
    assert on_the_samples(preon, tiny, "few.npz") == pytest.approx(sqnr_db(result), abs=tolerance)


def test_keys_that_are_the_default(preon, tiny):
    quantize(preon, tiny)
    wanted = (preon.folder / "out.onnx").read_bytes()
    quantize(preon, tiny, "--option", "QuantizeFP16=true", "--option", "UseFP32Scale=true")
    assert (preon.folder / "out.onnx").read_bytes() == wanted


def test_what_is_refused(preon, tiny, model, data):
    common = ["-o", "out.onnx", "--data", data]
    preon.fails(2, 2010, "quantize", tiny, *common, "--option", "QuantizeFP16=false")
    preon.fails(2, 1002, "quantize", tiny, *common, "--float16", "on", says="wanted keep-io, convert or off")
    # A float32 model has no scales in float16.
    result, _ = quantize(preon, model, "--option", "UseFP32Scale=false", "--option", "QuantizeFP16=true")
    assert "QuantizeFP16: has no effect: the model has no float16 tensors (here --float16)" in result["warnings"]


def compute_types(model):
    """Types of all tensors that inference finds, but those of quantizers for 8 and 32 bits."""
    inferred = onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True).graph
    return {value.type.tensor_type.elem_type for value in inferred.value_info} & {HALF, FLOAT}


@pytest.mark.parametrize("options", [[], ["--target", "quark"], ["--target", "npu-cnn"], ["--target", "ort", "--opset", "21"]])
def test_scales_in_float16(preon, tiny, options):
    """No Cast, all in float16; the outputs are as near to float as with float32 scales."""
    _, wide = quantize(preon, tiny, *options, "--always-write")
    wanted = on_the_samples(preon, tiny)
    result, written = quantize(preon, tiny, *options, "--always-write", "--option", "UseFP32Scale=false")
    onnx.checker.check_model(written, full_check=True)
    assert "Cast" not in {node.op_type for node in written.graph.node} and "Cast" in {node.op_type for node in wide.graph.node}
    assert types(written.graph.input) == types(written.graph.output) == [HALF] and compute_types(written) <= {HALF}
    initializers = {tensor.name: numpy_helper.to_array(tensor) for tensor in written.graph.initializer}
    scales = {node.input[1] for node in written.graph.node if node.op_type in ("QuantizeLinear", "DequantizeLinear")}
    assert scales and all(initializers[name].dtype == np.float16 and np.all(initializers[name] >= 2.0**-14) for name in scales)
    assert not [text for text in result["warnings"] if "UseFP32Scale" in text]
    for output, decibels in on_the_samples(preon, tiny).items():
        assert decibels > min(wanted[output], 45) - 1


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["resnet20_cifar10", pytest.param("sst2_transformer", marks=pytest.mark.slow)])
def test_real_models_in_float16(real_model, preon, name):
    model = real_model(name)
    onnx.save(to_float16(onnx.load(model.path)), preon.folder / "half.onnx")
    quantize(preon, "half.onnx")
    wanted = on_the_samples(preon, "half.onnx")
    _, written = quantize(preon, "half.onnx", "--option", "UseFP32Scale=false", "--always-write")
    onnx.checker.check_model(written, full_check=True)
    for output, decibels in on_the_samples(preon, "half.onnx").items():
        assert decibels > min(wanted[output], 45) - 1   # float16 itself adds to what is as near as that


# Quark writes 1 for them.
def test_scales_that_float16_does_not_hold(preon, tiny):
    half = onnx.load(preon.folder / tiny)
    for tensor in half.graph.initializer:
        if tensor.name == "w1":
            tensor.CopyFrom(numpy_helper.from_array((numpy_helper.to_array(tensor) * np.float16(2e-3)).astype(np.float16), "w1"))
    onnx.save(half, preon.folder / "small.onnx")
    result, written = quantize(preon, "small.onnx", "--target", "quark", "--per-tensor", "--option", "UseFP32Scale=false")
    told, = (text for text in result["warnings"] if "UseFP32Scale" in text)
    assert "too small or too large for float16 and stay float32, between Casts" in told
    initializers = {tensor.name: numpy_helper.to_array(tensor) for tensor in written.graph.initializer}
    kinds = {node.name: node.op_type for node in written.graph.node}
    for node in written.graph.node:
        if node.op_type == "DequantizeLinear" and initializers[node.input[1]].dtype == np.float32:
            assert np.all(initializers[node.input[1]] < 2.0**-14)
            assert {kinds[reader.name] for reader in written.graph.node if node.output[0] in reader.input} == {"Cast"}
    assert min(on_the_samples(preon, "small.onnx").values()) > 25


def test_what_float16_does_not_have(preon, model, data):
    result, _ = quantize(preon, model, "--option", "UseFP32Scale=false", "--target", "quark")
    assert [text for text in result["warnings"] if "UseFP32Scale" in text] == ["UseFP32Scale: has no effect: the model has no float16 tensors"]


# Scales of float16 below 2^-14 would become 1, and the weights zero.
def test_tiny_weights(preon, tiny):
    half = onnx.load(preon.folder / tiny)
    for tensor in half.graph.initializer:
        if tensor.name == "w1":
            tensor.CopyFrom(numpy_helper.from_array((numpy_helper.to_array(tensor) * np.float16(2e-4)).astype(np.float16), "w1"))
        elif tensor.name == "b1":
            tensor.CopyFrom(numpy_helper.from_array(np.zeros(8, np.float16), "b1"))
    onnx.save(half, preon.folder / "small.onnx")
    _, written = quantize(preon, "small.onnx")
    check_scales(written)
    codes = [numpy_helper.to_array(tensor) for tensor in written.graph.initializer if tensor.data_type == TensorProto.INT8]
    kernels = [values for values in codes if values.ndim == 4]
    assert kernels
    assert all(np.abs(values.astype(int)).max() > 100 for values in kernels)


def test_samples_of_other_types(preon, tiny):
    quantize(preon, tiny)
    wanted = (preon.folder / "out.onnx").read_bytes()
    np.savez(preon.folder / "half.npz", input=samples(preon).astype(np.float16))
    quantize(preon, tiny, data="half.npz")
    assert (preon.folder / "out.onnx").read_bytes() == wanted
    np.savez(preon.folder / "large.npz", input=samples(preon) * np.float32(1e5))
    preon.fails(2, 3005, "quantize", tiny, "-o", "o.onnx", "--data", "large.npz", says="does not fit the input's type, float16")
    np.savez(preon.folder / "whole.npz", input=samples(preon).astype(np.int64))
    preon.fails(2, 3005, "quantize", tiny, "-o", "o.onnx", "--data", "whole.npz", says="type int64, wanted float16")
    quantize(preon, tiny, data="random:4")


def test_statistics_of_one_way_do_not_fit_the_other(preon, tiny):
    done = preon("calibrate", tiny, "-o", "a.calib", "--data", "calib.npz")
    assert done.returncode == 0, done.stderr
    assert preon("quantize", tiny, "-o", "out.onnx", "--calib", "a.calib").returncode == 0
    preon.fails(2, 3013, "quantize", tiny, "-o", "o.onnx", "--calib", "a.calib", "--float16", "convert")


def test_other_targets(preon, tiny):
    for target in ("quark", "matmul-nbits"):
        _, written = quantize(preon, tiny, "--target", target)
        assert types(written.graph.input) == [HALF] and types(written.graph.output) == [HALF]


def test_excluded_nodes_compute_in_float32(preon, tiny):
    _, written = quantize(preon, tiny, "--exclude", "conv_1", "--always-write")
    w1 = next(tensor for tensor in written.graph.initializer if tensor.name == "w1")
    assert w1.data_type == FLOAT


def test_outputs_of_float16_are_judged(preon, tiny, model):
    """Where codes are fitted, and where the error comes from, is found as in the float32 model."""
    fitted = {}
    for name in (model, tiny):
        result, _ = quantize(preon, name, "--weight", "int4", "--always-write")
        (improved,) = result["improved"]
        assert improved["layers_changed"] > 0 and improved["sqnr_db_after"] > improved["sqnr_db_before"] + 0.5
        fitted[name] = min(sqnr_db(result).values())
    assert fitted[tiny] > fitted[model] - 1
    done = preon("sensitivity", tiny, "--data", "calib.npz", "--json", timeout=300)
    assert done.returncode == 0, done.stderr
    assert sum(layer["share"] for layer in json.loads(done.stdout)["layers"]) > 0.5

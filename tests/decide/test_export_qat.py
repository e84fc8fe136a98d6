"""`preon export-qat`: what training takes up from a quantized model, and the way back through --encodings."""
import collections
import json
import shutil

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

import data_root

FILES = {"model.onnx", "qonnx.onnx", "encodings.json", "encodings_1.0.0.json", "fake_quant.py"}
#: With the float model.
ERRORS = {"sensitivity.json"}
#: Neither of them lets what was trained be changed.
PLAIN = ("--disable-algorithm", "bias-correction", "--disable-algorithm", "channel-scales")


def quantized(preon, model, *options, data="random:8"):
    done = preon("quantize", model, "-o", "quantized.onnx", "--data", data, "--effort", "fast", "--always-write", "--latency", 0, *PLAIN, *options,
                 timeout=600)
    assert done.returncode == 0, done.stderr


def exported(preon, *options):
    done = preon("export-qat", "quantized.onnx", "-o", "training", "--json", "--quiet", *options, timeout=600)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def differences(preon, *options):
    """What the model that comes back through --encodings has otherwise, as `preon diff` says it."""
    done = preon("quantize", "training/model.onnx", "-o", "back.onnx", "--always-write", "--latency", 0, *options, timeout=600)
    assert done.returncode == 0, done.stderr
    return json.loads(preon("diff", "quantized.onnx", "back.onnx", "--json").stdout)


def constants(path):
    return {each.name: numpy_helper.to_array(each) for each in onnx.load(path).graph.initializer}


def operators(path):
    return collections.Counter(node.op_type for node in onnx.load(path).graph.node)


def entries(path):
    return {each["name"]: each for each in json.loads(path.read_text())["encodings"]}


def real(name):
    path = data_root.data_root() / "models" / f"{name}.onnx"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    return path


def test_the_folder(preon, model):
    quantized(preon, model)
    result = exported(preon, "--float-model", model)
    folder = preon.folder / "training"
    assert {path.name for path in folder.iterdir()} == FILES | ERRORS == set(result["files"])
    assert result["activations"] > 0 and result["weights"] == result["float_weights"] > 0 and not result["warnings"]
    assert len(entries(folder / "encodings.json")) == result["activations"] + result["weights"]
    onnx.checker.check_model(onnx.load(folder / "model.onnx"), full_check=True)
    assert not {"QuantizeLinear", "DequantizeLinear", "Quant"} & set(operators(folder / "model.onnx"))
    assert operators(folder / "qonnx.onnx")["Quant"] >= result["activations"]
    assert operators(folder / "model.onnx")["Relu"] == operators(preon.folder / model)["Relu"], "what codes replaced is back"


def test_float_weights_are_those_of_the_model_that_was_quantized(preon, model):
    quantized(preon, model)
    exported(preon)
    decoded = constants(preon.folder / "training/model.onnx")
    exported(preon, "--float-model", model)
    real_weights, source = constants(preon.folder / "training/model.onnx"), constants(preon.folder / model)
    scales = {name: max(each["y_scale"]) for name, each in entries(preon.folder / "training/encodings.json").items() if "axis" in each}
    assert set(scales) <= set(source) and scales
    for name, scale in scales.items():
        assert np.abs(real_weights[name] - source[name]).max() < np.abs(decoded[name] - source[name]).max()
        assert np.abs(real_weights[name] - source[name]).max() < 0.011 * scale, "moved where it lies at the border of its code's interval, if at all"


@pytest.mark.parametrize("file", ["encodings.json", "encodings_1.0.0.json"])
def test_a_small_model_comes_back(preon, model, file):
    quantized(preon, model)
    exported(preon, "--float-model", model)
    difference = differences(preon, "--encodings", f"training/{file}")
    assert difference["same"], difference


@pytest.mark.parametrize("name", ["resnet20_cifar10", "ultraface_rfb_320", "sst2_transformer", "lenet_mnist", "chargpt_shakespeare", "gtcrn_stream_simple",
                                  "ppocr_v3_det"])
def test_real_models_come_back(preon, name):
    """Only where images get a fourth channel, the pairs in front of the Concat that makes it are not made again."""
    shape = ("--random-shape", "x=1x3x320x320") if name == "ppocr_v3_det" else ()
    quantized(preon, real(name), *shape, data="random:4")
    exported(preon, "--float-model", real(name))
    difference = differences(preon, "--encodings", "training/encodings.json")
    assert not any(difference["nodes"][how] for how in ("changed", "only_in_a", "only_in_b"))
    lost = {each["a"] for each in difference["tensors"]["changed"] if not each["codes_b"]}
    assert lost == {each["a"] for each in difference["tensors"]["changed"]}, "codes or scales differ"
    assert all("four_channels" in name or name == "input" for name in lost), lost


def test_weights_of_three_bits(preon, model):
    quantized(preon, model, "--weight", "int3", "--target", "ort")
    exported(preon, "--float-model", model)
    types = {each["output_dtype"] for each in entries(preon.folder / "training/encodings.json").values()}
    assert types == {"uint8", "int3"}
    difference = differences(preon, "--encodings", "training/encodings.json", "--target", "ort")
    assert difference["same"], difference


@pytest.mark.parametrize("weight", ["int2", "int3", "int4"])
def test_narrow_weights_come_back_without_a_target(preon, model, weight):
    """The command that export-qat prints names none: the default one has to have the file's types."""
    quantized(preon, model, "--weight", weight)
    exported(preon, "--float-model", model)
    difference = differences(preon, "--encodings", "training/encodings.json")
    assert difference["same"], difference


def test_integer_operators_of_another_tool_get_their_relu_back(preon, model, data):
    """Theirs have the names of what stood in front of it."""
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, quantize_static

    class Reader(CalibrationDataReader):
        rows = iter(np.load(preon.folder / data)["input"])

        def get_next(self):
            row = next(self.rows, None)
            return None if row is None else {"input": row[None]}

    quantize_static(preon.folder / model, preon.folder / "quantized.onnx", Reader(), quant_format=QuantFormat.QOperator)
    assert operators(preon.folder / "quantized.onnx")["Relu"] == 0
    exported(preon, "--float-model", model)
    assert operators(preon.folder / "training/model.onnx")["Relu"] == 1
    compared = json.loads(preon("compare", model, "training/model.onnx", "--data", data, "--latency", 0, "--json").stdout)
    assert compared["outputs"]["logits"]["sqnr_db"] > 60


def test_blocks_of_weights(preon, model):
    quantized(preon, model, "--weight", "int4", "--block-size", 2, "--target", "ort")
    result = exported(preon)
    blocks = [each for each in entries(preon.folder / "training/encodings.json").values() if each.get("block_size") == 2]
    assert blocks and all(isinstance(each["y_scale"][0], list) for each in blocks)
    assert any("encodings_1.0.0.json has no blocks" in warning for warning in result["warnings"])


def test_other_files_of_the_folder_stay(preon, model):
    quantized(preon, model)
    (preon.folder / "training").mkdir()
    (preon.folder / "training/notes.txt").write_text("mine")
    exported(preon)
    exported(preon)
    assert {path.name for path in (preon.folder / "training").iterdir()} == FILES | {"notes.txt"}


def test_mistakes(preon, model):
    quantized(preon, model)
    preon.fails(2, 1003, "export-qat", "quantized.onnx", says="wanted -o DIR")
    preon.fails(2, 2014, "export-qat", model, "-o", "training", says="nothing to export")
    preon.fails(2, 2001, "export-qat", "none.onnx", "-o", "training", says="no such file")
    preon.fails(1, 7003, "export-qat", "quantized.onnx", "-o", "a/b", says="does not exist")
    preon.fails(2, 1004, "export-qat", "quantized.onnx", "-o", ".", says="is the folder of the input")
    preon.fails(2, 2009, "export-qat", "quantized.onnx", "-o", "training", "--float-model", "quantized.onnx", says="wanted a float model")
    assert not (preon.folder / "training").exists()


def test_the_float_model_is_another_one(preon, model):
    quantized(preon, model)
    other = onnx.load(preon.folder / model)
    renamed = {each.name for each in other.graph.initializer}
    for each in other.graph.initializer:
        each.name += "_x"
    for node in other.graph.node:
        node.input[:] = [name + "_x" if name in renamed else name for name in node.input]
    onnx.save(other, preon.folder / "other.onnx")
    preon.fails(2, 1002, "export-qat", "quantized.onnx", "-o", "training", "--float-model", "other.onnx", says="has none of the weights")


def test_what_computes_its_scales_at_run_time(preon):
    quantized(preon, real("dtln_model_1"), data="random:2")
    preon.fails(2, 1007, "export-qat", "quantized.onnx", "-o", "training", says="DynamicQuantizeLSTM can't be exported")


def test_from_python(preon, model):
    preon_module = pytest.importorskip("preon")
    quantized(preon, model)
    result = preon_module.export_qat(preon.folder / "quantized.onnx", preon.folder / "training", float_model=preon.folder / model)
    assert set(result["files"]) == FILES | ERRORS


def test_errors_of_each_tensor(preon, model):
    """What the tensor's own codes make, against NumPy; weights without samples, activations with them."""
    quantized(preon, model, "--weight", "int4")
    assert exported(preon, "--float-model", model)["files"].count("sensitivity.json") == 1
    told = {each["name"]: each for each in json.loads((preon.folder / "training/sensitivity.json").read_text())["tensors"]}
    floats = constants(preon.folder / model)
    entry = {each["name"]: each for each in json.loads((preon.folder / "training/encodings.json").read_text())["encodings"]}
    assert told and all(each["constant"] and each["inherited_db"] is None for each in told.values())
    checked = 0
    for name in told.keys() & floats.keys():
        scale = np.reshape(entry[name]["y_scale"], [-1] + [1] * (floats[name].ndim - 1))
        rounded = np.clip(np.rint(floats[name] / scale), -8, 7) * scale
        wanted = 10 * np.log10((floats[name].astype(float) ** 2).sum() / ((rounded - floats[name]).astype(float) ** 2).sum())
        assert abs(told[name]["own_db"] - wanted) < 0.01, name
        checked += 1
    assert checked > 0
    shutil.rmtree(preon.folder / "training")
    exported(preon, "--float-model", model, "--data", "random:8")
    both = json.loads((preon.folder / "training/sensitivity.json").read_text())["tensors"]
    activations = [each for each in both if not each["constant"]]
    assert len(both) > len(told) and activations
    first = next(each for each in activations if each["name"] == "input")
    assert 30 < first["own_db"] < 60 and first["inherited_db"] is None, "nothing comes before the input"
    assert any(each["inherited_db"] is not None for each in activations)
    worst = [each["own_db"] for each in both if each["own_db"] is not None]
    assert worst == sorted(worst)


def test_samples_need_the_float_model(preon, model):
    quantized(preon, model)
    preon.fails(2, 1003, "export-qat", "quantized.onnx", "-o", "training", "--data", "random:8", says="wanted --float-model as well")


def sqnr_against_float(preon, float_model, quantized_model):
    return json.loads(preon("compare", float_model, quantized_model, "--data", "x.npz", "--json").stdout)["outputs"]["output"]["sqnr_db"]


def test_a_model_with_batch_normalization_comes_back(preon):
    """Its scales are those of weights with which nothing was folded, which ONNX Runtime's quantizer leaves so."""
    ort = pytest.importorskip("onnxruntime.quantization")
    source = real("resnet20_cifar10")
    images = np.random.default_rng(3).normal(size=(24, 1, 3, 32, 32)).astype(np.float32)
    np.savez(preon.folder / "x.npz", input=images[:, 0])

    class Reader(ort.CalibrationDataReader):
        def __init__(self):
            self.rest = iter([{"input": image} for image in images[:16]])

        def get_next(self):
            return next(self.rest, None)

    def back(*options, **how):
        ort.quantize_static(source, preon.folder / "quantized.onnx", Reader(), per_channel=True, activation_type=ort.QuantType.QUInt8, **how)
        exported(preon)
        done = preon("quantize", "training/model.onnx", "--encodings", "training/encodings.json", "-o", "back.onnx", "--always-write", "--latency", 0,
                     *options, timeout=600)
        assert done.returncode == 0 and "fold_batch_norm: the scales that --encodings gives" in done.stdout, done.stderr
        return done.stdout

    text = back(reduce_range=True)  # the same on processors without VNNI
    before, after = (sqnr_against_float(preon, source, name) for name in ("quantized.onnx", "back.onnx"))
    assert after > before - 0.5 and "leaves no room" not in text
    assert "leaves no room for processors without VNNI" in back()
    assert "leaves no room" not in back("--vnni")

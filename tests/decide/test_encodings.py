"""`preon quantize --encodings`: scales and zero points of a file, in place of calibrated ones."""
import json

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

import data_root


def pairs(path):
    """Per tensor that the model quantizes: its type, scale and zero point, axis, and the codes of constants."""
    graph = onnx.load(path).graph
    constants = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
    found = {}
    for node in graph.node:
        if node.op_type not in ("QuantizeLinear", "DequantizeLinear"):
            continue
        is_weight = node.op_type == "DequantizeLinear" and node.input[0] in constants
        if node.op_type == "DequantizeLinear" and not is_weight:
            continue
        axis = next((each.i for each in node.attribute if each.name == "axis"), 1)
        scale, zero_point = constants[node.input[1]], constants[node.input[2]]
        found[node.input[0]] = (scale, zero_point, axis, constants.get(node.input[0]))
    return found


def float_name(constant, names):
    """The float constant whose codes these are."""
    return next((name for name in names if constant in (name, f"{name}_quantized", f"{name}_q")), None)


def second_version(found, names):
    entries = []
    for name, (scale, zero_point, axis, codes) in found.items():
        if zero_point.dtype == np.int32:  # a bias
            continue
        entry = {"name": name if codes is None else float_name(name, names), "output_dtype": str(zero_point.dtype),
                 "y_scale": scale.tolist(), "y_zero_point": zero_point.tolist()}
        entries.append(entry if scale.ndim == 0 else {**entry, "axis": axis})
    return {"version": "2.0.0", "encodings": entries}


def first_version(found, names):
    activations, parameters = [], []
    for name, (scale, zero_point, _, codes) in found.items():
        if zero_point.dtype == np.int32:
            continue
        lowest = np.iinfo(zero_point.dtype).min
        entry = {"name": name if codes is None else float_name(name, names), "dtype": "INT", "bw": 8,
                 "enc_type": "PER_CHANNEL" if scale.ndim else "PER_TENSOR", "is_sym": codes is not None,
                 "scale": np.atleast_1d(scale).tolist(),
                 "offset": (lowest - np.atleast_1d(zero_point).astype(int)).tolist()}
        (activations if codes is None else parameters).append(entry)
    return {"version": "1.0.0", "activation_encodings": activations, "param_encodings": parameters}


def comes_back(preon, model, data, version):
    """A result's own scales give the same scales and codes again, without a sample."""
    folder = preon.folder
    done = preon("quantize", model, "-o", "first.onnx", "--data", data, "--effort", "fast", "--always-write",
                 "--disable-algorithm", "bias-correction", "--disable-algorithm", "channel-scales", timeout=600)
    assert done.returncode == 0, done.stderr
    before = pairs(folder / "first.onnx")
    names = [each.name for each in onnx.load(model if str(model).startswith("/") else folder / model).graph.initializer]
    names += sorted({name.removesuffix("_quantized") for name in before})
    (folder / "scales.json").write_text(json.dumps(version(before, names)))
    done = preon("quantize", model, "-o", "second.onnx", "--encodings", "scales.json", "--always-write", "--json",
                 timeout=600)
    assert done.returncode == 0, done.stderr
    after = pairs(folder / "second.onnx")
    assert after.keys() == before.keys()
    for name, (scale, zero_point, axis, codes) in before.items():
        assert np.array_equal(scale, after[name][0]) and np.array_equal(zero_point, after[name][1]), name
        assert axis == after[name][2] and (codes is None or np.array_equal(codes, after[name][3])), name
    return json.loads(done.stdout)


@pytest.mark.parametrize("version", [second_version, first_version])
def test_a_results_own_scales_come_back(preon, model, version):
    result = comes_back(preon, model, "random:30", version)
    assert result["method"] == "none" and result["restored"]["file"] == "scales.json"


@pytest.mark.parametrize("model", ["resnet20_cifar10.onnx", "sst2_transformer.onnx", "ultraface_rfb_320.onnx"])
def test_of_real_models(preon, model):
    path = data_root.data_root() / "models" / model
    if not path.exists():
        pytest.skip(f"{path} is not there")
    comes_back(preon, path, "random:4", second_version)


def test_what_the_file_lacks_needs_samples(preon, model):
    comes_back(preon, model, "random:30", second_version)
    scales = json.loads((preon.folder / "scales.json").read_text())
    lost = next(each for each in scales["encodings"] if each["output_dtype"] == "uint8")
    scales["encodings"].remove(lost)
    (preon.folder / "fewer.json").write_text(json.dumps(scales))
    preon.fails(2, 1003, "quantize", model, "-o", "third.onnx", "--encodings", "fewer.json", says=f"no range for '{lost['name']}'")
    done = preon("quantize", model, "-o", "third.onnx", "--encodings", "fewer.json", "--data", "random:30", "--always-write")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("target", ["dynamic", "matmul-nbits"])
def test_targets_without_fixed_scales_have_no_use_for_them(preon, model, target):
    comes_back(preon, model, "random:30", second_version)
    preon.fails(2, 1004, "quantize", model, "-o", "third.onnx", "--encodings", "scales.json", "--target", target,
                says="no tensor of the file has a fixed scale in this result")


@pytest.mark.parametrize("option", [("--calib", "x.calib"), ("--algorithm", "cle"), ("--effort", "high"),
                                    ("--compat", "quark"), ("--save-and-restore", "x.json")])
def test_nothing_else_chooses_scales(preon, model, option):
    (preon.folder / "scales.json").write_text('{"version": "2.0.0", "encodings": []}')
    preon.fails(2, 1004, "quantize", model, "-o", "out.onnx", "--encodings", "scales.json", *option,
                says="--encodings: can't be used with")


def test_a_file_that_is_none(preon, model):
    (preon.folder / "scales.json").write_text('{"version": "9"}')
    preon.fails(2, 1005, "quantize", model, "-o", "out.onnx", "--encodings", "scales.json", says="wanted 2.0.0, 1.0.0 or 0.6.1")


@pytest.mark.parametrize("dtype, largest, weight, stored_as", [("int4", 7, "int4", None), ("int3", 3, "int3", "int4")])
def test_types_of_the_file_are_told(preon, model, dtype, largest, weight, stored_as):
    """The report and the metadata name the types that tensors have, not those of the options."""
    entries = [{"name": each.name, "output_dtype": dtype, "y_scale": float(np.abs(numpy_helper.to_array(each)).max() / largest), "y_zero_point": 0}
               for each in onnx.load(preon.folder / model).graph.initializer if len(each.dims) > 1]
    (preon.folder / "scales.json").write_text(json.dumps({"version": "2.0.0", "encodings": entries}))
    done = preon("quantize", model, "-o", "out.onnx", "--encodings", "scales.json", "--data", "random:8", "--per-tensor", "--always-write", "--json")
    assert done.returncode == 0, done.stderr
    metadata = {each.key: each.value for each in onnx.load(preon.folder / "out.onnx").metadata_props}
    assert json.loads(done.stdout)["weight"] == metadata["preon.weight"] == weight
    assert metadata.get("preon.weight_stored_as") == stored_as

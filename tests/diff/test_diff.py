"""`preon diff`: models of preon and of ONNX Runtime's quantizer against each other and against float."""
import json
import pathlib

import numpy as np
import onnx
import pytest
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, quantize_static

import data_root


class Feeds(CalibrationDataReader):
    def __init__(self, feeds):
        self.feeds = iter(feeds)

    def get_next(self):
        return next(self.feeds, None)


def diff(preon, *arguments):
    done = preon("diff", *arguments, "--json", "--quiet", "--threads", 1)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def model_path(name):
    path = data_root.data_root() / f"models/{name}.onnx"
    return path if path.exists() else pytest.skip(f"{name}: the model is not here; ./dev data fetches some")


def test_a_model_differs_in_nothing_from_itself(preon, model, data):
    result = diff(preon, model, model, "--data", data)
    assert result["same"] and result["compare"]["outputs"] and not result["tensors"]["changed"]
    assert all(each["max_abs"] == 0 for each in result["compare"]["outputs"].values())
    assert "no difference" in preon("diff", model, model).stdout


def test_two_results_have_the_same_nodes_and_other_scales(preon, model, data):
    for method, option in (("minmax", []), ("percentile", ["--method-option", "Percentile=90"])):
        assert preon("quantize", model, "-o", f"{method}.onnx", "--data", data, "--method", method, *option, "--always-write").returncode == 0
    result = diff(preon, "minmax.onnx", "percentile.onnx", "--data", data)
    assert not result["same"] and not result["nodes"]["only_in_a"] + result["nodes"]["only_in_b"] + result["nodes"]["changed"]
    changed = [tensor for tensor in result["tensors"]["changed"] if not tensor["constant"]]
    assert changed
    for tensor in changed:
        before, after = tensor["codes_a"][0], tensor["codes_b"][0]
        assert before["type"] == after["type"] and before["max"] - before["min"] > after["max"] - after["min"]
        stored = onnx.load(preon.folder / "minmax.onnx").graph
        scales = {each.name: onnx.numpy_helper.to_array(each) for each in stored.initializer}
        quantizer = next(node for node in stored.node if node.op_type == "QuantizeLinear" and node.input[0] == tensor["a"])
        assert np.isclose(scales[quantizer.input[1]], before["scale"][0], rtol=1e-6)
        assert scales[quantizer.input[2]] == before["zero_point"][0]


@pytest.mark.thorough
def test_float_mobilenet_and_the_one_of_another_tool(preon):
    """Every Conv is recognized; weights are as far from float as rounding to codes makes them."""
    source, other = model_path("mobilenetv2_1.0"), preon.folder / "other.onnx"
    random = np.random.default_rng(0)
    feeds = [{"input": random.standard_normal((1, 3, 224, 224)).astype(np.float32)}]
    quantize_static(source, other, Feeds(feeds), quant_format=QuantFormat.QDQ, per_channel=True)
    result = diff(preon, source, other, "--data", "random:2")
    assert result["nodes"]["only_in_b"] == [] and {node["op"] for node in result["nodes"]["only_in_a"]} <= {"Clip"}
    assert result["tensors"]["quantized_a"] == 0 and result["tensors"]["quantized_b"] > 100
    weights = [tensor for tensor in result["tensors"]["changed"] if tensor["constant"] and tensor["a"].endswith("_weight")]
    assert len(weights) == 53 and all(tensor["sqnr_db"] > 20 for tensor in weights)
    assert result["random_data"] and result["compare"]["samples"] == 2
    turned = diff(preon, other, source)
    assert turned["nodes"]["same"] == result["nodes"]["same"]
    assert {node["op"] for node in turned["nodes"]["only_in_b"]} == {node["op"] for node in result["nodes"]["only_in_a"]}


def test_models_whose_tools_call_everything_otherwise(preon):
    """The same architecture, exported and quantized by other tools: structure is found without names."""
    result = diff(preon, model_path("mobilenetv2_1.0"), model_path("mobilenetv2_v2w_int8_qdq_ort"), "--data", "random:1")
    assert result["nodes"]["same"] >= 62 and {node["op"] for node in result["nodes"]["only_in_b"]} <= {"ReduceMean", "Reshape"}
    assert list(result["compare"]["outputs"]) == ["output"]


def test_what_is_asked_wrongly(preon, model):
    preon.fails(2, 2001, "diff", model, "absent.onnx", says="absent.onnx")
    assert preon("diff", model).returncode == 2


def test_as_a_function(preon, model, data, monkeypatch):
    preon_module = pytest.importorskip("preon")
    monkeypatch.chdir(preon.folder)
    result = preon_module.diff(model, onnx.load(model), data=pathlib.Path(data), progress=False)
    assert result.facts["same"] and result.facts["compare"]["outputs"]

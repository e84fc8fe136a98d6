"""`preon lint` on models that ONNX Runtime's quantizer wrote: causes of float nodes, and what --fix makes of them."""
import json

import numpy as np
import onnx
import onnxruntime as ort
import pytest

from ort_models import FORMS, model_path, quantized, random_feeds

#: Opset 13 and above, as scales per channel need.
MODELS = ["resnet20_cifar10", "mobilenetv2_1.0", "sst2_transformer", "ultraface_rfb_320", "chargpt_shakespeare", "vit_cifar10_ibp_3_3_8"]


def lint(preon, *arguments):
    done = preon("lint", *arguments, "--json", "--quiet", "--threads", 1)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def causes(result):
    return {finding["rule"]: len(finding["nodes"]) for finding in result["findings"]}


def test_signed_activations_are_found_and_fixed(preon, model, data):
    source = quantized(preon.folder, preon.folder / model, "int8")
    assert causes(lint(preon, source))["signed_activations"] >= 1
    result = lint(preon, source, "--fix", "-o", "fixed.onnx", "--data", data)
    assert result["fix"]["passes"] == ["unsigned_activations"]
    assert "signed_activations" not in causes(result["fix"])
    assert result["fix"]["nodes"]["float"] <= result["nodes"]["float"]
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    runs = [ort.InferenceSession(path, options, providers=["CPUExecutionProvider"]).run(None, feed)
            for feed in random_feeds(source) for path in (source, preon.folder / "fixed.onnx")]
    for before, after in zip(runs[::2], runs[1::2]):
        for expected, got in zip(before, after):
            np.testing.assert_array_equal(expected, got)


def test_clamps_in_front_of_symmetric_codes_are_moved_behind_them(preon, tmp_path):
    """As Quark writes them: a Relu stands between each Conv and codes that have negative values, too."""
    model = model_path("resnet20_cifar10")
    source = tmp_path / "s8.onnx"
    assert preon("quantize", model, "-o", source, "--config", "S8S8_AAWS", "--target", "quark", "--data", "random:4").returncode == 0
    assert causes(lint(preon, source))["clamp_before_pair"] == 10
    result = lint(preon, source, "--fix", "-o", "fixed.onnx", "--data", "random:4")
    assert result["fix"]["passes"] == ["unsigned_activations", "clamp_codes"]
    assert not {"clamp_before_pair", "no_kernel"} & set(causes(result["fix"]))
    assert result["fix"]["integer_macs_share"] == pytest.approx(1)
    for feed in random_feeds(source):
        np.testing.assert_array_equal(*(outputs_as_written(path, feed) for path in (source, preon.folder / "fixed.onnx")))


def test_what_a_fix_uncovers_is_fixed_too(preon, tmp_path):
    """For NPUs biases have 8 bits: the node's first finding. Behind it is the clamp in front of its codes."""
    model = model_path("resnet20_cifar10")
    source = tmp_path / "npu.onnx"
    assert preon("quantize", model, "-o", source, "--target", "npu-cnn", "--effort", "fast", "--data", "random:4", "--always-write").returncode == 0
    result = lint(preon, source, "--fix", "-o", "fixed.onnx", "--data", "random:4")
    assert result["fix"]["passes"] == ["int32_biases", "clamp_codes"]
    assert result["integer_macs_share"] < 0.1 and result["fix"]["integer_macs_share"] == pytest.approx(1)


def outputs_as_written(path, feed):
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    return ort.InferenceSession(path, options, providers=["CPUExecutionProvider"]).run(None, feed)[0]


def test_a_result_of_our_own_has_nothing_to_fix(preon, model, data):
    assert preon("quantize", model, "-o", "q.onnx", "--data", data, "--always-write").returncode == 0
    assert not set(causes(lint(preon, "q.onnx"))) & {"signed_activations", "bias_scale", "unexplained"}
    preon.fails(5, 5601, "lint", "q.onnx", "--fix", "-o", "fixed.onnx", says="nothing to fix")


def test_what_is_asked_wrongly(preon, model):
    preon.fails(2, 2014, "lint", model, says="no node is quantized")
    preon.fails(2, 1003, "lint", model, "-o", "out.onnx", says="--fix")
    preon.fails(2, 1003, "lint", model, "--fix", says="-o FILE")


@pytest.mark.thorough
def test_as_a_function(preon, model, monkeypatch):
    preon_module = pytest.importorskip("preon")
    monkeypatch.chdir(preon.folder)
    source = quantized(preon.folder, preon.folder / model, "int8")
    result = preon_module.lint(source, "fixed.onnx", fix=True, progress=False)
    assert result.facts["fix"]["passes"] == ["unsigned_activations"] and onnx.load("fixed.onnx").graph.node


@pytest.mark.thorough
def test_int8_mobilenet_becomes_all_integer(preon):
    source = quantized(preon.folder, model_path("mobilenetv2_1.0"), "int8")
    result = lint(preon, source, "--fix", "-o", "fixed.onnx")
    assert result["nodes"]["float"] > 0
    assert result["fix"]["nodes"]["float"] == 0 and result["fix"]["integer_macs_share"] == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("form", FORMS)
def test_float_nodes_have_a_cause(preon, name, form):
    path = model_path(name)
    try:
        source = quantized(preon.folder, path, form)
        ort.InferenceSession(source, providers=["CPUExecutionProvider"])
    except Exception as problem:  # noqa: BLE001: what that tool can't do is not ours
        pytest.skip(f"ONNX Runtime's quantizer: {problem}")
    result = lint(preon, source)
    named = sum(count for rule, count in causes(result).items() if rule != "unexplained")
    assert named >= 0.9 * result["nodes"]["float"]
    assert result["seconds"]["total"] < 1 or result["nodes"]["float"] + result["nodes"]["integer"] > 2000

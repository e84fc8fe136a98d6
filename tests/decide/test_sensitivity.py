"""`preon sensitivity`: the layer that was made sensitive comes first, its gain is what leaving it in float gives."""
import json
import shlex

import pytest

SAMPLES = 24


def sensitivity(preon, *arguments):
    done = preon("sensitivity", *arguments, "--json", "--quiet", timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.thorough
def test_the_worst_layer_comes_first_and_its_fix_works(preon, filter_bank):
    result = sensitivity(preon, "model.onnx", "--data", "x.npy")
    worst = result["layers"][0]
    assert worst["node"] == "bank" and worst["measured_gain_db"] > 5 and worst["float_gain_db"] > 3
    assert [layer["float_gain_db"] for layer in result["layers"]] == sorted((layer["float_gain_db"] for layer in result["layers"]), reverse=True)
    assert result["evaluations"] <= 10
    assert result["scope"].startswith("these layers are of target ort-cpu; without --target, quantize writes another target where")
    assert "bank" in result["fix"]["nodes"] and result["fix"]["gain_db"] > 5
    assert "--target ort-cpu" in result["fix"]["command"]
    command = [word.replace("OUT.onnx", "fixed.onnx") for word in shlex.split(result["fix"]["command"])[1:]]
    fixed = json.loads(preon(*command, "--budget", 0, "--effort", "fast", "--latency", 0, "--json", "--quiet").stdout)
    before = json.loads(preon("quantize", "model.onnx", "-o", "before.onnx", "--data", "x.npy", "--budget", 0, "--effort", "fast", "--latency", 0,
                              "--json", "--quiet").stdout)
    gain = fixed["compare"]["outputs"]["y"]["sqnr_db"] - before["compare"]["outputs"]["y"]["sqnr_db"]
    assert gain > 3


@pytest.mark.thorough
def test_all_layers_measured_and_text(preon, filter_bank):
    result = sensitivity(preon, "model.onnx", "--data", "x.npy", "--confirm", 100)
    assert all("measured_gain_db" in layer for layer in result["layers"]) and len(result["layers"]) == 4
    none = sensitivity(preon, "model.onnx", "--data", "x.npy", "--confirm", 0, "--target", "ort-cpu")
    assert "scope" not in none
    assert "fix" not in none and not any("measured_gain_db" in layer for layer in none["layers"])
    text = preon("sensitivity", "model.onnx", "--data", "x.npy").stdout
    assert "Conv 'bank'" in text and "--exclude 'bank'" in text and "in float" in text


@pytest.mark.thorough
def test_causes_are_named(preon, filter_bank):
    result = sensitivity(preon, "model.onnx", "--data", "x.npy", "--weight", "int4", "--confirm", 0)
    assert any(layer.get("cause") == "weights of 4 bits" for layer in result["layers"])


def test_what_it_needs(preon, filter_bank):
    preon.fails(2, 1003, "sensitivity", "model.onnx", says="--data")
    preon.fails(2, 1007, "sensitivity", "model.onnx", "--data", "x.npy", "--target", "dynamic", says="target dynamic")
    preon.fails(2, 1001, "sensitivity", "model.onnx", "--data", "x.npy", "--confrim", 3, says="did you mean '--confirm'?")


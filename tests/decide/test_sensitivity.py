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
    assert command[command.index("--budget") + 1] == "0"  # no layers beside those
    fixed = json.loads(preon(*command, "--effort", "fast", "--latency", 0, "--json", "--quiet").stdout)
    before = json.loads(preon("quantize", "model.onnx", "-o", "before.onnx", "--data", "x.npy", "--budget", 0, "--effort", "fast", "--latency", 0,
                              "--json", "--quiet").stdout)
    gain = fixed["compare"]["outputs"]["y"]["sqnr_db"] - before["compare"]["outputs"]["y"]["sqnr_db"]
    assert gain > 3


def test_layers_in_front_of_what_moves_values_have_a_gain(preon, pooled, data):
    """In float, their neighbour behind the pool needs a range that was not collected: it is that of what the pool reads."""
    layers = {layer["node"]: layer for layer in sensitivity(preon, pooled, "--data", data, "--confirm", 5, "--target", "ort-cpu")["layers"]}
    assert layers["first"]["float_gain_db"] is not None and "measured_gain_db" in layers["first"]
    excluded = json.loads(preon("quantize", pooled, "-o", "q.onnx", "--data", data, "--exclude", "first", "--json", "--quiet", "--always-write").stdout)
    assert excluded["compare"]["outputs"]["logits"]["sqnr_db"] > 20


def test_no_gain_is_measured_where_nobody_sees_a_difference(preon, model, data):
    result = sensitivity(preon, model, "--data", data, "--activation", "int16", "--weight", "int16")
    assert result["typical_db"] == 60 and any(warning.startswith("no gain was measured: each run is 60 dB or more") for warning in result["warnings"])
    assert "fix" not in result and result["layers"] and not any("measured_gain_db" in layer for layer in result["layers"])


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


def test_why_there_is_no_fix_is_said_with_the_numbers_of_the_rule(preon, model, data):
    command = ["sensitivity", model, "--data", data, "--target", "ort-cpu"]
    result = json.loads(preon(*command, "--budget", 5, "--json", "--quiet").stdout)
    rule = "no group of layers is worth keeping in float: it must gain at least 0.3 dB, and 1 dB for each 1 % of the time, and take at most 5 % of the time"
    assert "fix" not in result and result["why_no_fix"] == rule
    assert f"  fix         none: {rule}\n" in preon(*command, "--budget", 5).stdout
    assert "  fix         none: --confirm 0 measures none\n" in preon(*command, "--confirm", 0).stdout


def test_what_it_needs(preon, filter_bank):
    preon.fails(2, 1003, "sensitivity", "model.onnx", says="--data")
    preon.fails(2, 1007, "sensitivity", "model.onnx", "--data", "x.npy", "--target", "dynamic", says="target dynamic")
    preon.fails(2, 1001, "sensitivity", "model.onnx", "--data", "x.npy", "--confrim", 3, says="did you mean '--confirm'?")


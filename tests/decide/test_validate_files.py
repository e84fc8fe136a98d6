"""`preon validate` with models in files: several at once, the wrong ones, samples that are not there."""
import json
import shlex

import numpy as np
import onnx
import pytest

from ort_models import quantized


#: Two bits do not reach this.
FAR = ("--require", "sqnr>=30")


@pytest.fixture
def files(preon, model, data):
    """Two quantized forms of the model: the second, with 2 bits, is far from float."""
    for name, options in (("good.onnx", ()), ("bad.onnx", ("--weight", "int2", "--target", "simulate"))):
        done = preon("quantize", model, "-o", name, "--data", data, "--always-write", *options)
        assert done.returncode == 0, done.stderr
    return ["good.onnx", "bad.onnx"]


def validate(preon, *arguments):
    done = preon("validate", *arguments, "--json", "--quiet", "--latency", 0, *FAR, timeout=300)
    return json.loads(done.stdout)


def test_each_of_several_files_has_a_verdict_and_the_best_is_named(preon, model, data, files):
    good, bad = files
    result = validate(preon, model, good, bad, "--data", data)
    assert (result["judged"], result["best"], result["verdict"]) == (good, good, "ship")
    assert [bool(each["why_not"]) for each in result["models"]] == [False, True]
    text = preon("validate", model, good, bad, "--data", data, "--latency", 0, *FAR).stdout
    assert f"verdict     SHIP: {good} is good enough" in text and f"NOT YET: {bad}: " in text and f"best        {good}" in text


def test_a_better_file_is_the_first_step(preon, model, data, files):
    good, bad = files
    result = validate(preon, model, bad, good, "--data", data)
    assert (result["judged"], result["best"], result["verdict"]) == (bad, good, "adjust")
    assert [(step["kind"], step["enough"]) for step in result["steps"]] == [("other_file", True)]


def test_the_float_model_is_no_quantized_form_of_itself(preon, model, data, tmp_path):
    (tmp_path / "copy.onnx").write_bytes((tmp_path / model).read_bytes())
    preon.fails(2, 1002, "validate", model, "copy.onnx", "--data", data, says=f"copy.onnx: the same model as {model}")


@pytest.mark.parametrize("verb", ["validate", "compare"])
def test_a_file_that_is_missing_is_named(preon, model, data, verb):
    preon.fails(2, 2001, verb, model, "none.onnx", "--data", data, says="none.onnx: no such file")
    preon.fails(2, 2001, verb, "none.onnx", model, "--data", data, says="none.onnx: no such file")


def test_errors_of_samples_name_the_option_they_came_with(preon, model, data, tmp_path):
    np.savez(tmp_path / "wrong.npz", other=np.zeros((16, 4), np.float32))
    np.savez(tmp_path / "shape.npz", logits=np.zeros((16, 5), np.float32))
    by_psnr = ("validate", model, "--data", data, "--metric", "psnr", "--latency", 0, "--reference")
    preon.fails(2, 3003, *by_psnr, "wrong.npz", says="--reference: wrong.npz: wanted one array, without a name or with that of the model's first output: 'logits'")
    preon.fails(2, 3004, *by_psnr, "shape.npz", says="--reference: shape.npz: 'logits': shape [16, 5], wanted [samples, 4]")
    preon.fails(2, 3001, *by_psnr, "none.npz", says="--reference: none.npz: no such file")
    preon.fails(2, 3001, "validate", model, "--data", data, "--eval-data", "none.npz", says="--eval-data: none.npz: no such file")


def test_a_size_counts_external_weights(preon, model, data, files):
    large = onnx.load(preon.folder / model)
    onnx.save(large, preon.folder / "large.onnx", save_as_external_data=True, location="large.data", size_threshold=0)
    whole = sum((preon.folder / name).stat().st_size for name in ("large.onnx", "large.data"))
    result = validate(preon, "large.onnx", files[0], "--data", data)
    assert result["float_size_bytes"] == whole
    compared = json.loads(preon("compare", "large.onnx", files[0], "--data", data, "--json", "--latency", 0).stdout)
    assert compared["size_bytes"]["float"] == whole


def test_the_command_for_a_slow_file_quotes_its_path(preon, model, data, tmp_path):
    (tmp_path / "my models").mkdir()
    quantized(tmp_path / "my models", tmp_path / model, "int8").rename(tmp_path / "my models/int8.onnx")
    done = preon("validate", model, "my models/int8.onnx", "--data", data, "--json", "--quiet", "--latency", 0.02, "--require", "speed>=1000", timeout=300)
    command = json.loads(done.stdout)["steps"][0]["command"]
    assert shlex.split(command) == ["preon", "lint", "my models/int8.onnx", "--fix", "-o", "FASTER.onnx"]
    assert preon(*shlex.split(command)[1:], "--latency", 0).returncode == 0


@pytest.mark.parametrize("verb", ["validate", "search", "report"])
def test_samples_that_calibrate_are_not_unseen(preon, model, data, tmp_path, verb):
    """However the file is spelled."""
    (tmp_path / "space.json").write_text('{"method": ["minmax"]}')
    (tmp_path / "link.npz").symlink_to(tmp_path / data)
    options = {"search": ["--space", "space.json", "-o", "best.onnx"]}.get(verb, [])
    for spelled, place in ((data, []), (f"./{data}", []), ("link.npz", []), (data, ["--input", f"input={data}"])):
        done = preon(verb, model, *options, *(place or ["--data", data]), "--eval-data", spelled, "--latency", 0, "--json", "--quiet", timeout=300)
        result = json.loads(done.stdout)
        result = result.get("validate", result)
        assert not result["unseen"] and any(f"--eval-data {spelled}: its samples are also used for calibration" in each for each in result["warnings"])

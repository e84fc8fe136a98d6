"""`ranges --all-methods`: what each method gives alone, of statistics and of a model with data."""
import json
import re

import pytest


def methods_of(preon):
    return re.findall(r"^  (\S+)", preon("ranges", "--method", "help").stdout, re.MULTILINE)


@pytest.mark.parametrize("options", [[], ["--activation", "int16", "--symmetric", "--scale-type", "power-of-two"]], ids=["uint8", "int16"])
@pytest.mark.parametrize("name", ["lenet_mnist", "sst2_transformer", "mobilenetv2_1.0"])
def test_as_each_alone(real_model, name, options):
    model = real_model(name)
    calib = model.calibrate("a.calib")
    together = model.json("ranges", calib, "--all-methods", *options)
    assert list(together["methods"]) == methods_of(model.preon) and "tensors" not in together
    for method, ranges in together["methods"].items():
        alone = model.json("ranges", calib, "--method", method, *options)
        assert alone["method"] == method and alone["tensors"] == ranges["tensors"]


def test_of_a_model_and_data(preon, model, data, tmp_path):
    done = preon("ranges", model, "--data", data, "--all-methods", "-o", "all.json")
    assert done.returncode == 0, done.stderr
    together = json.loads((tmp_path / "all.json").read_text())["methods"]
    assert list(together) == methods_of(preon)
    for method, ranges in together.items():
        alone = json.loads(preon("ranges", model, "--data", data, "--method", method, "--json").stdout)
        assert alone["tensors"] == ranges["tensors"]
        assert re.search(rf"^{method}$", done.stdout, re.MULTILINE)


def test_the_file_has_the_same_bytes_every_time(preon, model, data, tmp_path):
    files = []
    for threads in ("1", "2"):
        done = preon("ranges", model, "--data", data, "--all-methods", "-o", "all.json", "--threads", threads)
        assert done.returncode == 0, done.stderr
        files.append((tmp_path / "all.json").read_bytes())
    assert files[0] == files[1]


def test_methods_without_an_answer_are_named(preon, model, data):
    """Entropy counts codes, which a floating type does not have evenly apart."""
    assert preon("calibrate", model, "-o", "a.calib", "--data", data).returncode == 0
    done = preon("ranges", "a.calib", "--all-methods", "--activation", "float8e4m3fn", "--json")
    assert done.returncode == 0, done.stderr
    left_out = set(methods_of(preon)) - set(json.loads(done.stdout)["methods"])
    assert "entropy" in left_out and all(f"--all-methods: {method} left out: " in done.stderr for method in left_out)


@pytest.mark.parametrize("option", [["--method", "minmax"], ["--method-option", "Percentile=99"], ["--compat", "quark", "--method", "percentile"]])
def test_goes_with_no_single_method(preon, model, data, option):
    assert preon("calibrate", model, "-o", "a.calib", "--data", data).returncode == 0
    preon.fails(2, 1004, "ranges", "a.calib", "--all-methods", *option, says="--all-methods")

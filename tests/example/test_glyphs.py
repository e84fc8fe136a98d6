"""What the project promises, on the model and data that it ships: the part of the evidence that needs nothing else."""
import json
import pathlib
import re
import subprocess
import sys

import numpy as np
import onnxruntime
import pytest
from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples/glyphs"


def answer(done):
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def quantized(preon):
    """Quantized with default options: the result object."""
    return answer(preon("quantize", EXAMPLE / "model.onnx", "-o", "int8.onnx", "--data", EXAMPLE / "calib.npz", "--json"))


def top1(path):
    test = np.load(EXAMPLE / "test.npz")
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return (session.run(None, {"image": test["image"]})[0].argmax(1) == test["label"]).mean()


@pytest.mark.thorough
def test_integers_cost_no_accuracy(preon, quantized):
    integers = top1(preon.folder / "int8.onnx")
    assert integers >= top1(EXAMPLE / "model.onnx") - 0.005
    assert quantized["placement"]["anchors"] == {"integer": 16, "float": 0}
    assert quantized["size_bytes"]["quantized"] < quantized["size_bytes"]["float"] / 3


@pytest.mark.thorough
def test_compare_agrees_with_an_outside_count(preon, quantized):
    compared = answer(preon("compare", EXAMPLE / "model.onnx", "int8.onnx", "--data", EXAMPLE / "test.npz", "--json"))
    assert compared["samples"] == 940
    assert compared["accuracy"]["float"]["top1"] == pytest.approx(top1(EXAMPLE / "model.onnx"))
    assert compared["accuracy"]["quantized"]["top1"] == pytest.approx(top1(preon.folder / "int8.onnx"), abs=0.003)
    # Two-sided: a comparison of a model with itself would be far above.
    assert 25 < compared["outputs"]["scores"]["sqnr_db"] < 60


@pytest.mark.thorough
def test_same_bytes_for_any_number_of_threads(preon, quantized):
    again = preon("quantize", EXAMPLE / "model.onnx", "-o", "again.onnx", "--data", EXAMPLE / "calib.npz", "--threads", 1)
    assert again.returncode == 0, again.stderr
    assert (preon.folder / "again.onnx").read_bytes() == (preon.folder / "int8.onnx").read_bytes()


def test_shards_merge_to_the_same_bytes(preon):
    common = [EXAMPLE / "model.onnx", "--data", EXAMPLE / "calib.npz"]
    for name, shard in (("whole", []), ("2", ["--shard", "2/2"]), ("1", ["--shard", "1/2"])):
        assert preon("calibrate", *common, "-o", f"{name}.calib", *shard).returncode == 0
    assert preon("merge", "2.calib", "1.calib", "-o", "merged.calib").returncode == 0
    assert (preon.folder / "merged.calib").read_bytes() == (preon.folder / "whole.calib").read_bytes()


@pytest.mark.thorough
def test_pictures_are_the_arrays(preon):
    """The PNG files are the first test pictures: both ways in give the same accuracy."""
    count = len(list((EXAMPLE / "images").iterdir()))
    arrays = np.load(EXAMPLE / "test.npz")["image"]
    assert all((np.asarray(Image.open(EXAMPLE / "images" / f"{i:03}.png")) == arrays[i, 0]).all() for i in range(count))
    assert preon("quantize", EXAMPLE / "model.onnx", "-o", "int8.onnx", "--data", EXAMPLE / "calib.npz").returncode == 0
    compare = ["compare", EXAMPLE / "model.onnx", "int8.onnx", "--json"]
    from_arrays = answer(preon(*compare, "--data", EXAMPLE / "test.npz", "--samples", count))
    from_files = answer(preon(*compare, "--data", EXAMPLE / "images", "--preprocess", "raw", "--labels", EXAMPLE / "labels.tsv"))
    for part in ("samples", "outputs", "accuracy"):
        assert from_files[part] == from_arrays[part]


@pytest.mark.thorough
def test_quickstart_ends_with_the_table(preon):
    done = subprocess.run([sys.executable, ROOT / "scripts/quickstart.py"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for row in (r"top-1 on 940 pictures +9\d\.\d+ % +9\d\.\d+ %", r"file +0\.82 MB +0\.\d+ MB", r"latency, 1 thread +[\d.]+ ms +[\d.]+ ms",
                r"speed, 1 thread +1 +([\d.]+ \([\d.]+ to [\d.]+\)|busy machine)",
                r"calibration: 188 pictures, \d+ tensors in [\d.]+ s, \d+ MB", r"Next:"):
        assert re.search(row, done.stdout), done.stdout

"""Shards of every kind of source, in any order, merge to the bytes of one process; what does not fit together is refused by name."""
import random
import shutil
import wave

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from PIL import Image

MODEL = "resnet20_cifar10"


def calibrate(preon, model, output, *options):
    done = preon("calibrate", model, "-o", output, "--threads", "1", *options)
    assert done.returncode == 0, done.stderr
    return output


def shards(preon, model, count, *options):
    return [calibrate(preon, model, f"{count}-{i}.calib", *options, "--shard", f"{i}/{count}") for i in range(1, count + 1)]


@pytest.mark.thorough
@pytest.mark.parametrize("count", [1, 2, 4, 8, *(pytest.param(many, marks=pytest.mark.slow) for many in (16, 32, 64))])
def test_any_number_in_any_order(preon, real_model, count):
    model = real_model(MODEL)
    np.savez(preon.folder / "calib.npz", **{name: np.resize(array, (64, *array.shape[1:])) for name, array in model.samples.items()})
    data = ("--data", "calib.npz")
    whole = (preon.folder / calibrate(preon, model.path, "whole.calib", *data)).read_bytes()
    parts = shards(preon, model.path, count, *data)
    dice = random.Random(count)
    for _ in range(3):
        dice.shuffle(parts)
        assert preon("merge", *parts, "-o", "merged.calib").returncode == 0
        assert (preon.folder / "merged.calib").read_bytes() == whole
        twice = dice.choice(parts)
        with_one_twice = [*parts, twice]
        dice.shuffle(with_one_twice)
        failed = preon.fails(2, 3013, "merge", *with_one_twice, "-o", "other.calib", says=f"{twice}: sample")
        assert f"samples at the same places of their list are in {twice}" in failed.stderr
    if count > 1:
        assert "samples that none of the files has" in preon("merge", *parts[1:], "-o", "part.calib").stdout or parts[0] == f"{count}-{count}.calib"


def sources(folder, array):
    """Name -> options, of the same 12 pictures or of others."""
    np.savez(folder / "calib.npz", input=array)
    np.save(folder / "calib.npy", array)
    (folder / "arrays").mkdir()
    for index in range(3):
        np.save(folder / f"arrays/{index}.npy", array[4 * index:4 * index + 4])
    dice = np.random.default_rng(0)
    for stratum in ("day", "night"):  # one behind the other
        (folder / "photos" / stratum).mkdir(parents=True)
        for index in range(6):
            Image.fromarray(dice.integers(0, 256, (8, 8, 3), np.uint8)).save(folder / f"photos/{stratum}/{index}.png")
    return {"npz": ["--data", "calib.npz"], "npy": ["--data", "calib.npy"], "folder": ["--data", "arrays"], "random": ["--data", "random:12"],
            "images": ["--data", "photos", "--preprocess", "unit"], "strata": ["--data", "photos", "--preprocess", "unit", "--per-sample"],
            "two": ["--data", "calib.npz", "arrays"], "first": ["--data", "calib.npz", "--samples", "7"],
            "batch": ["--data", "calib.npz", "--batch", "2"], "exact": ["--data", "calib.npz", "--exact"]}


@pytest.mark.parametrize("kind", ["npz", "npy", "folder", "random", "images", "strata", "two", "first", "batch", "exact"])
def test_every_kind_of_source(preon, model, kind):
    options = sources(preon.folder, np.random.default_rng(2).normal(size=(12, 3, 8, 8)).astype(np.float32))[kind]
    whole = (preon.folder / calibrate(preon, model, "whole.calib", *options)).read_bytes()
    parts = shards(preon, model, 3, *options)
    assert preon("merge", *reversed(parts), "-o", "merged.calib").returncode == 0
    assert (preon.folder / "merged.calib").read_bytes() == whole
    if kind == "strata":
        by_stratum = [preon("analyze", name, "--group-by", "folder", "--json").stdout for name in ("merged.calib", "whole.calib")]
        assert '"per_sample"' in by_stratum[0]


def test_sound(preon):
    """input [N, 400] -> Abs -> Gemm."""
    weight = onnx.numpy_helper.from_array(np.random.default_rng(1).normal(size=(400, 4)).astype(np.float32), "w")
    nodes = [helper.make_node("MatMul", ["input", "w"], ["y"], name="fc")]
    info = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "g", [info("input", TensorProto.FLOAT, ["N", 400])], [info("y", TensorProto.FLOAT, ["N", 4])], [weight])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), preon.folder / "model.onnx")
    (preon.folder / "sounds").mkdir()
    dice = np.random.default_rng(0)
    for index in range(6):
        with wave.open(str(preon.folder / f"sounds/{index}.wav"), "wb") as file:
            file.setparams((1, 2, 16000, 400, "NONE", ""))
            file.writeframes(dice.integers(-20000, 20000, 400, np.int16).tobytes())
    whole = (preon.folder / calibrate(preon, "model.onnx", "whole.calib", "--data", "sounds")).read_bytes()
    assert preon("merge", *shards(preon, "model.onnx", 4, "--data", "sounds"), "-o", "merged.calib").returncode == 0
    assert (preon.folder / "merged.calib").read_bytes() == whole


def test_what_does_not_fit_is_named(preon, model, data):
    one, two, three = shards(preon, model, 3, "--data", data)
    changed = onnx.load(preon.folder / model)
    changed.graph.node[0].name = "other"
    onnx.save(changed, preon.folder / "other.onnx")
    other = calibrate(preon, "other.onnx", "other.calib", "--data", data, "--shard", "2/3")
    exact = calibrate(preon, model, "exact.calib", "--data", data, "--shard", "2/3", "--exact")
    shutil.copy(preon.folder / two, preon.folder / "damaged.calib")
    with open(preon.folder / "damaged.calib", "r+b") as file:
        file.seek(100)
        file.write(b"\xff")
    preon.fails(2, 3013, "merge", one, other, three, "-o", "m.calib", says="other.calib: made for another model")
    preon.fails(2, 3013, "merge", one, exact, three, "-o", "m.calib", says="exact.calib: made with other options")
    preon.fails(2, 3012, "merge", one, "damaged.calib", three, "-o", "m.calib", says="damaged.calib: checksum differs")
    preon.fails(2, 3012, "merge", one, "gone.calib", three, "-o", "m.calib", says="gone.calib: no such file")
    done = preon("merge", one, three, "-o", "m.calib")
    assert done.returncode == 0 and "5 of 0 to 15, the first is 1" in done.stdout

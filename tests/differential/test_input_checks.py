"""Samples that were prepared in another way than a model was trained with are named; right ones are not."""
import json
import sys

import numpy as np
import pytest

from conftest import DATA, IMAGENET_MEAN, IMAGENET_STD, ROOT, cifar, normalized, photos

sys.path.insert(0, str(ROOT / "bench"))
import tasks  # noqa: E402

BUILT = ROOT / "build/models"
PHOTOS = ["mobilenetv2_1.0", "resnet50v2_stage3_probe"]
RAW, UNIT, TWICE, LAYOUT, COPIES, FEW = "raw", "unit", "divided twice", "NHWC", "copies", "few"
SAYS = {RAW: ["pixels from 0 to 255", "--preprocess imagenet"], UNIT: ["pixels divided by 255", "--preprocess imagenet"],
        TWICE: ["divided by 255 twice"], LAYOUT: ["NHWC", "transpose"], COPIES: ["only 1 of the first 16 samples differ"],
        FEW: ["only 4 samples", "at least 16"]}


def spoilt(right, kind):
    scale = lambda values: values[:, None, None]
    unit = np.clip(right * scale(IMAGENET_STD) + scale(IMAGENET_MEAN), 0, 1)
    return {RAW: lambda: (unit * 255).round(),
            UNIT: lambda: unit,
            TWICE: lambda: unit / 255,
            LAYOUT: lambda: np.ascontiguousarray(right.transpose(0, 2, 3, 1)).reshape(right.shape),
            COPIES: lambda: np.repeat(right[:1], 16, 0),
            FEW: lambda: right[:4]}[kind]().astype(np.float32)


def warnings_of(preon, verb, *arguments):
    done = preon(verb, *arguments, "--json", timeout=300)
    assert done.returncode in (0, 5), done.stderr
    return json.loads(done.stdout)["warnings"]


def about_samples(warnings):
    return [each for each in warnings if each.startswith("input '") or "sample" in each]


@pytest.mark.parametrize("kind", SAYS)
@pytest.mark.parametrize("name", [*PHOTOS, "resnet20_cifar10"])
def test_wrong_samples_are_named(preon, model_path, name, kind):
    model = model_path(name)
    right = normalized(photos(32)) if name in PHOTOS else cifar(32)
    np.save(preon.folder / "wrong.npy", spoilt(right, kind))
    warnings = about_samples(warnings_of(preon, "calibrate", model, "-o", "x.calib", "--data", "wrong.npy"))
    assert len(warnings) == 1 and all(part in warnings[0] for part in SAYS[kind]), warnings


@pytest.mark.thorough
@pytest.mark.parametrize("task", [task for name, task in tasks.TASKS.items() if name != "yolox_nano_swapped"], ids=lambda t: t.name)
def test_right_samples_are_not(preon, task):
    model = task.model_path(DATA, BUILT)
    if not task.is_here(DATA, BUILT):
        pytest.skip(f"{model} is absent, or another model is in its place")
    prepared = task.prepare(DATA, BUILT)
    calib = {name: values[:48] for name, values in prepared.calib.items()}
    if len(next(iter(calib.values()))) < 16:   # few images in all: those to judge on as well
        calib = {name: np.concatenate([values, prepared.eval[name]]) for name, values in calib.items()}
    np.savez(preon.folder / "right.npz", **calib)
    assert about_samples(warnings_of(preon, "calibrate", model, "-o", "x.calib", "--data", "right.npz")) == []


@pytest.mark.thorough
def test_every_verb_that_reads_samples_warns(preon, model_path):
    model = model_path("resnet20_cifar10")
    np.save(preon.folder / "right.npy", cifar(16))
    np.save(preon.folder / "raw.npy", spoilt(cifar(16), RAW))
    says = SAYS[RAW][1]
    assert about_samples(warnings_of(preon, "quantize", model, "-o", "a.onnx", "--data", "right.npy")) == []
    assert about_samples(warnings_of(preon, "compare", model, "a.onnx", "--data", "right.npy")) == []
    assert says in str(about_samples(warnings_of(preon, "quantize", model, "-o", "b.onnx", "--data", "raw.npy")))
    assert says in str(about_samples(warnings_of(preon, "compare", model, "a.onnx", "--data", "raw.npy")))
    text = preon("compare", model, "a.onnx", "--data", "raw.npy").stdout
    assert any("warning" in line and says in line for line in text.splitlines()), text


def test_pixels_in_bytes_are_raw_pixels(preon, model_path):
    model = model_path("resnet20_cifar10")
    np.save(preon.folder / "bytes.npy", spoilt(cifar(16), RAW).astype(np.uint8))
    assert SAYS[RAW][0] in str(warnings_of(preon, "calibrate", model, "-o", "x.calib", "--data", "bytes.npy"))


def test_constant_images(preon, model_path):
    np.save(preon.folder / "grey.npy", np.full((16, 3, 32, 32), 0.5, np.float32))
    warnings = warnings_of(preon, "calibrate", model_path("resnet20_cifar10"), "-o", "x.calib", "--data", "grey.npy")
    assert any("every value is 0.5" in each for each in warnings), warnings


def test_random_samples_and_shards_are_not_judged(preon, model_path):
    model = model_path("resnet20_cifar10")
    np.save(preon.folder / "right.npy", cifar(32))
    assert about_samples(warnings_of(preon, "calibrate", model, "-o", "x.calib", "--data", "right.npy", "--shard", "1/4")) == []
    random = about_samples(warnings_of(preon, "calibrate", model, "-o", "y.calib", "--data", "random:2"))
    assert random == ["random samples: these statistics do not describe real data"]


@pytest.mark.parametrize("verb", ["validate", "compare", "sensitivity", "search", "run", "ranges"])
def test_a_result_of_random_samples_says_so(preon, model, verb):
    (preon.folder / "space.json").write_text('{"method": ["minmax"]}')
    quantized = "q.onnx"
    assert preon("quantize", model, "-o", quantized, "--data", "random:8", "--always-write", "--latency", 0).returncode == 0
    options = {"validate": [quantized, "--latency", 0], "compare": [quantized, "--latency", 0], "search": ["--space", "space.json", "-o", "best.onnx", "--latency", 0]}
    command = [verb, model, *options.get(verb, []), "--data", "random:40"]
    said, = about_samples(warnings_of(preon, *command))
    assert said.startswith("random samples: these ") and said.endswith(" do not describe real data")
    assert f"  warning     {said}" in preon(*command).stdout

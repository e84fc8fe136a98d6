"""Instrumented models in plain ONNX Runtime collect what `preon calibrate` collects of the same samples."""
import concurrent.futures
import json
import os
import pathlib
import shutil

import data_root
import numpy as np
import onnx
import onnxruntime as ort
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("PREON_OBSERVERS") or ROOT / "build/lib/libpreon_observers.so")
pytestmark = pytest.mark.skipif(not LIBRARY.exists(), reason=f"{LIBRARY} is not built")


def serve(path, threads=1):
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.add_session_config_entry("preon.calib_out", str(pathlib.Path(path).parent / "served.calib"))
    options.register_custom_ops_library(str(LIBRARY))
    return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def plain(path):
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def instrument(preon, model, *options):
    done = preon("instrument", model, "-o", "served.onnx", "--json", *options, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


REAL = ["mobilenetv2_1.0", "resnet20_cifar10", "vit_cifar10_ibp_3_3_8", "sst2_transformer", "ultraface_rfb_320",
        "yolox_nano"]


@pytest.mark.parametrize("name", REAL)
def test_same_bytes_as_calibrate(real_model, name):
    model = real_model(name)
    folder = model.preon.folder
    model.calibrate("calibrate.calib", "--batch", "1")
    result = instrument(model.preon, model.path, "--data", "calib.npz")
    assert result["verb"] == "instrument" and result["observed_tensors"] > 0
    served, float_model = serve(folder / "served.onnx"), plain(model.path)
    for feed in model.feeds():
        for got, wanted in zip(served.run(None, feed), float_model.run(None, feed)):
            np.testing.assert_allclose(got, wanted, rtol=1e-3, atol=1e-3)
    del served
    assert (folder / "served.calib").read_bytes() == (folder / "calibrate.calib").read_bytes()


@pytest.mark.thorough
def test_same_quantized_model(real_model):
    model = real_model("resnet20_cifar10")
    folder = model.preon.folder
    model.calibrate("calibrate.calib")
    instrument(model.preon, model.path)
    served = serve(folder / "served.onnx")
    for feed in model.feeds():
        served.run(None, feed)
    del served
    options = ("--data", "calib.npz", "--method", "minmse")
    assert model.quantize("a.onnx", "--calib", "served.calib", *options) == \
        model.quantize("b.onnx", "--calib", "calibrate.calib", *options)


def test_dynamic_lengths(real_model):
    """Requests of several lengths, each its own shape."""
    model = real_model("sst2_transformer")
    folder = model.preon.folder
    instrument(model.preon, model.path, "--data", "calib.npz")
    served = serve(folder / "served.onnx")
    for index, feed in enumerate(model.feeds()):
        length = 8 + 4 * index
        cut = {name: values[:, :length] for name, values in feed.items()}
        served.run(None, cut)
        part = folder / f"part{index:02}.npz"
        np.savez(part, **cut)
    del served
    (folder / "parts").mkdir()
    for part in folder.glob("part*.npz"):
        shutil.move(part, folder / "parts")
    done = model.preon("calibrate", model.path, "-o", "calibrate.calib", "--data", "parts", timeout=300)
    assert done.returncode == 0, done.stderr
    assert (folder / "served.calib").read_bytes() == (folder / "calibrate.calib").read_bytes()


@pytest.mark.parametrize("threads", [1, 2])
def test_four_threads_lose_nothing(real_model, threads):
    model = real_model("resnet20_cifar10")
    folder = model.preon.folder
    model.calibrate("calibrate.calib")
    instrument(model.preon, model.path)
    feeds = list(model.feeds())
    served = serve(folder / "served.onnx", threads)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda feed: served.run(None, feed), feeds))
    del served
    assert (folder / "served.calib").read_bytes() == (folder / "calibrate.calib").read_bytes()


def test_batches_count_as_samples(real_model):
    model = real_model("resnet20_cifar10")
    folder = model.preon.folder
    model.calibrate("calibrate.calib")
    instrument(model.preon, model.path)
    served = serve(folder / "served.onnx")
    images = model.samples["input"]
    for first, last in [(0, 5), (5, 6), (6, len(images))]:
        served.run(None, {"input": images[first:last]})
    del served
    assert (folder / "served.calib").read_bytes() == (folder / "calibrate.calib").read_bytes()


@pytest.mark.parametrize("option", ["--exact", "--no-optimize"])
def test_exact_and_unoptimized(real_model, option):
    model = real_model("resnet20_cifar10")
    folder = model.preon.folder
    model.calibrate("calibrate.calib", "--threads", "1", option)
    instrument(model.preon, model.path, option)
    served = serve(folder / "served.onnx")
    for feed in model.feeds():
        served.run(None, feed)
    del served
    assert (folder / "served.calib").read_bytes() == (folder / "calibrate.calib").read_bytes()


def test_one_in_three(real_model):
    model = real_model("resnet20_cifar10")
    folder = model.preon.folder
    np.savez(folder / "third.npz", input=model.samples["input"][::3])
    done = model.preon("calibrate", model.path, "-o", "third.calib", "--data", "third.npz")
    assert done.returncode == 0, done.stderr
    instrument(model.preon, model.path, "--one-in", "3")
    served = serve(folder / "served.onnx")
    for feed in model.feeds():
        served.run(None, feed)
    del served
    assert (folder / "served.calib").read_bytes() == (folder / "third.calib").read_bytes()


def test_recurrent_model_with_state(preon):
    """DTLN's first network: an LSTM whose state goes from run to run."""
    path = data_root.data_root() / "models/dtln_model_1.onnx"
    if not path.exists():
        pytest.skip(f"{path} is not there (./dev data fetches it)")
    inputs = plain(path).get_inputs()
    rng = np.random.default_rng(3)
    frames = [{entry.name: rng.random([dim if isinstance(dim, int) else 1 for dim in entry.shape], np.float32)
               for entry in inputs} for _ in range(8)]
    data = {name: np.concatenate([frame[name] for frame in frames]) for name in frames[0]}
    np.savez(preon.folder / "calib.npz", **data)
    done = preon("calibrate", path, "-o", "calibrate.calib", "--data", "calib.npz")
    assert done.returncode == 0, done.stderr
    instrument(preon, path, "--data", "calib.npz")
    served = serve(preon.folder / "served.onnx")
    for frame in frames:
        served.run(None, frame)
    del served
    assert (preon.folder / "served.calib").read_bytes() == (preon.folder / "calibrate.calib").read_bytes()


def test_keeps_what_surrounds_the_model(preon, model):
    source = onnx.load(preon.folder / model)
    source.doc_string, source.producer_name, source.model_version = "what it is for", "maker", 7
    source.metadata_props.add(key="labels", value="a,b,c,d")
    source.graph.doc_string = "the graph"
    onnx.save(source, preon.folder / model)
    instrument(preon, model)
    served = onnx.load(preon.folder / "served.onnx")
    onnx.checker.check_model(served)
    assert [entry.name for entry in served.graph.input] == ["input"]
    assert [entry.name for entry in served.graph.output] == ["logits"]
    assert served.graph.input[0].type == source.graph.input[0].type
    for field in ("doc_string", "producer_name", "model_version", "ir_version"):
        assert getattr(served, field) == getattr(source, field)
    assert served.graph.doc_string == "the graph"
    assert [(entry.key, entry.value) for entry in served.metadata_props] == [("labels", "a,b,c,d")]


def test_other_verbs_know_it(preon, model, data):
    instrument(preon, model, "--every", "5k")
    summary = json.loads(preon("inspect", "served.onnx", "--json").stdout)
    assert summary["instrumented"]["every"] == 5000
    for verb in ("quantize", "calibrate", "instrument"):
        preon.fails(2, 2013, verb, "served.onnx", "-o", "out", *(["--data", data] if verb != "instrument" else []),
                    says="made by 'preon instrument'")


def test_bad_pattern(preon, model):
    preon.fails(2, 1002, "instrument", model, "-o", "served.onnx", "--calib-out", "a-%d.calib", says="%p")


def test_exclude_decides_what_is_observed(preon, model):
    everything = instrument(preon, model)["observed_tensors"]
    assert instrument(preon, model, "--exclude", "conv_1")["observed_tensors"] < everything


def test_same_bytes_each_time(preon, model):
    instrument(preon, model)
    first = (preon.folder / "served.onnx").read_bytes()
    instrument(preon, model, "--threads", "1")
    assert (preon.folder / "served.onnx").read_bytes() == first

"""adaround, adaquant and gptq on real models: ONNX Runtime judges on samples that they have not seen."""
import json

import numpy as np
import pytest

onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime judges, and is not installed")

FEW_BITS = ["--activation", "float16", "--weight", "int4", "--weight-form", "packed", "--weight-method", "minmse"]


def images(shared, first, count):
    """Of CIFAR-10's binary form, as ResNet20 reads them."""
    raw = np.fromfile(shared("images/cifar10_test_jpegq75_dev2000.bin"), np.uint8).reshape(-1, 3073)[first:first + count]
    mean, deviation = np.array([0.485, 0.456, 0.406]), np.array([0.229, 0.224, 0.225])
    pixels = raw[:, 1:].reshape(-1, 3, 32, 32) / 255
    return ((pixels - mean[:, None, None]) / deviation[:, None, None]).astype(np.float32)


def sqnr_db(model, quantized, feeds):
    float_outputs, outputs = (onnxruntime.InferenceSession(path).run(None, feeds)[0].astype(float) for path in (model, quantized))
    return 10 * np.log10((float_outputs ** 2).sum() / ((float_outputs - outputs) ** 2).sum())


@pytest.fixture
def resnet20(shared, tmp_path):
    np.savez(tmp_path / "calib.npz", input=images(shared, 0, 60))
    return shared("models/resnet20_cifar10.onnx")


def quantize(preon, model, output, *options):
    done = preon("quantize", model, "-o", output, "--data", "calib.npz", "--json", *options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.thorough
@pytest.mark.parametrize("algorithm, least_db", [("adaround", 18.5), ("adaquant", 19), ("gptq:target-op-type=Conv,Gemm", 14)])
def test_four_bits_come_much_nearer_to_float(preon, tmp_path, shared, resnet20, algorithm, least_db):
    feeds = {"input": images(shared, 1000, 200)}
    quantize(preon, resnet20, "nearest.onnx", *FEW_BITS, "--effort", "fast")
    told = quantize(preon, resnet20, "better.onnx", *FEW_BITS, "--algorithm", algorithm)
    assert sqnr_db(resnet20, tmp_path / "nearest.onnx", feeds) < 12
    assert sqnr_db(resnet20, tmp_path / "better.onnx", feeds) > least_db
    [improved] = told["improved"]
    assert improved["algorithm"] == algorithm.split(":")[0] and improved["layers_changed"] >= 15
    assert improved["sqnr_db_after"] > improved["sqnr_db_before"] + 3


@pytest.mark.thorough
def test_weights_of_four_bits_get_better_codes_by_default(preon, tmp_path, shared, resnet20):
    feeds = {"input": images(shared, 1000, 200)}
    for output, options in (("nearest.onnx", ["--disable-algorithm", "adaquant"]), ("default.onnx", [])):
        told = quantize(preon, resnet20, output, "--weight", "int4", *options)
    assert told["target"] == "simulate" and told["improved"][0]["layers_changed"] >= 15
    nearest, default = (sqnr_db(resnet20, tmp_path / name, feeds) for name in ("nearest.onnx", "default.onnx"))
    assert default > nearest + 4
    assert [each["algorithm"] for each in quantize(preon, resnet20, "fast.onnx", "--weight", "int4", "--effort", "fast").get("improved", [])] == []


@pytest.mark.thorough
def test_beside_float_activations_too_and_the_figures_are_of_samples_that_no_code_has_seen(preon, tmp_path, shared, resnet20):
    feeds = {"input": images(shared, 1000, 200)}
    narrow = ("--weight", "int4", "--activation", "float16", "--no-bias-correction")  # means of biases have seen all samples
    told = {output: quantize(preon, resnet20, output, *narrow, *options)
            for output, options in (("nearest.onnx", ["--effort", "fast"]), ("default.onnx", []))}
    size = told["default.onnx"]["size_bytes"]
    assert size["quantized"] < 0.2 * size["float"]
    assert "improved" not in told["nearest.onnx"] and told["default.onnx"]["improved"][0]["layers_changed"] >= 15
    assert sqnr_db(resnet20, tmp_path / "default.onnx", feeds) > sqnr_db(resnet20, tmp_path / "nearest.onnx", feeds) + 8
    assert told["default.onnx"]["figures_from"] == told["nearest.onnx"]["figures_from"] == "held_out"
    assert told["default.onnx"]["compare"]["samples"] < 0.4 * told["nearest.onnx"]["compare"]["samples"]


@pytest.mark.thorough
def test_the_same_bytes_for_any_number_of_threads(preon, tmp_path, resnet20):
    for threads in ("1", "2", "3"):
        quantize(preon, resnet20, f"{threads}.onnx", "--algorithm", "adaquant", "--threads", threads, "--samples", "30")
    assert (tmp_path / "1.onnx").read_bytes() == (tmp_path / "2.onnx").read_bytes() == (tmp_path / "3.onnx").read_bytes()


@pytest.mark.thorough
def test_few_samples_at_default_effort(preon, tmp_path, shared):
    """Images that neither calibration nor codes have seen come nearer, and any number of threads gives the same bytes."""
    np.savez(tmp_path / "calib.npz", input=images(shared, 0, 200))
    model, feeds = shared("models/resnet20_cifar10.onnx"), {"input": images(shared, 1000, 300)}
    one_scale = ("--per-tensor", "--method", "minmse", "--always-write")  # there codes win most, on any processor
    quantize(preon, model, "fast.onnx", *one_scale, "--effort", "fast")
    for threads in ("1", "3"):
        told = quantize(preon, model, f"{threads}.onnx", *one_scale, "--threads", threads)
    [improved] = told["improved"]
    assert 12 <= improved["runs"] <= 34 and improved["layers_changed"] > 0 and improved["sqnr_db_after"] > improved["sqnr_db_before"]
    assert (tmp_path / "1.onnx").read_bytes() == (tmp_path / "3.onnx").read_bytes()
    assert sqnr_db(model, tmp_path / "1.onnx", feeds) > sqnr_db(model, tmp_path / "fast.onnx", feeds) - 0.1


@pytest.mark.thorough
def test_biases_stay_where_they_are_told_to(preon, tmp_path, resnet20):
    told = quantize(preon, resnet20, "o.onnx", *FEW_BITS, "--algorithm", "adaround:update-bias=false,data-size=30")
    free = quantize(preon, resnet20, "o.onnx", *FEW_BITS, "--algorithm", "adaround:data-size=30")
    assert told["improved"][0]["runs"] == 24  # of 30: a fifth is kept for the figures
    assert told["improved"][0]["sqnr_db_after"] != free["improved"][0]["sqnr_db_after"]


def test_without_samples_they_say_what_they_need(preon, resnet20):
    assert preon("calibrate", resnet20, "-o", "r.calib", "--data", "calib.npz").returncode == 0
    preon.fails(2, 1003, "quantize", resnet20, "-o", "o.onnx", "--calib", "r.calib", "--algorithm", "adaround", says="needs --data")


@pytest.mark.thorough
def test_products_of_a_transformer(preon, tmp_path, shared):
    rows = np.load(shared("text/sst2_dev_ids_mask_label.npy")).astype(np.int64)
    arrays = {"input_ids": rows[:, :64], "attention_mask": rows[:, 64:128]}
    np.savez(tmp_path / "calib.npz", **{name: array[:60] for name, array in arrays.items()})
    model = shared("models/sst2_transformer.onnx")
    feeds = {name: array[300:500] for name, array in arrays.items()}
    bits = ["--activation", "float16", "--weight", "int4", "--weight-form", "packed"]
    quantize(preon, model, "nearest.onnx", *bits, "--effort", "fast")
    quantize(preon, model, "better.onnx", *bits, "--algorithm", "gptq:descent=true")
    assert sqnr_db(model, tmp_path / "better.onnx", feeds) > sqnr_db(model, tmp_path / "nearest.onnx", feeds) + 1

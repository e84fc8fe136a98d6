"""Every number format in real models: written, loaded by Python's onnxruntime, run, and as close to float as the format allows.

`simulate` needs nothing but the runtime, `quark` the operator library. The table with all samples is docs/formats/comparison.md.
"""
import os
import pathlib

import graph_goldens
import numpy as np
import onnx
import onnxruntime as ort
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("PREON_BUILD") or ROOT / "build") / "lib/libpreon_ops.so"
Level = ort.GraphOptimizationLevel
LEVELS = [Level.ORT_DISABLE_ALL, Level.ORT_ENABLE_EXTENDED, Level.ORT_ENABLE_ALL]
MODELS = ["resnet20_cifar10", "sst2_transformer"]
MASKED = ["/b.*/a/Add", "/b.*/a/Softmax"]  # of sst2_transformer: what has the attention mask in it

# SQNR in dB that a model reaches at least with the type for activations and weights, samples as below; about 3 less than measured.
LEAST_DB = {
    "int4": (4, 12), "uint4": (4, 13), "int8": (24, 34), "uint8": (26, 36), "int16": (75, 85), "uint16": (75, 86), "int32": (110, 110),
    "uint32": (110, 110), "float16": (55, 67), "bfloat16": (36, 46), "float8e4m3fn": (13, 22), "float8e5m2": (6, 16), "bfp16": (27, 36),
    "mx4": (0, 1), "mx6": (8, 19), "mx9": (27, 38), "mxint8": (26, 33), "mxfp4e2m1": (0, 4), "mxfp6e3m2": (6, 13), "mxfp6e2m3": (9, 20),
    "mxfp8e5m2": (6, 13), "mxfp8e4m3": (7, 14)}
# What room for unseen samples costs on those that calibrated: ranges half as wide again, with `simulate` alone (test_headroom.py).
HEADROOM_DB = {name: 20 * np.log10(1.5) for name in ("int16", "uint16")}
ROUNDING_DB = 100  # beyond, float32 arithmetic itself is what differs
BLOCKS = {"bfp16": 8, "mx4": 16, "mx6": 16, "mx9": 16, "mxint8": 32, "mxfp4e2m1": 32, "mxfp6e3m2": 32, "mxfp6e2m3": 32, "mxfp8e5m2": 32,
          "mxfp8e4m3": 32}
FAST = [("resnet20_cifar10", name) for name in ("uint8", "bfloat16", "bfp16", "mxfp4e2m1")] + [("sst2_transformer", "mxint8")]
CROSS = [pytest.param(model, name, marks=() if (model, name) in FAST else pytest.mark.slow) for model in MODELS for name in LEAST_DB]


def sqnr_db(wanted, got):
    noise = np.sum((wanted.astype(np.float64) - got) ** 2)
    return 10 * np.log10(np.sum(wanted.astype(np.float64) ** 2) / noise) if noise else np.inf


def outputs(path, feed, level=Level.ORT_ENABLE_ALL, library=None):
    options = ort.SessionOptions()
    options.graph_optimization_level = level
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    if library:
        options.register_custom_ops_library(str(library))
    return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"]).run(None, feed)[0]


class Written:
    """A model in a type, its values at every optimization, and how they compare with float's."""

    def __init__(self, real, name, target, *options):
        self.path = real.preon.folder / f"{len(real.preon.files())}.onnx"
        weight = () if "--weight" in options else ("--weight", name)
        self.answer = real.json("quantize", real.path, "-o", self.path.name, "--data", "calib.npz", "--activation", name,
                                *weight, "--target", target, "--threads", 1, *options)
        onnx.checker.check_model(onnx.load(self.path), full_check=True)
        self.library = LIBRARY if target == "quark" else None
        wanted = outputs(real.path, real.samples)
        self.values = outputs(self.path, real.samples, library=self.library)
        self.sqnr_db = sqnr_db(wanted, self.values)

    def same_at_any_level(self, real):
        others = [outputs(self.path, real.samples, level, self.library) for level in LEVELS[:2]]
        # Where the runtime sums in another order, or computes with 8-bit codes, what was nearly a tie rounds the other way: noise well
        # below the format's own. Mostly the bits are the same.
        return all(sqnr_db(self.values, other) > min(self.sqnr_db + 5, ROUNDING_DB) for other in others)


@pytest.fixture(autouse=True)
def built():
    if not LIBRARY.exists():
        pytest.skip(f"{LIBRARY} is not built")


@graph_goldens.needs_sums_in_32_bits
@pytest.mark.parametrize("activation, weight, target, least_db", [
    ("int8", "mxint8", "simulate", 23), ("int16", "float16", "simulate", 60), ("uint8", "int32", "simulate", 24),
    ("int8", "float8e4m3fn", "quark", 20), ("uint16", "uint32", "simulate", 70)])
def test_the_runtime_computes_what_mixed_types_say(real_model, activation, weight, target, least_db):
    """Between Q/DQ pairs it would quantize float weights and biases by itself, or fail."""
    real = real_model("resnet20_cifar10")
    written = Written(real, activation, target, "--weight", weight, "--method", "minmax")
    assert written.sqnr_db > least_db
    assert sqnr_db(outputs(written.path, real.samples, Level.ORT_DISABLE_ALL, written.library), written.values) > least_db + 5


@pytest.mark.parametrize("activation, weight", [("int4", "int4"), ("uint4", "int8")])
def test_codes_of_four_bits_around_pools_and_one_channel(real_model, activation, weight):
    """The runtime would run the pools on codes, and convolutions with weights that it quantizes by itself: it has no kernels for either."""
    real = real_model("lenet_mnist")
    written = Written(real, activation, "simulate", "--weight", weight)
    assert sqnr_db(outputs(written.path, real.samples, Level.ORT_DISABLE_ALL, written.library), written.values) > ROUNDING_DB


@pytest.mark.parametrize("target, gain_db", [("simulate", 1), ("quark", 0.3)])
def test_bias_correction_of_blocks(real_model, target, gain_db):
    """Scales that follow a block's largest value cut off what lies beyond the last code, always towards zero; `quark` rounds biases, too."""
    real = real_model("resnet20_cifar10")
    corrected, plain = Written(real, "mxfp8e4m3", target), Written(real, "mxfp8e4m3", target, "--no-bias-correction")
    assert corrected.sqnr_db > plain.sqnr_db + gain_db


@graph_goldens.needs_sums_in_32_bits
@pytest.mark.parametrize("model, name", CROSS)
def test_both_targets_run_and_agree(real_model, model, name):
    real = real_model(model)
    # Between mask and Softmax `quark` has quantizers, too, as Quark; the mask then decides the step of the scores beside it.
    exclude = ["--exclude", *MASKED] if model == "sst2_transformer" else []
    stock, quark = Written(real, name, "simulate"), Written(real, name, "quark", *exclude)
    for written, cost_db in ((stock, HEADROOM_DB.get(name, 0)), (quark, 0)):
        assert written.sqnr_db > LEAST_DB[name][MODELS.index(model)] - cost_db
        assert written.same_at_any_level(real)
        assert written.answer["size_bytes"]["quantized"] == written.path.stat().st_size
    if name in BLOCKS:  # operands of products alone in one, every listed tensor and the biases in the other
        assert stock.sqnr_db > quark.sqnr_db - 0.5
    else:  # biases are quantized in one and floats in the other; with two bits of mantissa that is the larger part
        without = stock.sqnr_db + HEADROOM_DB.get(name, 0)
        assert abs(min(without, ROUNDING_DB) - min(quark.sqnr_db, ROUNDING_DB)) < (7 if name == "float8e5m2" else 3)
    domains = {entry.domain for entry in onnx.load(stock.path).opset_import}
    assert "com.amd.quark" not in domains


@pytest.mark.parametrize("name", [pytest.param(name, marks=() if name == "mxfp4e2m1" else pytest.mark.slow) for name in BLOCKS])
def test_packed_weights_are_the_same_values_in_fewer_bytes(real_model, name):
    real = real_model("resnet20_cifar10")
    folded, packed = Written(real, name, "simulate", "--weight-form", "folded"), Written(real, name, "simulate", "--weight-form", "packed")
    assert sqnr_db(folded.values, packed.values) > folded.sqnr_db + 5
    # 270 thousand weights: codes of 4, 8, 16 bits (what ONNX has that holds them), a float32 scale for a block; nodes take the rest.
    code_bits = {"mx4": 4, "mx9": 16}.get(name, 8)
    saved = 32 - code_bits - 32 / BLOCKS[name]
    share = (folded.path.stat().st_size - packed.path.stat().st_size) / (270e3 * saved / 8)
    assert 0.95 < share < 1.01


@pytest.mark.parametrize("model, target", [pytest.param("resnet20_cifar10", "quark"), pytest.param("resnet20_cifar10", "simulate", marks=pytest.mark.slow),
                                           pytest.param("sst2_transformer", "simulate", marks=pytest.mark.slow)])
def test_finer_types_are_closer_to_float(real_model, model, target):
    real = real_model(model)
    decibels = {name: Written(real, name, target).sqnr_db for name in ("float16", "bfloat16", "bfp16", "mx6", "mx4")}
    ranked = sorted(decibels, key=decibels.get, reverse=True)
    assert ranked == list(decibels), decibels

"""Algorithms that rewrite the float model by what samples tell: statistics are of use to the same rewrite alone."""
import numpy as np
import pytest

HEADROOM = ("--algorithm", "channel-headroom")
NPU = ("--target", "npu-cnn")


@pytest.fixture
def data(preon, model):
    channels = np.array([4, 1, 0.25], np.float32)[:, None, None]
    samples = np.random.default_rng(5).normal(size=(48, 3, 8, 8)).astype(np.float32) * channels
    np.savez(preon.folder / "calib.npz", input=samples)
    return ("--data", "calib.npz")


def written(preon, verb, output, *options):
    done = preon(verb, "model.onnx", "-o", output, *options)
    assert done.returncode == 0, done.stderr
    return (preon.folder / output).read_bytes()


def test_quantize_rewrites_for_npus_by_itself(preon, data):
    assert written(preon, "quantize", "a.onnx", *NPU, *data) != written(preon, "quantize", "b.onnx", *NPU, *data, "--disable-algorithm", "channel-headroom")
    assert written(preon, "quantize", "c.onnx", *data) == written(preon, "quantize", "d.onnx", *data, "--effort", "default")


def test_workers_rewrite_as_one_process(preon, data):
    alone = written(preon, "quantize", "a.onnx", *NPU, *data, "--method", "minmse")
    assert written(preon, "quantize", "a.onnx", *NPU, *data, "--method", "minmse", "--workers", "2") == alone


def test_files_of_statistics_are_of_the_plain_model(preon, data):
    written(preon, "calibrate", "npu.calib", *NPU, *data)
    written(preon, "quantize", "a.onnx", *NPU, "--calib", "npu.calib")
    written(preon, "quantize", "b.onnx", *NPU, "--calib", "npu.calib", *data)


def test_a_rewrite_that_was_asked_for_has_to_come_again(preon, data):
    written(preon, "calibrate", "npu.calib", *NPU, *HEADROOM, *data)
    alone = written(preon, "quantize", "a.onnx", *NPU, *HEADROOM, *data, "--method", "minmse")
    assert written(preon, "quantize", "a.onnx", *NPU, *HEADROOM, *data, "--method", "minmse", "--calib", "npu.calib") == alone
    failed = preon.fails(2, 3013, "quantize", "model.onnx", "-o", "b.onnx", *NPU, *HEADROOM, "--calib", "npu.calib", says="algorithms=channel-headroom@")
    assert "hint: add --data with the samples of that file" in failed.stderr
    np.savez(preon.folder / "other.npz", input=2 * np.load(preon.folder / "calib.npz")["input"][:, ::-1])
    preon.fails(2, 3013, "quantize", "model.onnx", "-o", "b.onnx", *NPU, *HEADROOM, "--calib", "npu.calib", "--data", "other.npz", says="channel-headroom@")


def test_shards_that_were_rewritten_apart_do_not_merge(preon, data):
    parts = [f"{shard}.calib" for shard in (1, 2)]
    for shard, part in enumerate(parts, 1):
        written(preon, "calibrate", part, *NPU, *HEADROOM, *data, "--shard", f"{shard}/2")
    preon.fails(2, 3013, "merge", *parts, "-o", "whole.calib", says="channel-headroom@")


def test_restored_ranges_are_of_the_plain_model(preon, data):
    restored = ("--save-and-restore", "ranges.json")
    first = written(preon, "quantize", "a.onnx", *NPU, *data, "--method", "minmse", *restored, "--effort", "fast")
    assert written(preon, "quantize", "a.onnx", *NPU, "--method", "minmse", *restored, "--effort", "fast") == first
    (preon.folder / "ranges.json").unlink()
    written(preon, "quantize", "a.onnx", *NPU, *data, *HEADROOM, "--method", "minmse", *restored)
    preon.fails(2, 1003, "quantize", "model.onnx", "-o", "b.onnx", *NPU, *HEADROOM, "--method", "minmse", *restored, says="wanted --data SRC")


@pytest.mark.thorough
def test_every_candidate_of_validate_is_made(preon, data):
    done = preon("validate", "model.onnx", *data, *NPU, "--latency", "0")
    assert "method minmse" in done.stdout and "not made" not in done.stdout, done.stdout + done.stderr

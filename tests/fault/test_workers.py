"""Calibration by several processes: the bytes of one, whatever happens to them."""
import json
import os
import signal
import subprocess
import time

import numpy as np
import pytest


def children(pid):
    """Processes that this one has started and that run."""
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True).stdout
    return [int(child) for child in listed.split()]


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_for(condition, seconds=20):
    for _ in range(int(seconds / 0.02)):
        result = condition()
        if result:
            return result
        time.sleep(0.02)
    raise AssertionError("waited in vain")


@pytest.mark.thorough
@pytest.mark.parametrize("options", [[], ["--batch", "3"], ["--exact"], ["--shard", "2/3"], ["--calib-samples", "7"]])
def test_any_number_of_workers_gives_the_bytes_of_one(preon, model, data, tmp_path, options):
    calibrate = ["calibrate", model, "--data", data, *options]
    assert preon(*calibrate, "-o", "whole.calib").returncode == 0
    for workers, threads in [(2, 2), (3, 1), (20, 2)]:
        done = preon(*calibrate, "-o", "out.calib", "--workers", workers, "--threads", threads)
        assert done.returncode == 0, done.stderr
        assert (tmp_path / "out.calib").read_bytes() == (tmp_path / "whole.calib").read_bytes(), (workers, threads)
    assert preon.files() == ["calib.npz", "model.onnx", "out.calib", "whole.calib"]


@pytest.mark.thorough
def test_quantize_gives_the_same_model(preon, model, data, tmp_path):
    for options in [[], ["--method", "minmse"], ["--target", "quark"]]:
        assert preon("quantize", model, "--data", data, "-o", "one.onnx", *options).returncode == 0
        done = preon("quantize", model, "--data", data, "-o", "two.onnx", "--workers", "2", "--json", *options)
        assert done.returncode == 0, done.stderr
        assert (tmp_path / "one.onnx").read_bytes() == (tmp_path / "two.onnx").read_bytes()
        assert json.loads(done.stdout)["samples"] == 16


def test_codes_are_fitted_to_the_same_samples(preon, model, data, tmp_path):
    """Of 24 samples and more some are kept from choices and from what codes are fitted to."""
    np.savez(tmp_path / "many.npz", input=np.random.default_rng(7).normal(size=(40, 3, 8, 8)).astype(np.float32))
    quantize = ["quantize", model, "--data", "many.npz", "--json", "--method", "minmax", "--weight", "int4", "--target", "simulate"]
    one = json.loads(preon(*quantize, "-o", "one.onnx").stdout)
    two = json.loads(preon(*quantize, "-o", "two.onnx", "--workers", 2).stdout)
    assert one["improved"][0]["layers_changed"] > 0
    assert (tmp_path / "one.onnx").read_bytes() == (tmp_path / "two.onnx").read_bytes()
    assert one["figures_from"] == two["figures_from"] == "ranges_have_seen"


def test_memory_is_that_of_all(preon, model, data):
    one, three = (json.loads(preon("calibrate", model, "--data", data, "-o", "a.calib", "--json", "--workers", workers).stdout)
                  for workers in (1, 3))
    assert three["peak_rss_bytes"] > 2 * one["peak_rss_bytes"]


def test_options_reach_the_workers(preon, model, data, tmp_path):
    """By the command line, by a key, by a file."""
    (tmp_path / "c.json").write_text(json.dumps({"exact": True, "extra_options": {"CalibDataSize": 9}, "exclude_types": ["Gemm"]}))
    options = ["calibrate", model, "--config", "c.json", "--option", "UseRandomData=true", "--option",
               "RandomDataReaderNumSamples=12", "--option", 'RandomDataReaderInputDataRange={"input": [-3, 5]}', "--per-tensor"]
    for workers in (1, 2):
        assert preon(*options, "-o", f"{workers}.calib", "--workers", workers).returncode == 0
    assert (tmp_path / "1.calib").read_bytes() == (tmp_path / "2.calib").read_bytes()
    summary = json.loads(preon("inspect", "2.calib", "--json").stdout)
    assert summary["samples"] == 9 and summary["setup"].split()[2] == "exact"
    assert -3 <= summary["tensors"]["input"]["min"] < -2.5 and 4.5 < summary["tensors"]["input"]["max"] < 5


def with_nan(tmp_path, *bad):
    values = np.random.default_rng(3).normal(size=(40, 3, 8, 8)).astype(np.float32)
    for sample in bad:
        values[sample, 0, 0, 0] = np.nan
    np.savez(tmp_path / "bad.npz", input=values)


@pytest.mark.parametrize("bad", [(0,), (1,), (17,), (17, 30), (18, 17), (39,)])
def test_the_error_is_that_of_one_process(preon, model, tmp_path, bad):
    with_nan(tmp_path, *bad)
    calibrate = ["calibrate", model, "-o", "out.calib", "--data", "bad.npz"]
    serial = preon.fails(2, 3006, *calibrate)
    workers = preon.fails(2, 3006, *calibrate, "--workers", "3")
    assert workers.stderr.splitlines()[-1] == serial.stderr.splitlines()[-1]


def long_run(preon, tmp_path, *options):
    (tmp_path / "tmp").mkdir(exist_ok=True)
    process = preon.start("calibrate", "model.onnx", "-o", "out.calib", "--data", "random:100M", "--tmp-dir", "tmp",
                          "--workers", "2", "--json", *options)
    return process, wait_for(lambda: len(children(process.pid)) == 2 and children(process.pid))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted(preon, model, tmp_path, number):
    process, workers = long_run(preon, tmp_path)
    assert any(json.loads(line).get("done", 0) > 0 for line in process.stderr)
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=30)
    assert process.returncode == 130 and json.loads(stdout)["error"]["id"] == "E7900"
    assert "preon: error [E7900] calibrate: interrupted after" in stderr
    assert not any(map(is_running, workers))
    assert "hint: out.calib.partial has the statistics so far" in stderr
    assert {path.name for path in tmp_path.iterdir()} == {"model.onnx", "out.calib.partial.workers", "tmp"}
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.thorough
def test_interrupted_and_resumed_by_one(preon, model, tmp_path):
    """Started without --resume, interrupted, and finished by one process."""
    calibrate = ["calibrate", model, "--data", "random:20000", "-o", "out.calib"]
    assert preon(*calibrate[:-1], "whole.calib").returncode == 0
    process = preon.start(*calibrate, "--workers", "2", "--json")
    assert any(json.loads(line).get("done", 0) > 0 for line in process.stderr)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=30)
    assert process.returncode == 130, stderr
    done = preon(*calibrate, "--resume", timeout=300)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out.calib").read_bytes() == (tmp_path / "whole.calib").read_bytes()
    assert preon.files() == ["model.onnx", "out.calib", "whole.calib"]


def test_killed_parents_take_their_workers_along(preon, model, tmp_path):
    process, workers = long_run(preon, tmp_path)
    process.kill()
    process.communicate(timeout=20)
    wait_for(lambda: not any(map(is_running, workers)), seconds=5)
    assert not (tmp_path / "out.calib").exists()


def test_a_killed_worker_is_named(preon, model, tmp_path):
    process, workers = long_run(preon, tmp_path)
    assert any('"calibrate"' in line for line in process.stderr)  # it has begun
    os.kill(workers[1], signal.SIGKILL)
    stdout, stderr = process.communicate(timeout=30)
    assert process.returncode == 1 and json.loads(stdout)["error"]["id"] == "E7006"
    assert "preon: error [E7006] worker 2 of 2: ended with signal 9 (Killed)" in stderr
    assert not any(map(is_running, workers))
    assert not (tmp_path / "out.calib").exists()
    assert preon("calibrate", model, "-o", "out.calib", "--data", "random:8").returncode == 0  # clears up
    assert preon.files() == ["model.onnx", "out.calib", "tmp"]


@pytest.mark.slow
def test_killed_and_resumed_with_another_number_of_workers(preon, model, tmp_path):
    """Killed again and again at any point, and resumed with more, fewer or no workers: the bytes of an undisturbed run."""
    calibrate = ["calibrate", model, "--data", "random:30000", "--batch", "2", "--resume", "--checkpoint", "0", "-o", "out.calib"]
    assert preon("calibrate", model, "--data", "random:30000", "--batch", "2", "-o", "whole.calib").returncode == 0
    partial, folder = tmp_path / "out.calib.partial", tmp_path / "out.calib.partial.workers"
    left = set()
    for attempt, workers in enumerate((2, 3, 1, 2, 4, 1)):
        process = preon.start(*calibrate, "--workers", workers)
        try:
            process.wait(timeout=1.2 + 0.3 * attempt)
            pytest.skip("the machine is too fast for this test")
        except subprocess.TimeoutExpired:
            process.kill() if attempt % 3 else process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        assert not (tmp_path / "out.calib").exists()
        left |= {path.name for path in (partial, folder) if path.exists()}
    assert left == {partial.name, folder.name}
    done = preon(*calibrate, "--workers", "2", timeout=300)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out.calib").read_bytes() == (tmp_path / "whole.calib").read_bytes()
    assert preon.files() == ["model.onnx", "out.calib", "whole.calib"]

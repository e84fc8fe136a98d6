"""The Python package: plain functions, readers, errors, and configurations in AMD Quark's words."""
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import onnx
import pytest

preon_package = pytest.importorskip("preon", reason="the Python package is not built (nanobind)")


class Reader(preon_package.CalibrationDataReader):
    """Without rewind(), as most scripts write it."""

    def __init__(self, samples):
        self.samples = iter(samples)

    def get_next(self):
        return next(self.samples, None)


def test_quantize_gives_the_command_lines_bytes(preon, model, data, samples, tmp_path):
    assert preon("quantize", model, "-o", "cli.onnx", "--data", data, "--method", "percentile").returncode == 0
    result = preon_package.quantize(tmp_path / model, tmp_path / "py.onnx", data=tmp_path / data, method="percentile", latency=0)
    assert (tmp_path / "py.onnx").read_bytes() == (tmp_path / "cli.onnx").read_bytes()
    assert result.samples == len(samples) and result.verb == "quantize" and "SQNR" in repr(result)
    assert "<pre>" in result._repr_html_()
    preon_package.quantize(str(tmp_path / model), str(tmp_path / "reader.onnx"), reader=Reader(samples), method="percentile", latency=0)
    assert (tmp_path / "reader.onnx").read_bytes() == (tmp_path / "cli.onnx").read_bytes()


def test_models_in_memory(model, samples, tmp_path):
    result = preon_package.quantize(onnx.load(tmp_path / model), reader=Reader(samples), activation="bfloat16")
    onnx.checker.check_model(result.model)
    assert result.target == "simulate" and any(node.op_type == "Cast" for node in result.model.graph.node)


def test_a_reader_that_rewinds_is_read_again(model, samples, tmp_path):
    class Rewinding(Reader):
        rewinds = 0

        def rewind(self):
            Rewinding.rewinds += 1
            self.samples = iter(samples)

    preon_package.quantize(tmp_path / model, tmp_path / "out.onnx", reader=Rewinding(samples), method="minmax", latency=0)
    assert Rewinding.rewinds >= 1


class Broken(Reader):
    def get_next(self):
        raise OSError("the disk is gone")


@pytest.mark.parametrize("call, kind, says", [
    (lambda m, s: preon_package.quantize(m, "o.onnx", reader=Broken([])), OSError, "the disk is gone"),
    (lambda m, s: preon_package.quantize(m, "o.onnx", reader=Reader([[1]])), TypeError, "wanted a dict"),
    (lambda m, s: preon_package.quantize(m, "o.onnx", reader=Reader([{"nope": np.zeros(3, np.float32)}])), preon_package.DataError, "no array for input"),
    (lambda m, s: preon_package.quantize(m, "o.onnx", reader=Reader([])), preon_package.PreonError, r"\[E\d{4}\]"),
    (lambda m, s: preon_package.quantize(m, "o.onnx", data="a.npz", reader=Reader(s)), preon_package.ConfigError, "wanted one"),
    (lambda m, s: preon_package.quantize("gone.onnx", "o.onnx", data="random:2"), FileNotFoundError, "gone.onnx"),
    (lambda m, s: preon_package.quantize(m, "o.onnx", data="gone.npz"), FileNotFoundError, "gone.npz"),
    (lambda m, s: preon_package.quantize(m, "o.onnx", data="random:2", activation="itn8"), ValueError, "did you mean 'int8'"),
    (lambda m, s: preon_package.quantize(m, "o.onnx", data="random:2", colour="red"), preon_package.ConfigError, "colour"),
    (lambda m, s: preon_package.quantize(7, "o.onnx", data="random:2"), TypeError, "onnx.ModelProto"),
])
def test_errors_by_kind(model, samples, tmp_path, monkeypatch, call, kind, says):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(kind, match=says):
        call(model, samples)
    assert not (tmp_path / "o.onnx").exists()


def test_progress_is_told_and_may_raise(model, samples, tmp_path):
    stages = []
    preon_package.calibrate(tmp_path / model, tmp_path / "a.calib", reader=Reader(samples),
                            progress=lambda stage, done, total: stages.append(stage))
    assert "calibrate" in stages
    with pytest.raises(KeyError):
        preon_package.calibrate(tmp_path / model, tmp_path / "b.calib", reader=Reader(samples), progress=lambda *_: {}["x"])
    assert not (tmp_path / "b.calib").exists()


def test_other_threads_run_meanwhile(model, tmp_path):
    counted = []
    stop = threading.Event()

    def count():
        while not stop.is_set():
            counted.append(time.monotonic())
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    preon_package.calibrate(tmp_path / model, tmp_path / "a.calib", data="random:20000")
    stop.set()
    thread.join()
    assert len(counted) > 20


def test_ctrl_c_ends_a_run(model, tmp_path):
    # A shell that starts the tests in the background has them ignore the signal, and Python leaves it at that.
    script = f"""import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); sys.path[:0] = {sys.path!r}; import preon
print("ready", flush=True)
preon.calibrate({str(tmp_path / model)!r}, {str(tmp_path / 'a.calib')!r}, data="random:100G")"""
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    try:
        _, errors = process.communicate(timeout=120)
    finally:
        process.kill()
    assert "KeyboardInterrupt" in errors and not (tmp_path / "a.calib").exists()


HEARS = f"import os, signal, sys, threading, time; signal.signal(signal.SIGINT, signal.default_int_handler); sys.path[:0] = {sys.path!r}; import preon\n"


def test_ctrl_c_ends_a_search_with_the_best_so_far(model, data, tmp_path):
    space = {"method": "percentile", "effort": "fast", "method_options": {"Percentile": {"type": "float", "low": 90, "high": 99.999}}}
    script = HEARS + f"""
def tried(stage, done, total):
    if stage == "search" and done == 3:
        os.kill(os.getpid(), signal.SIGINT)
result = preon.search({model!r}, "best.onnx", {space!r}, data={data!r}, progress=tried, latency=0, trials=100000)
print(result.ended, len(result.trials) >= 3, os.path.exists("best.onnx"))"""
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.stdout == "interrupted True True\n", done.stderr


def test_what_a_signal_handler_raises_ends_a_search(model, data, tmp_path):
    script = HEARS + f"""
def late(*_):
    raise TimeoutError("too late")
signal.signal(signal.SIGUSR1, late)
tried = lambda stage, done, total: os.kill(os.getpid(), signal.SIGUSR1) if stage == "search" and done == 3 else None
preon.search({model!r}, "best.onnx", {{"method": ["minmax", "minmse"], "symmetric": [True, False], "effort": "fast"}}, data={data!r}, progress=tried, latency=0)"""
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert "TimeoutError: too late" in done.stderr


def test_a_child_process_ends_beside_a_run(model, tmp_path):
    """os.fork() copies what this process knows of its runs, but no thread that could end them."""
    script = HEARS + f"""
begun = threading.Event()
def run():
    try:
        preon.calibrate({model!r}, "a.calib", data="random:100G", progress=lambda *_: begun.set())
    except preon.Cancelled:
        pass
threading.Thread(target=run, daemon=True).start()
begun.wait()
start = time.monotonic()
child = os.fork()
if child == 0:
    sys.exit(0)
_, status = os.waitpid(child, 0)
print(status, time.monotonic() - start < 10)"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.stdout == "0 True\n", done.stderr


def test_one_quantizer_in_several_threads(model, samples, tmp_path):
    quantizer = preon_package.ModelQuantizer(preon_package.QConfig(preon_package.QLayerConfig(
        input_tensors=preon_package.UInt8Spec(), weight=preon_package.Int8Spec())))
    calls = [threading.Thread(target=quantizer.quantize_model, args=(tmp_path / model, tmp_path / f"{i}.onnx", Reader(samples)))
             for i in range(3)]
    for call in calls:
        call.start()
    for call in calls:
        call.join()
    assert len({(tmp_path / f"{i}.onnx").read_bytes() for i in range(3)}) == 1

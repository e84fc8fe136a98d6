"""--provider: where models are computed; what is not there is named. Runs on a device where there is one."""
import json

import numpy as np
import pytest

WITHOUT = ("this ONNX Runtime has no CUDAExecutionProvider; it has ", "libonnxruntime_providers_cuda.so", "CUDA failure")


@pytest.fixture
def device(preon, model, data):
    """Skips where there is none, and says what is missing."""
    done = preon("run", model, "--data", data, "--provider", "cuda")
    if done.returncode != 0:
        pytest.skip(f"no CUDA device: {done.stderr.strip()}")


def test_what_is_missing_is_named(preon, model, data):
    done = preon("run", model, "--data", data, "--provider", "cuda:999")
    assert done.returncode == 2 and "[E6005] --provider: cuda:999: " in done.stderr


@pytest.mark.parametrize("value", ["gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:5000", ""])
def test_what_is_no_provider(preon, model, data, value):
    preon.fails(2, 1002, "run", model, "--data", data, "--provider", value, says="wanted cpu, cuda or cuda:N")


def test_the_cpu_is_the_default(preon, model, data):
    written = []
    for options in ([], ["--provider", "cpu"]):
        assert preon("calibrate", model, "-o", "m.calib", "--data", data, *options).returncode == 0
        written.append((preon.folder / "m.calib").read_bytes())
    assert written[0] == written[1]


def test_a_wish_falls_back_to_the_cpu(preon, model, data):
    done = preon("quantize", model, "-o", "q.onnx", "--data", data, "--target", "quark", "--method", "minmax",
                 "--option", 'ExecutionProviders=["CUDAExecutionProvider", "CPUExecutionProvider"]', "--json")
    assert done.returncode == 0, done.stderr
    warned = [warning for warning in json.loads(done.stdout)["warnings"] if warning.startswith("ExecutionProviders: ")]
    there = preon("run", model, "--data", data, "--provider", "cuda").returncode == 0
    assert len(warned) == (0 if there else 1)
    assert all(any(reason in warning for reason in WITHOUT) and "; models run on the CPU (" in warning for warning in warned)


def test_the_first_provider_counts(preon, model, data):
    for options in (["--option", 'ExecutionProviders=["CPUExecutionProvider", "CUDAExecutionProvider"]'],
                    ["--provider", "cpu", "--option", 'ExecutionProviders=["CUDAExecutionProvider"]'],
                    ["--option", 'ExecutionProviders=["CUDAExecutionProvider"]', "--provider", "cpu"]):
        done = preon("quantize", model, "-o", "q.onnx", "--data", data, "--target", "quark", "--method", "minmax", *options, "--json")
        assert done.returncode == 0 and "ExecutionProviders" not in " ".join(json.loads(done.stdout)["warnings"]), done.stdout


def test_a_device_that_was_asked_for_is_no_wish(preon, model, data):
    done = preon("quantize", model, "-o", "q.onnx", "--data", data, "--target", "quark", "--method", "minmax", "--provider", "cuda:999",
                 "--option", 'ExecutionProviders=["CUDAExecutionProvider"]')
    assert done.returncode == 2 and "[E6005]" in done.stderr


def test_ranges_of_a_device(preon, model, data, device):
    ranges = {}
    for provider in ("cpu", "cuda"):
        assert preon("calibrate", model, "-o", f"{provider}.calib", "--data", data, "--provider", provider).returncode == 0
        done = preon("ranges", f"{provider}.calib", "--method", "minmax", "--json")
        ranges[provider] = json.loads(done.stdout)["tensors"]
    assert ranges["cpu"].keys() == ranges["cuda"].keys()
    for name, cpu in ranges["cpu"].items():
        gpu = ranges["cuda"][name]
        np.testing.assert_allclose([gpu["min"], gpu["max"]], [cpu["min"], cpu["max"]], rtol=1e-4, atol=1e-5 * (cpu["max"] - cpu["min"]))

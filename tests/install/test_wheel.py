"""`pip install .` in a clean virtual environment: what the wheel holds, and that the package's tests pass with it.

PREON_WHEEL names a wheel to test instead of building one.
"""
import os
import pathlib
import re
import subprocess
import sys
import zipfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST_BYTES = 25_000_000
MOST_SECONDS = 0.3
pytestmark = pytest.mark.slow


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    if os.environ.get("PREON_WHEEL"):
        return pathlib.Path(os.environ["PREON_WHEEL"])
    folder = tmp_path_factory.mktemp("wheel")
    before = sorted(ROOT.iterdir())
    # Two at once, as a build farm may: neither touches the sources or the other.
    builds = [subprocess.Popen([sys.executable, "-m", "pip", "wheel", "--no-deps", "-w", folder / name, ROOT],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for name in ("one", "other")]
    for build in builds:
        said = build.communicate()[0]
        assert build.returncode == 0, said[-4000:]
    assert sorted(ROOT.iterdir()) == before
    return next((folder / "one").glob("preon-*.whl"))


@pytest.fixture(scope="module")
def python(wheel, tmp_path_factory):
    """The interpreter of an environment with nothing but the wheel, what it asks for, and pytest."""
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", folder)
    run(folder / "bin/pip", "install", f"{wheel}[test]")
    return folder / "bin/python"


@pytest.fixture(scope="module")
def unpacked(wheel, tmp_path_factory):
    folder = tmp_path_factory.mktemp("unpacked")
    zipfile.ZipFile(wheel).extractall(folder)
    return folder


def environment():
    """Nothing of the build: neither its libraries nor its package."""
    return {name: value for name, value in os.environ.items() if name not in ("LD_LIBRARY_PATH", "PYTHONPATH")}


def test_size(wheel):
    assert wheel.stat().st_size <= MOST_BYTES


def test_libraries_find_each_other_wherever_they_land(unpacked):
    binaries = [*unpacked.rglob("*.so*"), unpacked / "preon/bin/preon"]
    assert len(binaries) > 5
    for binary in binaries:
        path = re.search(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", run("readelf", "-d", binary))
        assert path is None or all(each.startswith("$ORIGIN") for each in path[1].split(":")), binary


def test_nothing_of_this_machine_is_inside(unpacked):
    holds = [file for file in unpacked.rglob("*") if file.is_file() and str(ROOT).encode() + b"/" in file.read_bytes()]
    assert holds == []
    assert not [file for file in unpacked.rglob("*") if file.suffix in (".a", ".h", ".cmake")]


def test_import_is_quick(python, tmp_path):
    code = "import time; start = time.perf_counter(); import preon; print(time.perf_counter() - start)"
    assert min(float(run(python, "-c", code, cwd=tmp_path, env=environment())) for _ in range(5)) <= MOST_SECONDS


def test_the_command_line_comes_with_it(python, tmp_path):
    assert "preon" in run(python.parent / "preon", "doctor", cwd=tmp_path, env=environment())
    assert "quantize" in run(python, "-m", "preon", "--help", cwd=tmp_path, env=environment())


def test_its_tests_pass(python, tmp_path):
    said = run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow", "--rootdir", ROOT, "-c", ROOT / "pyproject.toml", ROOT / "tests/python",
               cwd=tmp_path, env={**environment(), "PREON_INSTALLED": "1"})
    assert re.search(r"\d\d\d passed", said), said


def test_beside_another_onnx_runtime(python, tmp_path):
    """In one process, in both orders: users look at results with a runtime of their own."""
    run(python, "-m", "pip", "install", "onnxruntime")
    code = """
import {}, {}
import numpy as np, onnx
from onnx import TensorProto, helper, numpy_helper
weight = numpy_helper.from_array(np.ones((8, 4), np.float32), "w")
graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"], name="m")], "g",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 8])], [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", 4])], [weight])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
preon.quantize(model, data="random:4", workers=2, latency=0)  # a program beside the library
result = preon.quantize(model, data="random:4", activation="bfp16", target="quark")
options = onnxruntime.SessionOptions()
options.register_custom_ops_library(preon.get_library_path())
session = onnxruntime.InferenceSession(result.model.SerializeToString(), options)
print(session.run(None, {{"x": np.ones((1, 8), np.float32)}})[0])
"""
    for first, second in (("preon", "onnxruntime"), ("onnxruntime", "preon")):
        assert "8. 8. 8. 8." in run(python, "-c", code.format(first, second), cwd=tmp_path, env=environment())

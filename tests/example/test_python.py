"""examples/python/*.py run as they stand, and say what their page shows."""
import os
import pathlib
import re
import subprocess
import sys

import data_root
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = pathlib.Path(os.environ.get("PREON_BUILD") or ROOT / "build") / "python"
#: example -> what it reads, below the folder of `./dev data`; what its output has to have.
EXAMPLES = {
    "glyphs": ([], ["INT8", "quantizers of blocks"]),
    "from_quark": ([], ["quark percentile", "fast", "adaround"]),
    "from_onnxruntime": ([], ["theirs", "ours"]),
    "cnn": (["models/efficientnet_lite0.onnx", "images/imagenet224"], ["same class for"]),
    "bert": (["models/minilm_l6.onnx", "text/minilm_vocab.txt", "text/minilm_sst2_calib.npz"], ["cat and kitten"]),
    "yolo": (["models/yolov8n_320.onnx", "images/coco_mappable"], ["int8.onnx", "class 1"]),
    "audio": (["models/dtln_model_2.onnx", "audio/dns3/0072_noisy.wav"], ["float", "INT8"]),
}
SLOW = ("bert", "yolo")


def data_with(files):
    """The folder that has them all; skips without."""
    for folder in (data_root.data_root(), data_root.cache_root() / "data"):
        if all((folder / file).exists() for file in files):
            return folder
    pytest.skip(f"{files[0]} is not there (./dev data fetches it)")


@pytest.mark.thorough
@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in EXAMPLES])
def test_notebook_as_a_file(tmp_path, name):
    if not any((PACKAGE / "preon").glob("_preon*.so")):
        pytest.skip("the Python package is not built (nanobind)")
    for module in re.findall(r"^(?:import|from) (onnxruntime|PIL)", (ROOT / f"examples/python/{name}.py").read_text(), re.MULTILINE):
        pytest.importorskip(module)
    files, says = EXAMPLES[name]
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE), "TMPDIR": str(tmp_path), "PREON_DATA": str(data_with(files))}
    done = subprocess.run([sys.executable, ROOT / f"examples/python/{name}.py"], cwd=tmp_path, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert all(part in done.stdout for part in says), done.stdout


def test_every_example_is_run_and_listed():
    names = {path.stem for path in (ROOT / "examples/python").glob("*.py")}
    assert names == set(EXAMPLES)
    page = (ROOT / "examples/python/README.md").read_text()
    assert all(f"({name}.py)" in page for name in names)

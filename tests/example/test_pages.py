"""The commands and files that README, the guide and the other pages show run as they stand there."""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import data_root
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PREON_BUILD") or ROOT / "build")
PAGES = ["README.md", *(f"docs/{name}.md" for name in ("analyze", "compat", "guide", "instrument", "json", "operator-library", "python", "resources")),
         "docs/formats/README.md"]
#: Blocks that another test runs, by a line in them.
ELSEWHERE = {
    "./dev quickstart": "tests/example/test_glyphs.py",
    "find_package(preon": "tests/install/test_install.py",
    "pip install .": "tests/install/test_wheel.py",
    "Ort::Session session": "tests/fault/test_serving.py (the same calls in Python)",
    "using var session": "tests/fault/test_serving.py (the same calls in Python)",
    "InferenceSession(": "tests/differential/test_instrument.py and test_operator_library.py",
    "ModelQuantizer(config)": "tests/python/test_functions.py",
    '"config_sha256"': "tests/error/test_resources.py",
    '"error":{': "tests/tooling/test_command_line.py",
}
#: Words of a page -> what stands for them here.
STANDS_FOR = {"build/bin/preon": "preon", "mobilenetv2_1.0.onnx": "model.onnx", "mobilenetv2.onnx": "model.onnx", "…": "",
              "/var/lib/calib/*.calib": "served-1.calib served-2.calib"}


def blocks(page):
    return re.findall(r"^```(\w*)\n(.*?)^```", (ROOT / page).read_text(), re.M | re.S)


def commands(block):
    """The command lines of a block: those behind "$ ", or else all of them."""
    lines = re.sub(r"\\\n\s*", " ", block).splitlines()
    shown = [line[2:] for line in lines if line.startswith("$ ")] or lines
    return [line for line in shown if re.match(r"(build/bin/)?preon ", line)]


def network(path):
    """Small, with the names that the pages use."""
    dice = np.random.default_rng(0)
    weights = {"w0": dice.normal(size=(32, 3, 3, 3)) / 5, "w1": dice.normal(size=(32, 32, 3, 3)) / 12, "w2": dice.normal(size=(32, 64)) / 4,
               "w3": dice.normal(size=(64, 10)) / 8}
    make = helper.make_node
    nodes = [make("Conv", ["input", "w0"], ["a"], name="/stem/conv", pads=[1] * 4), make("Relu", ["a"], ["b"], name="relu_0"),
             make("Conv", ["b", "w1"], ["c"], name="conv_1", pads=[1] * 4), make("Relu", ["c"], ["d"], name="relu_1"),
             make("GlobalAveragePool", ["d"], ["e"], name="pool"), make("Flatten", ["e"], ["f"], name="flatten"),
             make("MatMul", ["f", "w2"], ["g"], name="fc"), make("Relu", ["g"], ["h"], name="relu_2"),
             make("MatMul", ["h", "w3"], ["logits"], name="/head/fc")]
    info = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "g", [info("input", TensorProto.FLOAT, ["N", 3, 32, 32])], [info("logits", TensorProto.FLOAT, ["N", 10])],
                              [numpy_helper.from_array(value.astype(np.float32), name) for name, value in weights.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), path)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """What the pages take for granted: a model, samples in every form, a result, a voice detector."""
    folder = tmp_path_factory.mktemp("pages")
    network(folder / "model.onnx")
    dice = np.random.default_rng(1)
    for name in ("calib", "samples", "test", "eval", "heldout"):
        np.savez(folder / f"{name}.npz", input=dice.normal(size=(32, 3, 32, 32)).astype(np.float32))
    (folder / "samples").mkdir()
    shutil.copy(folder / "calib.npz", folder / "samples")
    for group in ("dark", "contrast"):
        (folder / "photos" / group).mkdir(parents=True)
        for index in range(16):
            pixels = dice.integers(0, 100 if group == "dark" else 256, (40, 40, 3), np.uint8)
            Image.fromarray(pixels).save(folder / "photos" / group / f"{index:04}.png")
    (folder / "result.json").write_text(json.dumps({"schema": 2, "verb": "compare", "outputs": {"logits": {"sqnr_db": 30.5}}}))
    np.save(folder / "zeros.npy", np.zeros((2, 1, 128), np.float32)), np.save(folder / "rate.npy", np.array(16000))
    data = data_root.data_root()
    if (data / "models/silero_vad_op18_ifless.onnx").exists() and (data / "audio/vad/en_num.wav").exists():
        (folder / "silero_vad.onnx").symlink_to(data / "models/silero_vad_op18_ifless.onnx")
        (folder / "speech").mkdir()
        (folder / "speech/en_num.wav").symlink_to(data / "audio/vad/en_num.wav")
    return folder


def prepared(preon, files, page):
    """A folder of its own with those files, and what the page's commands read that commands of other pages write."""
    for path in files.iterdir():
        (preon.folder / path.name).symlink_to(path)
    if page in ("docs/analyze.md", "docs/instrument.md"):
        for name, photos in {"dark": "photos/dark", "contrast": "photos/contrast", "served": "photos/dark", "calib": "photos", "model": "photos"}.items():
            done = preon("calibrate", "model.onnx", "-o", f"{name}.calib", "--data", photos, "--preprocess", "imagenet", "--per-sample")
            assert done.returncode == 0, done.stderr
        for part in (1, 2):
            done = preon("calibrate", "model.onnx", "-o", f"served-{part}.calib", "--data", "samples", "--shard", f"{part}/2")
            assert done.returncode == 0, done.stderr


def run(preon, line):
    for word, other in STANDS_FOR.items():
        line = line.replace(word, other)
    words = shlex.split(line.split("|")[0], comments=True)
    if "silero_vad.onnx" in words and not (preon.folder / "silero_vad.onnx").exists():
        return False
    if words[1:2] == ["merge"] and "4.calib" in words:  # the other machines
        for index in (2, 3, 4):
            assert preon("calibrate", "model.onnx", "-o", f"{index}.calib", "--data", "samples", "--shard", f"{index}/4").returncode == 0
    done = preon(*words[1:])
    assert done.returncode in (0, 5), (line, done.stderr)
    return True


def test_every_block_is_run_or_known():
    for page in PAGES:
        for kind, block in blocks(page):
            known = kind in ("json", "yaml", "python") or commands(block) or any(line in block for line in ELSEWHERE)
            assert known, f"{page}: no test runs this block:\n{block}"
    text = "".join(block for page in PAGES for _, block in blocks(page))
    assert [line for line in ELSEWHERE if line not in text] == []


@pytest.mark.thorough
@pytest.mark.parametrize("page", [page for page in PAGES if any(commands(block) for _, block in blocks(page))])
def test_commands_of_a_page(preon, files, page):
    prepared(preon, files, page)
    left_out = [line for _, block in blocks(page) for line in commands(block) if not run(preon, line)]
    if left_out:
        pytest.skip(f"all but '{left_out[0]}' passed: it needs models/silero_vad_op18_ifless.onnx and audio/vad in PREON_DATA")


@pytest.mark.parametrize("kind, index", [("json", 0), ("yaml", 0), ("json", 1)])
def test_configurations_of_the_guide(preon, files, kind, index):
    prepared(preon, files, "docs/guide.md")
    block = [block for each, block in blocks("docs/guide.md") if each == kind][index]
    (preon.folder / f"settings.{kind}").write_text(block)
    done = preon("quantize", "model.onnx", "-o", "q.onnx", "--data", "calib.npz", "--config", f"settings.{kind}", "--json")
    assert done.returncode == 0, done.stderr
    if "overrides" in block:
        assert set(json.loads(block)["overrides"]) <= {"input", "w1", "logits"}


@pytest.mark.thorough
def test_the_first_python_block(preon, files):
    if not any((BUILD / "python/preon").glob("_preon*.so")):
        pytest.skip("the Python package is not built (nanobind)")
    prepared(preon, files, "docs/python.md")
    block = next(block for kind, block in blocks("docs/python.md") if kind == "python" and "arrays" in block)
    before = "import numpy, onnx\nmodel_proto, arrays = onnx.load('model.onnx'), dict(numpy.load('calib.npz'))\n"
    done = subprocess.run([sys.executable, "-c", before + block], cwd=preon.folder, capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(BUILD / "python")})
    assert done.returncode == 0, done.stderr

"""What the Python tests share: the binary under test and a tiny model with samples."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys

import data_root
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parent.parent
BINARY = pathlib.Path(os.environ.get("PREON_BIN") or ROOT / "build/bin/preon").resolve()
if not os.environ.get("PREON_INSTALLED"):  # the build's Python package, else the one that is installed
    sys.path.insert(0, str(pathlib.Path(os.environ.get("PREON_BUILD") or ROOT / "build") / "python"))


def hear_signals():
    """Tests may have been started in the background, where a shell has signals ignored."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)


class Preon:
    """Runs the binary in a folder of its own and knows what a well-behaved failure looks like."""

    def __init__(self, folder):
        self.folder = folder
        self.binary = BINARY
        self.started = []

    def command(self, arguments, measured):
        """Latency is measured where a test asks for it: it takes most of the time of a small model's run."""
        arguments = [str(argument) for argument in arguments]
        silent = arguments[:1] in (["quantize"], ["compare"]) and not measured and "--latency" not in arguments
        return [BINARY, *arguments[:1], *(["--latency", "0"] if silent else []), *arguments[1:]]

    def start(self, *arguments, measured=False, **options):
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "preexec_fn": hear_signals, **options}
        self.started.append(subprocess.Popen(self.command(arguments, measured), cwd=self.folder, text=True, **options))
        return self.started[-1]

    def __call__(self, *arguments, measured=False, **options):
        return subprocess.run(self.command(arguments, measured), cwd=self.folder, capture_output=True, text=True,
                              timeout=options.pop("timeout", 120), **options)

    def fails(self, status, number, *arguments, says="", **options):
        """One clear line on stderr, nothing on stdout (with --json the same as an object), nothing new in the folder."""
        before = self.files()
        done = self(*arguments, **options)
        assert done.returncode == status, (done.returncode, done.stderr)
        if "--json" in arguments:
            assert json.loads(done.stdout)["error"]["id"] == f"E{number}"
        else:
            assert done.stdout == ""
        check_complaint(done.stderr, number, says)
        assert self.files() == before
        return done

    def files(self):
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*"))


def check_complaint(stderr, number, says=""):
    lines = [line for line in stderr.splitlines() if line.startswith("preon: error")]
    assert len(lines) == 1, stderr
    assert re.match(rf"preon: error \[E{number}\] \S", lines[0]), stderr
    assert not lines[0].endswith("."), lines[0]
    assert says in lines[0], lines[0]


@pytest.fixture
def preon(tmp_path):
    if not BINARY.exists():
        pytest.skip(f"{BINARY} is not built")
    tested = Preon(tmp_path)
    yield tested
    for process in tested.started:  # a test that failed must not leave any behind
        process.terminate()


def conv_model():
    """input [N,3,8,8] -> Conv, Relu, GlobalAveragePool, Flatten, Gemm -> logits [N,4]; the weights are always the same."""
    rng = np.random.default_rng(1)
    weights = {"w1": rng.normal(size=(8, 3, 3, 3)), "b1": rng.normal(size=8), "w2": rng.normal(size=(4, 8)), "b2": rng.normal(size=4)}
    nodes = [
        helper.make_node("Conv", ["input", "w1", "b1"], ["c1"], name="conv_1", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c1"], ["r1"], name="relu_1"),
        helper.make_node("GlobalAveragePool", ["r1"], ["p1"], name="pool_1"),
        helper.make_node("Flatten", ["p1"], ["f1"], name="flatten_1"),
        helper.make_node("Gemm", ["f1", "w2", "b2"], ["logits"], name="gemm_1", transB=1),
    ]
    graph = helper.make_graph(
        nodes, "tiny", [helper.make_tensor_value_info("input", TensorProto.FLOAT, ["N", 3, 8, 8])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["N", 4])],
        [numpy_helper.from_array(value.astype(np.float32), name) for name, value in weights.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def samples(count=16, shape=(3, 8, 8)):
    return np.random.default_rng(2).normal(size=(count, *shape)).astype(np.float32)


@pytest.fixture
def model(tmp_path):
    onnx.save(conv_model(), tmp_path / "model.onnx")
    return "model.onnx"


@pytest.fixture
def data(tmp_path):
    np.savez(tmp_path / "calib.npz", input=samples())
    return "calib.npz"


#: Their runs take seconds; other parameters of the same test are enough for `./dev test`.
LARGE_MODELS = ("mobilenetv2", "yolox", "resnet50", "super_resolution", "ppocr", "vit_", "minilm", "efficientnet", "gtcrn", "ultraface", "sst2", "chargpt")


def pytest_collection_modifyitems(items):
    for item in items:
        parameters = item.callspec.id if hasattr(item, "callspec") else ""
        if any(model in parameters for model in LARGE_MODELS):
            item.add_marker(pytest.mark.thorough)


def pytest_report_header():
    folder = data_root.data_root()
    if not folder.is_dir():
        return f"no models and data at {folder}: tests that need them are skipped; ./dev data fetches some"
    return f"models and data: {folder}" + (", where some models stand in for others" if data_root.is_fetched(folder) else "")


def pytest_terminal_summary(terminalreporter):
    """What tests counted (record_property "summary") in the runner's closing lines."""
    for report in terminalreporter.getreports("passed") + terminalreporter.getreports("failed"):
        for name, value in report.user_properties:
            if name == "summary":
                terminalreporter.write_line(value)

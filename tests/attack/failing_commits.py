"""Commits of outputs of which a call fails or is the last: what is written, old and new, and how the calls are counted."""
import os
import pathlib
import shutil
import subprocess

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

FAIL_CALL = pathlib.Path(__file__).resolve().parents[1] / "fault/fail_call.c"
ANY = ["--pass", "fold_constants"]  # a pass that finds nothing to do in such a model


def big_model(value):
    """x -> MatMul -> y; its weight is large enough for external data."""
    weight = numpy_helper.from_array(np.full((64, 64), value, np.float32), "w")
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("MatMul", ["x", "w"], ["y"], name="m")], "big",
        [onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, ["N", 64])],
        [onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, ["N", 64])], [weight])
    return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    if shutil.which("cc") is None:
        pytest.skip("needs a C compiler")
    path = tmp_path_factory.mktemp("fail") / "fail_call.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", path, FAIL_CALL, "-ldl"], check=True)
    return path


@pytest.fixture
def failing(preon, library, tmp_path_factory):
    """Runs preon so that a call that concerns a folder fails, or is the last; call() lists them."""
    if "asan" in str(preon.binary):
        pytest.skip("sanitizers want to be the first library")

    def run(folder, arguments, at=0, number=0, reads=False):
        log = tmp_path_factory.mktemp("log") / "calls"
        log.write_text("")
        run.done = preon(*arguments, env={**os.environ, "LD_PRELOAD": str(library), "FAIL_FOLDER": str(folder),
                                          "FAIL_LOG": str(log), "FAIL_AT": str(at), "FAIL_ERRNO": str(number),
                                          **({"FAIL_READS": "1"} if reads else {})})
        return log.read_text().split()

    return run


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


VERBS = {
    "model": ["passes", "in.onnx", "-o", "o/out.onnx", *ANY],
    "external data": ["passes", "in.onnx", "-o", "o/out.onnx", *ANY, "--external-data"],
    "statistics": ["merge", "a.calib", "b.calib", "-o", "o/out.onnx"],
    "page": ["analyze", "a.calib", "--html", "o/out.onnx"],
    "quantize": ["quantize", "in.onnx", "--data", "random:2", "--external-data", "--report", "o/report.json", "-o", "o/out.onnx"],
}
#: Those of the slow tests: with what a calibration keeps while it runs.
MORE_VERBS = {
    **VERBS,
    "calibrate": ["calibrate", "in.onnx", "--data", "random:4", "--checkpoint", "0", "-o", "o/out.onnx"],
    "workers": ["calibrate", "in.onnx", "--data", "random:4", "--checkpoint", "0", "--workers", "2", "-o", "o/out.onnx"],
    "instrument": ["instrument", "in.onnx", "-o", "o/out.onnx"],
}


class Commit:
    """One output, old and new: `o` holds the old one, and in the end the new one and nothing else."""

    def __init__(self, preon, failing, verb, reads=False):
        self.preon, self.failing, self.arguments, self.root = preon, failing, MORE_VERBS[verb], preon.folder
        self.reads = reads
        self.folder = self.root / "o"
        self.folder.mkdir()
        onnx.save(big_model(1), self.root / "in.onnx")
        onnx.save(big_model(2), self.root / "old.onnx")
        if "a.calib" in self.arguments:
            for part, index in ("a", 1), ("b", 2):
                assert preon("calibrate", "in.onnx", "--data", "random:4", "--shard", f"{index}/2", "-o", f"{part}.calib").returncode == 0
        self.inputs = {name: data for name, data in contents(self.root).items() if not name.startswith("o/")}
        assert preon(*self.arguments).returncode == 0
        self.new = contents(self.folder)
        shutil.rmtree(self.folder)
        self.folder.mkdir()
        beside = ["--external-data"] if "--external-data" in self.arguments or verb == "model" else []
        assert preon("passes", "old.onnx", "-o", "o/out.onnx", *ANY, *beside).returncode == 0
        self.old = contents(self.folder)
        self.calls = failing(self.folder, self.arguments, reads=reads)
        assert self.same_outputs(self.new)

    def same_outputs(self, wanted):
        """The report tells times."""
        now = contents(self.folder)
        return now.keys() == wanted.keys() and all(now[name] == wanted[name] for name in wanted if name != "report.json")

    def restore(self):
        shutil.rmtree(self.folder)
        self.folder.mkdir()
        for name, data in self.old.items():
            (self.folder / name).write_bytes(data)

    def run(self, at, number):
        self.restore()
        self.failing(self.folder, self.arguments, at, number, self.reads)
        assert {name: data for name, data in contents(self.root).items() if not name.startswith("o/")} == self.inputs
        return self.failing.done

    def check_whole(self):
        """The output is old or new, and what it names is there."""
        now = contents(self.folder)
        state = self.old if now["out.onnx"] == self.old["out.onnx"] else self.new
        for name, data in state.items():
            if name != "report.json":
                assert now[name] == data, name
        return state, now

    def check_next_run(self, unsure=frozenset()):
        assert self.preon(*self.arguments).returncode == 0
        self.check_whole()
        assert self.new.keys() <= contents(self.folder).keys() <= self.new.keys() | unsure

"""100 kills at any moment of runs onto an output that is there: it is the old one or the new one, whole, and the next run clears up.

A failure names the seed; PREON_ATTACK_SEED moves all. Kills at every call of a commit: tests/fault/test_outputs.py.
"""
import os
import shutil
import signal
import subprocess
import time

import numpy as np
import onnx
import pytest
from failing_commits import big_model, contents

FIRST_SEED = int(os.environ.get("PREON_ATTACK_SEED", "0"))
SOURCE = ["--data", "random:3000", "--threads", "2", "--tmp-dir", "tmp"]
#: The output is o/out; what else a run writes lies beside it, what it needs for a while in tmp.
RUNS = {
    "calibrate": ["calibrate", "in.onnx", *SOURCE, "-o", "o/out"],
    "resumed": ["calibrate", "in.onnx", *SOURCE, "--checkpoint", "0", "--resume", "-o", "o/out"],
    "workers": ["calibrate", "in.onnx", *SOURCE, "--workers", "2", "-o", "o/out"],
    "resumed workers": ["calibrate", "in.onnx", *SOURCE, "--workers", "2", "--checkpoint", "0", "--resume", "-o", "o/out"],
    "quantize": ["quantize", "in.onnx", *SOURCE, "--method", "minmax", "-o", "o/out"],
    "external data": ["quantize", "in.onnx", *SOURCE, "--external-data", "--report", "o/report.json", "-o", "o/out"],
    "quantize with workers": ["quantize", "in.onnx", *SOURCE, "--workers", "2", "--external-data", "-o", "o/out"],
    "passes": ["passes", "in.onnx", "--pass", "fold_constants", "--external-data", "-o", "o/out"],
    "merge": ["merge", "a.calib", "b.calib", "-o", "o/out"],
}
TIMES = {"o/report.json"}  # files that tell times


def children(pid):
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False).stdout
    return [int(child) for child in listed.split()]


class Target:
    """A folder with an old output, what a whole run makes of it, and how long that takes."""

    def __init__(self, preon, name):
        self.preon, self.arguments, self.folder = preon, RUNS[name], preon.folder
        onnx.save(big_model(1), self.folder / "in.onnx")
        onnx.save(big_model(2), self.folder / "old.onnx")
        if name == "merge":
            for part, index in ("a", 1), ("b", 2):
                assert preon("calibrate", "in.onnx", "--data", "random:20", "--shard", f"{index}/2", "-o",
                             f"{part}.calib").returncode == 0
        for folder in "o", "tmp":
            (self.folder / folder).mkdir()
        self.before = contents(self.folder)
        begin = time.monotonic()
        assert preon(*self.arguments).returncode == 0
        self.seconds = time.monotonic() - begin
        self.new = contents(self.folder)
        shutil.rmtree(self.folder / "o")
        (self.folder / "o").mkdir()
        # An older output of the same kind.
        older = [["calibrate", "old.onnx", "--data", "random:5", "-o", "o/out"],
                 ["passes", "old.onnx", "--pass", "fold_constants", "--external-data", "-o",
                  "o/out"]][self.arguments[0] in ("quantize", "passes")]
        assert preon(*older).returncode == 0
        self.old = contents(self.folder)
        self.broken_off = False

    def restore(self):
        for folder in "o", "tmp":
            shutil.rmtree(self.folder / folder)
            (self.folder / folder).mkdir()
        for name, data in self.old.items():
            (self.folder / name).write_bytes(data)

    def start_and_kill(self, rng):
        process = self.preon.start(*self.arguments)
        time.sleep(rng.uniform(0, 1.1) * self.seconds)
        victims = [process.pid, *(children(process.pid) if "--workers" in self.arguments else [])]
        try:
            os.kill(victims[int(rng.integers(len(victims)))], signal.SIGKILL)
        except ProcessLookupError:
            pass  # a worker that was done
        _, stderr = process.communicate(timeout=60)
        killed_a_worker = process.returncode == 1 and "[E7006]" in stderr
        assert process.returncode in (0, -signal.SIGKILL) or killed_a_worker, (process.returncode, stderr)
        self.broken_off = process.returncode != 0

    def state(self):
        """Old or new; all of its files are whole, and no other lost anything."""
        now = contents(self.folder)
        state = self.old if now["o/out"] == self.old["o/out"] else self.new
        for name, data in state.items():
            assert name in TIMES or now.get(name) == data, f"{name} is lost or another one"
        assert self.broken_off or state is self.new
        return now

    def finish(self):
        """A run that nobody disturbs: the bytes of the first one, and nothing is left of the others."""
        done = self.preon(*self.arguments)
        assert done.returncode == 0, done.stderr
        now = contents(self.folder)
        assert {name: data for name, data in now.items() if name not in TIMES} == {name: data for name,
                                                                                   data in self.new.items() if name not in TIMES}
        assert list((self.folder / "tmp").iterdir()) == []
        assert not any(path.is_dir() for path in (self.folder / "o").iterdir())


def check(preon, name, seed, kills):
    rng = np.random.default_rng(seed)
    target = Target(preon, name)
    broken_off = 0
    for kill in range(kills):
        if "--resume" not in target.arguments or not target.broken_off or rng.random() < 0.3:
            target.restore()
        try:
            target.start_and_kill(rng)
            target.state()
            broken_off += target.broken_off
            if kill == kills - 1 or rng.random() < 0.3:
                target.finish()
                target.restore()
                target.broken_off = False
        except AssertionError as problem:
            raise AssertionError(f"{name}, seed {seed}, kill {kill}: {problem}") from problem
    return broken_off


def test_some_kills(preon):
    check(preon, "passes", FIRST_SEED, 4)


@pytest.mark.slow
@pytest.mark.parametrize("name, kills", [(name, 12 if name != "merge" else 4) for name in RUNS])
def test_kills(preon, record_property, name, kills):
    broken_off = check(preon, name, FIRST_SEED + 1000 + list(RUNS).index(name), kills)
    record_property("summary", f"{name}: {broken_off} of {kills} kills came before the end")
    assert broken_off > kills / 3

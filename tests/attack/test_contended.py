"""16 outputs that several writers want at the same time: processes, processes of other PID namespaces, threads of one. What
lies there in the end is what one of them would have written alone, whole, with all that it names and nothing else."""
import os
import pathlib
import subprocess
import sys
import textwrap

import onnx
import pytest
from failing_commits import big_model, contents

PACKAGE = pathlib.Path(os.environ.get("PREON_BUILD") or pathlib.Path(__file__).resolve().parents[2] / "build") / "python"
WRITERS = 4
#: VALUE stands for the writer's number; the output is o/out.
OUTPUTS = {
    "model": ["passes", "VALUE.onnx", "--pass", "fold_constants", "-o", "o/out"],
    "external data": ["passes", "VALUE.onnx", "--pass", "fold_constants", "--external-data", "-o", "o/out"],
    "statistics": ["calibrate", "VALUE.onnx", "--data", "random:8", "-o", "o/out"],
    "quantized": ["quantize", "VALUE.onnx", "--data", "random:2", "--external-data", "-o", "o/out"],
    "merged": ["merge", "VALUE.calib", "-o", "o/out"],
    "page": ["analyze", "VALUE.calib", "--html", "o/out"],
    "instrumented": ["instrument", "VALUE.onnx", "-o", "o/out"],
}
NAMESPACE = ["unshare", "--pid", "--fork", "--user", "--map-root-user"]


def can_unshare():
    try:
        return subprocess.run([*NAMESPACE, "true"], capture_output=True, timeout=20, check=False).returncode == 0
    except FileNotFoundError:
        return False


class Contest:
    def __init__(self, preon, name):
        self.preon, self.name, self.folder = preon, name, preon.folder
        self.output = self.folder / "o"
        for value in range(WRITERS):
            onnx.save(big_model(value + 1), self.folder / f"{value}.onnx")
            if f"{value}.calib" in self.arguments(value):
                assert preon("calibrate", f"{value}.onnx", "--data", "random:8", "-o", f"{value}.calib").returncode == 0
        self.alone = []
        for value in range(WRITERS):
            self.empty()
            assert preon(*self.arguments(value)).returncode == 0
            self.alone.append(contents(self.output))
        self.empty()
        self.inputs = {name: data for name, data in contents(self.folder).items()}

    def arguments(self, value):
        return [word.replace("VALUE", str(value)) for word in OUTPUTS[self.name]]

    def empty(self):
        self.output.mkdir(exist_ok=True)
        for path in self.output.iterdir():
            path.unlink()

    def check(self):
        """The first writer's bytes may be those of the second: weights that differ by a factor alone give equal codes."""
        now = contents(self.output)
        wanted = [alone for alone in self.alone if alone["out"] == now["out"]]
        assert wanted, "nobody has written that"
        assert now in wanted, f"beside the output: {sorted(now)}"
        assert {name: data for name, data in contents(self.folder).items() if not name.startswith("o/")} == self.inputs


def all_at_once(contest, prefix=()):
    """Two of each, so that equal content meets, too."""
    running = []
    for number in range(2 * WRITERS):
        command = [*prefix, *map(str, contest.preon.command(contest.arguments(number % WRITERS), False))]
        running.append(subprocess.Popen(command, cwd=contest.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True))
    said = [(process.communicate(timeout=60)[1], process.returncode) for process in running]
    assert all(status == 0 for _, status in said), said


FAST = {"model", "merged"}


@pytest.mark.parametrize("name", [name if name in FAST else pytest.param(name, marks=pytest.mark.slow) for name in OUTPUTS])
def test_processes(preon, name):
    contest = Contest(preon, name)
    for _ in range(3):
        all_at_once(contest)
        contest.check()


@pytest.mark.slow
@pytest.mark.parametrize("name", OUTPUTS)
def test_pid_namespaces(preon, name):
    """All writers are process 1 or 2 there: what a process id says is the same for all."""
    if not can_unshare():
        pytest.skip("unshare may not make PID namespaces here")
    contest = Contest(preon, name)
    for _ in range(2):
        all_at_once(contest, NAMESPACE)
        contest.check()


THREADS = """
import sys, threading
sys.path.insert(0, PACKAGE)
import preon
calls = {
    "model": lambda value: preon.passes(f"{value}.onnx", "o/out", ["fold_constants"]),
    "external data": lambda value: preon.passes(f"{value}.onnx", "o/out", ["fold_constants"], external_data=True),
}
failed = []
def work(value):
    try:
        for _ in range(5):
            calls[NAME](value)
    except Exception as problem:
        failed.append(problem)
threads = [threading.Thread(target=work, args=[value]) for value in range(WRITERS)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
sys.exit(str(failed) if failed else 0)
"""


@pytest.mark.parametrize("name", ["model", "external data"])
def test_threads(preon, name):
    if not PACKAGE.exists():
        pytest.skip("the Python package is not built")
    contest = Contest(preon, name)
    script = textwrap.dedent(THREADS).replace("PACKAGE", repr(str(PACKAGE))).replace("NAME", repr(name)).replace("WRITERS", str(WRITERS))
    done = subprocess.run([sys.executable, "-c", script], cwd=contest.folder, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    contest.check()

"""Commits of outputs: whatever fails or is killed at whatever step, an output is the old one or the new one, inputs stay,
and the next run clears up what a killed one left. docs/design/output-files.md says how."""
import errno
import os
import re
import shutil
import signal
import subprocess
import time

import numpy as np
import onnx
import pytest
from failing_commits import ANY, VERBS, Commit, big_model, failing, library  # noqa: F401
from onnx import numpy_helper

SIDE_FILE = re.compile(r"out\.onnx\.[0-9a-f]{16}\.data")


@pytest.fixture
def models(tmp_path):
    for value in (1, 2, 3):
        onnx.save(big_model(value), tmp_path / f"{value}.onnx")


def value_of(path):
    """Of the whole model: onnx.load reads the external data, too."""
    values = numpy_helper.to_array(onnx.load(path).graph.initializer[0])
    assert (values == values.flat[0]).all()
    return int(values.flat[0])


def passes(value, *options):
    return ["passes", f"{value}.onnx", "-o", "out.onnx", *ANY, *options]


def side_files(folder):
    return sorted(name for name in os.listdir(folder) if name.endswith(".data"))


# ---- external data -------------------------------------------------------------------------------------------------


def test_a_side_file_of_the_replaced_output_goes(preon, models, tmp_path):
    seen = set()
    for value in (1, 2, 1):
        assert preon(*passes(value, "--external-data")).returncode == 0
        assert value_of(tmp_path / "out.onnx") == value
        (side,) = side_files(tmp_path)
        assert SIDE_FILE.fullmatch(side)
        seen.add((value, side))
    assert len(seen) == 2, "the name follows from the weights"
    assert preon(*passes(3)).returncode == 0
    assert side_files(tmp_path) == [] and value_of(tmp_path / "out.onnx") == 3


def test_a_side_file_that_another_model_names_stays(preon, models, tmp_path):
    assert preon(*passes(1, "--external-data")).returncode == 0
    shutil.copy(tmp_path / "out.onnx", tmp_path / "kept")
    assert preon(*passes(2, "--external-data")).returncode == 0
    assert value_of(tmp_path / "kept") == 1 and value_of(tmp_path / "out.onnx") == 2


@pytest.mark.parametrize("how", ["its name", "hard link", "symbolic link", "side file"])
def test_the_weights_of_the_input_stay(preon, models, tmp_path, how):
    """Named like the output's, or linked to where the output's would be."""
    location = {"its name": "out.onnx.data", "side file": "out.onnx.0123456789abcdef.data"}.get(how, "w.bin")
    onnx.save(onnx.load(tmp_path / "1.onnx"), tmp_path / "in.onnx", save_as_external_data=True, location=location, size_threshold=0)
    if how == "hard link":
        os.link(tmp_path / "w.bin", tmp_path / "out.onnx.data")
    if how == "symbolic link":
        (tmp_path / "out.onnx.data").symlink_to("w.bin")
    before = (tmp_path / location).read_bytes()
    for _ in range(2):
        assert preon("passes", "in.onnx", "-o", "out.onnx", *ANY, "--external-data").returncode == 0
        assert (tmp_path / location).read_bytes() == before
        assert value_of(tmp_path / "out.onnx") == 1
        assert how == "hard link" or value_of(tmp_path / "in.onnx") == 1  # the ONNX library refuses hard links


def test_a_model_that_borrows_the_weights_of_the_output(preon, models, tmp_path):
    """The input is a copy of the old output: both name one side file, which lies in no other folder's list of files."""
    folder = tmp_path / "sub"
    folder.mkdir()
    assert preon("passes", "1.onnx", "-o", "sub/out.onnx", *ANY, "--external-data").returncode == 0
    (side,) = side_files(folder)
    model = onnx.load(folder / "out.onnx", load_external_data=False)
    next(entry for entry in model.graph.initializer[0].external_data if entry.key == "location").value = f"sub/{side}"
    onnx.save(model, tmp_path / "in.onnx")
    assert preon("passes", "in.onnx", "-o", "sub/out.onnx", *ANY).returncode == 0
    assert value_of(tmp_path / "in.onnx") == 1 and value_of(folder / "out.onnx") == 1


def test_a_link_into_another_folder(preon, models, tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "out.onnx").symlink_to("there/real.onnx")
    preon.fails(1, 7002, *passes(1, "--external-data"), says="symbolic link into another folder")
    assert preon(*passes(1)).returncode == 0
    assert (tmp_path / "out.onnx").is_symlink() and value_of(tmp_path / "there/real.onnx") == 1


def test_links_that_go_round_in_a_circle(preon, models, tmp_path):
    (tmp_path / "out.onnx").symlink_to("other")
    (tmp_path / "other").symlink_to("out.onnx")
    preon.fails(1, 7002, *passes(1), says="form a loop")
    assert (tmp_path / "out.onnx").is_symlink()


# ---- inputs --------------------------------------------------------------------------------------------------------


def test_saved_outputs_overwrite_no_input(preon, tmp_path):
    """Of one folder for the samples and for what is saved; behind a link."""
    onnx.save(big_model(1), tmp_path / "m.onnx")
    (tmp_path / "s/y").mkdir(parents=True)
    np.save(tmp_path / "s/y/000000.npy", np.ones((3, 64), np.float32))
    before = (tmp_path / "s/y/000000.npy").read_bytes()
    preon.fails(2, 1004, "run", "m.onnx", "--data", "s/y", "--save", "s", says="is an input")
    preon.fails(2, 1004, "run", "m.onnx", "--data", "s/y/000000.npy", "--save", "s", says="is an input")
    (tmp_path / "t/y").mkdir(parents=True)
    (tmp_path / "t/y/000000.npy").symlink_to(tmp_path / "s/y/000000.npy")
    preon.fails(2, 1004, "run", "m.onnx", "--data", "s/y/000000.npy", "--save", "t", says="is an input")
    assert (tmp_path / "s/y/000000.npy").read_bytes() == before


def test_a_report_overwrites_no_weights(preon, models, tmp_path):
    onnx.save(onnx.load(tmp_path / "1.onnx"), tmp_path / "in.onnx", save_as_external_data=True, location="w.json", size_threshold=0)
    preon.fails(2, 1004, "compare", "in.onnx", "1.onnx", "--data", "random:2", "--report", "w.json", says="is an input")
    assert value_of(tmp_path / "in.onnx") == 1


def test_statistics_that_were_given_stay(preon, model, data, tmp_path):
    """Though their name is that of what an interrupted run would leave."""
    assert preon("calibrate", model, "--data", data, "-o", "q.partial").returncode == 0
    assert preon("quantize", model, "--calib", "q.partial", "--data", data, "-o", "q").returncode == 0
    assert (tmp_path / "q.partial").exists()


# ---- the n-th call -------------------------------------------------------------------------------------------------


FAST = [verb if verb != "quantize" else pytest.param(verb, marks=pytest.mark.slow) for verb in VERBS]


@pytest.mark.thorough
@pytest.mark.parametrize("verb", FAST)
@pytest.mark.parametrize("number", [errno.EIO, pytest.param(errno.ENOSPC, marks=pytest.mark.slow),
                                    pytest.param(errno.EACCES, marks=pytest.mark.slow)], ids=errno.errorcode.get)
def test_a_call_of_a_commit_fails(preon, failing, tmp_path, verb, number):
    commit = Commit(preon, failing, verb)
    assert {"open", "write", "fsync", "renameat2", "flock"} <= set(commit.calls)
    for at, name in enumerate(commit.calls, 1):
        done = commit.run(at, number)
        state, now = commit.check_whole()
        assert (state is commit.old) == (done.returncode != 0), (at, name)
        if done.returncode != 0:
            assert len(re.findall(r"^preon: error \[E\d{4}\] \S", done.stderr, re.M)) == 1, done.stderr
        # A side file stays where it is not sure that nobody needs it, a temporary one where it can't be removed.
        unsure = commit.old.keys() if done.returncode == 0 else set()
        left = {key for key in now if not (name == "unlink" and "tmp" in key)}
        assert state.keys() <= left <= state.keys() | unsure, (at, name)
        commit.check_next_run(unsure)


@pytest.mark.thorough
@pytest.mark.parametrize("verb", FAST)
def test_killed_at_a_call_of_a_commit(preon, failing, tmp_path, verb):
    commit = Commit(preon, failing, verb)
    for at in range(1, len(commit.calls) + 1):
        assert commit.run(at, 0).returncode == -signal.SIGKILL
        commit.check_whole()
        commit.check_next_run()


def test_all_that_was_asked_for_or_nothing(preon, failing, tmp_path):
    """The report has its name when the model fails to get one."""
    commit = Commit(preon, failing, "quantize")
    last = 0
    for _ in range(2):
        commit.restore()
        (commit.folder / "out.onnx").unlink()
        calls = commit.failing(commit.folder, commit.arguments, last, errno.EIO)
        last = len(calls) - calls[::-1].index("renameat2")
    assert commit.failing.done.returncode == 1
    assert side_files(commit.folder) == list(commit.old.keys() - {"out.onnx"}) and not (commit.folder / "report.json").exists()


# ---- contended -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [[], ["--external-data"]], ids=["whole", "external data"])
def test_processes_that_write_one_output(preon, models, tmp_path, options):
    for _ in range(2):
        running = [preon.start(*passes(1 + number % 3, *options)) for number in range(8)]
        for process in running:
            _, stderr = process.communicate(timeout=60)
            assert process.returncode == 0, stderr
        assert value_of(tmp_path / "out.onnx") in (1, 2, 3)
        assert len(side_files(tmp_path)) == len(options)
        assert [name for name in preon.files() if "tmp" in name] == []


@pytest.mark.slow
def test_killed_writers_of_one_output(preon, models, tmp_path):
    rng = np.random.default_rng(5)
    for _ in range(30):
        running = [preon.start(*passes(1 + number, "--external-data")) for number in range(3)]
        for process in running:
            time.sleep(rng.uniform(0, 0.05))
            process.kill()
        for process in running:
            process.communicate(timeout=60)
        if (tmp_path / "out.onnx").exists():
            value_of(tmp_path / "out.onnx")
    assert preon(*passes(2, "--external-data")).returncode == 0
    assert preon.files() == ["1.onnx", "2.onnx", "3.onnx", "out.onnx", *side_files(tmp_path)] and len(side_files(tmp_path)) == 1


# ---- signals and streams -------------------------------------------------------------------------------------------


def long_run(preon):
    """Its workers have a temporary folder from begin to end."""
    (preon.folder / "tmp").mkdir(exist_ok=True)
    process = preon.start("calibrate", "model.onnx", "-o", "out.calib", "--data", "random:100G", "--tmp-dir", "tmp", "--workers", "2")
    while "calibrate" not in process.stderr.readline():
        assert process.poll() is None
    return process


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGQUIT])
def test_a_lost_terminal_leaves_no_temporary_folder(preon, model, tmp_path, number):
    process = long_run(preon)
    process.send_signal(number)
    process.communicate(timeout=20)
    assert process.returncode == 130
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.thorough
def test_nohup(preon, model, tmp_path):
    process = preon.start("calibrate", "model.onnx", "-o", "out.calib", "--data", "random:30000",
                          preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    time.sleep(0.3)
    process.send_signal(signal.SIGHUP)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 0, stderr


def test_the_next_run_clears_what_a_killed_one_left(preon, model, data, tmp_path):
    process = long_run(preon)
    process.kill()
    process.communicate(timeout=20)
    assert list((tmp_path / "tmp").iterdir()) != []
    mine = tmp_path / "tmp" / "preon-notes"
    mine.mkdir()
    assert preon("calibrate", model, "-o", "b.calib", "--data", data, "--tmp-dir", "tmp").returncode == 0
    assert list((tmp_path / "tmp").iterdir()) == [mine]


def test_a_run_leaves_the_folders_of_another_alone(preon, model, data, tmp_path):
    process = long_run(preon)
    before = set((tmp_path / "tmp").iterdir())
    assert preon("calibrate", model, "-o", "b.calib", "--data", data, "--tmp-dir", "tmp").returncode == 0
    assert before <= set((tmp_path / "tmp").iterdir())
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert process.returncode == 130


def test_workers_that_can_not_be_started_leave_no_folder(preon, model, data, tmp_path):
    """The program is gone when the workers would start: a copy that removes itself."""
    program = tmp_path / "p"
    shutil.copy(preon.binary, program)
    needed = subprocess.run(["ldd", preon.binary], capture_output=True, text=True, check=True).stdout
    libraries = {os.path.dirname(path) for path in re.findall(r"=> (/\S+)", needed)}
    process = subprocess.Popen([program, "calibrate", model, "-o", "out.calib", "--data", data, "--workers", "2"], cwd=tmp_path,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env={**os.environ, "LD_LIBRARY_PATH": ":".join(sorted(libraries))})
    program.unlink()
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 1 and "[E7005]" in stderr, stderr
    assert sorted(os.listdir(tmp_path)) == ["calib.npz", "model.onnx"]


@pytest.mark.parametrize("closed", [0, 1, 2], ids=["stdin", "stdout", "stderr"])
def test_a_closed_stream_is_no_error(preon, model, data, tmp_path, closed):
    """Nor does what is printed get into a file that took its place."""
    done = preon("quantize", model, "-o", "out.onnx", "--data", data, "--report", "r.txt", "--verbose", preexec_fn=lambda: os.close(closed))
    assert done.returncode == 0, done.stderr
    onnx.checker.check_model(onnx.load(tmp_path / "out.onnx"))
    whole = preon("quantize", model, "-o", "again.onnx", "--data", data)
    assert whole.returncode == 0 and (tmp_path / "out.onnx").read_bytes() == (tmp_path / "again.onnx").read_bytes()


@pytest.mark.thorough
def test_a_reader_that_goes_at_once(preon, model, data, tmp_path):
    command = f"{preon.binary} quantize {model} -o out.onnx --data {data} --latency 0 --json | head -0; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr

"""What happens to a run from outside: the output is whole or absent, and nothing else stays behind."""
import json
import os
import resource
import signal
import subprocess
import time

import numpy as np
import onnx
import pytest


def long_run(preon, tmp_path):
    """A calibration that takes far longer than the test."""
    (tmp_path / "tmp").mkdir()
    return preon.start("quantize", "model.onnx", "-o", "out.onnx", "--data", "random:100G", "--tmp-dir", "tmp", "--json")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_in_mid_calibration(preon, model, tmp_path, number):
    process = long_run(preon, tmp_path)
    until_it_has_seen_samples(process)
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=20)
    assert process.returncode == 130
    assert json.loads(stdout)["error"]["id"] == "E7900" and "--resume" in json.loads(stdout)["error"]["hint"]
    *_, error, hint = stderr.splitlines()
    assert error.startswith("preon: error [E7900] calibrate: interrupted after")
    assert hint.startswith("hint: out.onnx.partial has the statistics so far") and "--resume" in hint
    assert preon.files() == ["model.onnx", "out.onnx.partial", "tmp"]
    assert list((tmp_path / "tmp").iterdir()) == []


def until_it_has_seen_samples(process):
    while json.loads(process.stderr.readline()).get("done", 0) == 0:
        pass


def run_long_enough(preon, options):
    """Writes `whole` from so many samples that the run takes at least 4 seconds, which leaves time to interrupt the next one."""
    samples, seconds = 30000, 0
    while seconds < 4:
        samples *= 2
        begin = time.monotonic()
        assert preon(*options, "--data", f"random:{samples}", "-o", "whole").returncode == 0
        seconds = time.monotonic() - begin
    return [*options, "--data", f"random:{samples}"], samples


@pytest.mark.thorough
@pytest.mark.parametrize("verb", [["calibrate"], ["quantize"], ["quantize", "--method", "percentile"]], ids=" ".join)
def test_interrupted_and_resumed(preon, model, tmp_path, verb):
    """Ctrl-C needs no option before it: --resume afterwards gives the bytes of an undisturbed run."""
    options, samples = run_long_enough(preon, [*verb, model, "--threads", "1"])
    process = preon.start(*options, "-o", "out", "--json")
    until_it_has_seen_samples(process)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=20)
    assert process.returncode == 130, stderr
    assert preon.files() == ["model.onnx", "out.partial", "whole"]
    known = json.loads(preon("inspect", "out.partial", "--json").stdout)["samples"]
    assert 0 < known < samples
    done = preon(*options, "-o", "out", "--resume")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out").read_bytes() == (tmp_path / "whole").read_bytes()
    assert preon.files() == ["model.onnx", "out", "whole"]


def test_without_resume_a_run_begins_anew_and_says_so(preon, model, tmp_path):
    arguments = killed_with_a_part(preon, tmp_path, model, "random:100G")
    done = preon("calibrate", model, "--data", "random:7", "-o", "out.calib")
    assert done.returncode == 0 and "out.calib.partial: statistics of an interrupted run are discarded" in done.stderr
    assert preon.files() == ["model.onnx", "out.calib"]


@pytest.mark.parametrize("verb", ["calibrate", "quantize"])
def test_a_file_of_that_name_stays(preon, model, data, tmp_path, verb):
    (tmp_path / "out.partial").write_text("somebody's notes")
    preon.fails(2, 3013, verb, model, "--data", data, "-o", "out", says="out.partial: exists already")
    assert (tmp_path / "out.partial").read_text() == "somebody's notes"


def test_what_is_no_part_of_the_run_stays(preon, model, data, tmp_path):
    """Somebody's folder of the workers' name; what an interrupted pass left, in a run without one."""
    notes = tmp_path / "out.partial.workers" / "notes.txt"
    notes.parent.mkdir()
    notes.write_text("mine")
    assert preon("calibrate", model, "--data", data, "-o", "out").returncode == 0
    assert notes.read_text() == "mine"
    (tmp_path / "out").rename(tmp_path / "q.partial")
    assert preon("calibrate", model, "--data", data, "-o", "a.calib").returncode == 0
    assert preon("quantize", model, "--calib", "a.calib", "-o", "q").returncode == 0
    assert (tmp_path / "q.partial").exists()


def test_resume_wants_the_same_tensors(preon, model, tmp_path):
    """Interrupted with less to observe."""
    process = preon.start("calibrate", model, "--data", "random:100G", "-o", "out.calib", "--exclude-type", "Conv", "--json")
    until_it_has_seen_samples(process)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    preon.fails(2, 3013, "calibrate", model, "--data", "random:100G", "-o", "out.calib", "--resume", says="made with other options")


def test_what_was_learned_goes_with_data_that_can_not_be_used(preon, model, tmp_path):
    values = np.zeros((40, 3, 8, 8), np.float32)
    values[30, 0, 0, 0] = np.nan
    np.savez(tmp_path / "bad.npz", input=values)
    preon.fails(2, 3006, "calibrate", model, "-o", "out.calib", "--data", "bad.npz", "--checkpoint", "0")


@pytest.mark.parametrize("option", [["--resume"], ["--checkpoint", "1"]])
def test_nothing_to_resume(preon, model, data, option):
    assert preon("calibrate", model, "-o", "a.calib", "--data", data).returncode == 0
    preon.fails(2, 1004, "quantize", model, "-o", "out.onnx", "--calib", "a.calib", *option, says="no effect with --calib")
    preon.fails(2, 1004, "quantize", model, "-o", "out.onnx", "--data", data, "--method", "percentile", "--compat", "onnxruntime",
                *option, says="order of the samples")


@pytest.mark.thorough
@pytest.mark.parametrize("options", [[], ["--per-sample"]])
def test_killed_and_resumed(preon, model, tmp_path, options):
    """Killed again and again at any point, and resumed, a calibration ends with the bytes of an undisturbed one."""
    calibrate = ["calibrate", model, "--data", "random:2000", "--resume", "--threads", "2", *options, "--checkpoint", "0"]
    begin = time.monotonic()
    assert preon("calibrate", model, "--data", "random:2000", "-o", "whole.calib", *options).returncode == 0
    whole_s = time.monotonic() - begin
    partial = tmp_path / "out.calib.partial"
    resumed = 0
    for attempt in range(6):
        process = preon.start(*calibrate, "-o", "out.calib")
        try:
            process.wait(timeout=whole_s * (0.6 + 0.1 * attempt))
            break  # so much was done before
        except subprocess.TimeoutExpired:
            process.kill() if attempt % 2 else process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        assert not (tmp_path / "out.calib").exists()
        resumed += partial.exists()
    assert resumed > 0
    if not (tmp_path / "out.calib").exists():
        assert preon(*calibrate[:-2], "-o", "out.calib").returncode == 0
    assert (tmp_path / "out.calib").read_bytes() == (tmp_path / "whole.calib").read_bytes()
    assert preon.files() == ["model.onnx", "out.calib", "whole.calib"]


def killed_with_a_part(preon, tmp_path, model, source):
    """A calibration that ends as soon as --resume has something to go on from; returns its arguments."""
    arguments = ["calibrate", model, "--data", source, "-o", "out.calib", "--resume", "--checkpoint", "0"]
    process = preon.start(*arguments)
    partial = tmp_path / "out.calib.partial"
    for _ in range(1000):
        if partial.exists():
            break
        time.sleep(0.01)
    process.kill()
    process.communicate(timeout=20)
    assert partial.exists()
    return arguments


def test_resume_wants_the_same_samples(preon, model, tmp_path):
    killed_with_a_part(preon, tmp_path, model, "random:100G")
    preon.fails(2, 3013, "calibrate", model, "--data", "random:7", "-o", "out.calib", "--resume", says="--resume")


@pytest.mark.parametrize("change", ["replaced", "added"])
def test_resume_wants_unchanged_files(preon, model, data, tmp_path, change):
    """A file of other values, or one more in the folder, which moves all places."""
    folder = tmp_path / "samples"
    folder.mkdir()
    shape = (20000, *np.load(tmp_path / data)["input"].shape[1:])
    for part in "bc":
        np.save(folder / f"{part}.npy", np.full(shape, 0.5, np.float32))
    arguments = killed_with_a_part(preon, tmp_path, model, "samples")
    assert not (tmp_path / "out.calib").exists()
    np.save(folder / ("b.npy" if change == "replaced" else "a.npy"), np.full(shape, 5, np.float32))
    preon.fails(2, 3013, *arguments, says="data that have changed")


@pytest.mark.thorough
def test_resume_beside_the_data(preon, model, data, tmp_path):
    """What a run writes into the folder of its samples is no other data."""
    np.save(tmp_path / "b.npy", np.full((5000, *np.load(tmp_path / data)["input"].shape[1:]), 0.5, np.float32))
    arguments = killed_with_a_part(preon, tmp_path, model, ".")
    assert not (tmp_path / "out.calib").exists()
    assert preon(*arguments).returncode == 0


def test_resume_wants_the_same_per_sample(preon, model, tmp_path):
    killed_with_a_part(preon, tmp_path, model, "random:100G")
    preon.fails(2, 3013, "calibrate", model, "--data", "random:100G", "-o", "out.calib", "--resume", "--per-sample", says="--resume")


def test_killed_in_mid_calibration(preon, model, data, tmp_path):
    process = long_run(preon, tmp_path)
    assert any('"calibrate"' in line for line in process.stderr)  # it has begun
    process.kill()
    process.communicate(timeout=20)
    assert not (tmp_path / "out.onnx").exists()
    assert preon("quantize", model, "-o", "out.onnx", "--data", data).returncode == 0


def test_a_killed_writer_leaves_no_output_and_the_next_run_clears_up(preon, model, data, tmp_path):
    # A process that was killed between opening the temporary file and giving it its name.
    dead = subprocess.Popen(["true"])
    dead.wait()
    leftover = tmp_path / f".out.onnx.preon-tmp-{dead.pid}"
    leftover.write_bytes(b"half a model")
    assert preon("quantize", model, "-o", "out.onnx", "--data", data).returncode == 0
    assert not leftover.exists()
    onnx.checker.check_model(onnx.load(tmp_path / "out.onnx"))


@pytest.mark.parametrize("verb, output", [("quantize", "full/out.onnx"), ("calibrate", "full/out.calib")])
def test_disk_full(preon, model, data, tmp_path, verb, output):
    folder = tmp_path / "full"
    folder.mkdir()
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", folder]).returncode:
        pytest.skip("needs the right to mount a small file system")
    try:
        (folder / "other").write_bytes(bytes(8192))
        preon.fails(1, 7002, verb, model, "-o", output, "--data", data, says="No space left on device")
    finally:
        subprocess.run(["umount", folder], check=True)


@pytest.mark.parametrize("verb, output", [("quantize", "out.onnx"), ("calibrate", "out.calib")])
def test_files_may_not_grow(preon, model, data, tmp_path, verb, output):
    """No room for anything, the runtime's own temporary files included."""
    (tmp_path / "tmp").mkdir()
    preon.fails(1, 7002, verb, model, "-o", output, "--data", data, "--tmp-dir", "tmp",
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500)))


def test_output_folder_missing(preon, model, data):
    preon.fails(1, 7003, "quantize", model, "-o", "nowhere/out.onnx", "--data", data, says="'nowhere' does not exist")


def test_an_old_output_survives_a_failure(preon, model, tmp_path):
    (tmp_path / "out.onnx").write_text("precious")
    np.savez(tmp_path / "bad.npz", input=np.full((2, 3, 8, 8), np.nan, np.float32))
    assert preon("quantize", model, "-o", "out.onnx", "--data", "bad.npz").returncode == 2
    assert (tmp_path / "out.onnx").read_text() == "precious"


def test_stdout_closed(preon, model):
    process = preon.start("inspect", model)
    process.stdout.close()
    assert process.wait(timeout=20) == 0
    assert process.stderr.read() == ""


def test_stdout_full(preon, model):
    with open("/dev/full", "w") as full:
        process = preon.start("inspect", model, stdout=full)
        stderr = process.communicate(timeout=20)[1]
    assert process.returncode == 1
    assert stderr.startswith("preon: error [E7002] stdout: can't write: No space left on device")


@pytest.mark.slow
def test_interrupted_while_the_runtime_prepares_a_model(preon):
    """It takes minutes over this one and can't be told to stop."""
    weight = onnx.numpy_helper.from_array(np.eye(4, dtype=np.float32), "w")
    nodes = [onnx.helper.make_node("MatMul", [f"t{index}", "w"], [f"t{index + 1}"]) for index in range(12000)]
    ends = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, 4]) for name in ("t0", "t12000")]
    graph = onnx.helper.make_graph(nodes, "g", ends[:1], ends[1:], [weight])
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8), preon.folder / "chain.onnx")
    process = preon.start("quantize", "chain.onnx", "-o", "out.onnx", "--data", "random:1", "--method", "minmax", "--json")
    while json.loads(process.stderr.readline()).get("stage") != "verify":
        pass
    process.send_signal(signal.SIGTERM)
    stdout, stderr = process.communicate(timeout=30)
    assert process.returncode == 130 and json.loads(stdout)["error"]["id"] == "E7900", stderr
    assert preon.files() == ["chain.onnx"]

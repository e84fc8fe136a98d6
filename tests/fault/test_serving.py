"""Programs that serve instrumented models: several sessions, forks, bad requests, folders that can't be written, the end."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap

import numpy as np
import onnx
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("PREON_OBSERVERS") or ROOT / "build/lib/libpreon_observers.so")
pytestmark = pytest.mark.skipif(not LIBRARY.exists(), reason=f"{LIBRARY} is not built")

HEAD = f"""
import os, sys, threading, time
import numpy as np
import onnxruntime as ort
def serve(path="served.onnx", threads=1):
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.register_custom_ops_library({str(LIBRARY)!r})
    return ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
rows = np.load("calib.npz")["input"]
def feeds(first=0, last=None):
    return [dict(input=row[None]) for row in rows[first:last]]
"""


@pytest.fixture
def served(preon, model, data):
    instrument(preon)
    return preon


def instrument(preon, output="served.onnx", *options):
    done = preon("instrument", "model.onnx", "-o", output, *options)
    assert done.returncode == 0, done.stderr


def program(preon, body, status=0, **environment):
    """Runs Python that serves; returns what it says on stderr."""
    script = preon.folder / "serve.py"
    script.write_text(HEAD + textwrap.dedent(body))
    done = subprocess.run([sys.executable, script.name], cwd=preon.folder, capture_output=True, text=True, timeout=120,
                          env={**os.environ, **environment})
    assert status is None or done.returncode == status, done.stderr
    return done.stderr


def collected(preon):
    return sorted(path.name for path in preon.folder.glob("*.calib"))


def calibrate(preon, output="wanted.calib"):
    done = preon("calibrate", "model.onnx", "-o", output, "--data", "calib.npz")
    assert done.returncode == 0, done.stderr
    return (preon.folder / output).read_bytes()


def samples(preon, name):
    return json.loads(preon("inspect", name, "--json").stdout)["samples"]


def test_saves_when_the_process_ends(served):
    """The session is never released: the exit handler saves."""
    said = program(served, """
        session = serve()
        for feed in feeds(): session.run(None, feed)
        import builtins; builtins.kept = session
        """, PREON_CALIB_OUT="a.calib")
    assert said == ""
    assert (served.folder / "a.calib").read_bytes() == calibrate(served)


def test_exit_in_mid_run_of_other_threads(served):
    """The runtime itself may not survive that; the exit handler has saved before."""
    said = program(served, """
        session = serve()
        def work():
            while True:
                for feed in feeds(): session.run(None, feed)
        for _ in range(3): threading.Thread(target=work, daemon=True).start()
        time.sleep(0.5)
        import ctypes
        ctypes.CDLL(None).exit(0)
        """, status=None, PREON_CALIB_OUT="a.calib", PREON_CALIB_EVERY="1000000")
    assert "not saved" not in said
    assert samples(served, "a.calib") > 0
    assert [name for name in os.listdir(served.folder) if "preon-tmp" in name] == []


def test_saves_every_so_many_runs(served):
    """Killed without a chance to save: what was saved before is whole."""
    program(served, """
        session = serve()
        for feed in feeds(0, 10): session.run(None, feed)
        end = time.time() + 20
        while not os.path.exists("a.calib") and time.time() < end: time.sleep(0.01)
        os._exit(0)
        """, PREON_CALIB_OUT="a.calib", PREON_CALIB_EVERY="10")
    assert samples(served, "a.calib") == 10


def test_default_name_and_merge_of_processes(served):
    for first, last in [(0, 7), (7, None)]:
        program(served, f"""
            session = serve()
            for feed in feeds({first}, {last}): session.run(None, feed)
            """, PREON_CALIB_OUT=".")
    names = collected(served)
    assert len(names) == 2 and len({name.split("-")[0] for name in names}) == 1
    done = served("merge", *names, "-o", "merged.calib")
    assert done.returncode == 0, done.stderr
    calibrate(served)
    merged, wanted = (json.loads(served("inspect", name, "--json").stdout) for name in ("merged.calib", "wanted.calib"))
    assert merged["tensors"] == wanted["tensors"] and merged["samples"] == wanted["samples"]


def test_sessions_of_one_process_keep_apart(served):
    instrument(served, "other.onnx", "--exclude", "conv_1")
    program(served, """
        one, two, other = serve(), serve(), serve("other.onnx")
        for feed in feeds(0, 5): one.run(None, feed)
        for feed in feeds(5): two.run(None, feed)
        for feed in feeds(): other.run(None, feed)
        """, PREON_CALIB_OUT="a.calib")
    assert collected(served) == ["a-2.calib", "a-3.calib", "a.calib"]
    done = served("merge", "a.calib", "a-2.calib", "-o", "merged.calib")
    assert done.returncode == 0, done.stderr
    assert samples(served, "merged.calib") == samples(served, "a-3.calib") == 16


def test_a_session_opened_again_takes_another_name(served):
    program(served, """
        for part in (feeds(0, 5), feeds(5)):
            session = serve()
            for feed in part: session.run(None, feed)
            del session
        """, PREON_CALIB_OUT="a.calib")
    assert (samples(served, "a.calib"), samples(served, "a-2.calib")) == (5, 11)


def test_forked_children_collect_for_themselves(served):
    program(served, """
        session = serve()
        for feed in feeds(0, 5): session.run(None, feed)
        child = os.fork()
        if child == 0:
            for feed in feeds(5): session.run(None, feed)
            del session
            os._exit(0)  # the runtime itself hangs at the exit of a forked child, with any model
        assert os.waitpid(child, 0)[1] == 0
        for feed in feeds(5, 7): session.run(None, feed)
        """, PREON_CALIB_OUT="a.calib")
    names = collected(served)
    assert len(names) == 2 and samples(served, "a.calib") == 7
    child = next(name for name in names if name != "a.calib")
    assert samples(served, child) == 11
    assert served("merge", *names, "-o", "merged.calib").returncode == 0


def test_bad_requests_fail_alone(served):
    """A wrong shape, a wrong type and a name that is not there; then NaN, which the model takes."""
    said = program(served, """
        session = serve()
        good = feeds()
        bad = [dict(input=rows[:1, :2]), dict(input=rows[:1].astype(np.float64)), dict(x=rows[:1])]
        for feed in bad:
            try:
                session.run(None, feed)
            except Exception as error:
                assert "preon" not in type(error).__module__
            else:
                raise AssertionError(feed)
        for feed in good: session.run(None, feed)
        """, PREON_CALIB_OUT="a.calib")
    assert (served.folder / "a.calib").read_bytes() == calibrate(served)
    assert "preon:" not in said


def test_nan_is_said_once_and_not_counted_as_sample(served):
    said = program(served, """
        session = serve()
        for _ in range(3): assert np.isnan(session.run(None, dict(input=np.full((1, 3, 8, 8), np.nan, np.float32)))[0]).any()
        for feed in feeds(): session.run(None, feed)
        """, PREON_CALIB_OUT="a.calib")
    assert said.count("preon:") == 1 and "NaN" in said
    assert samples(served, "a.calib") == 16


@pytest.mark.skipif(os.geteuid() == 0 and not os.path.exists("/dev/full"), reason="nothing is unwritable here")
@pytest.mark.parametrize("out", ["missing/a.calib", "/dev/full"])
def test_what_cannot_be_written_is_said_once(served, out):
    said = program(served, """
        session = serve()
        for feed in feeds(): session.run(None, feed)
        """, PREON_CALIB_OUT=out, PREON_CALIB_EVERY="2")
    assert said.count("preon:") == 1 and out.split("/")[-1] in said


@pytest.mark.parametrize("out, says", [("missing/", "folder '"), ("missing", "there is no folder 'missing'")])
def test_a_place_that_is_no_folder_is_said_when_the_session_opens(served, out, says):
    """Before a thousand runs are lost; a name that may be that of a file is one."""
    said = program(served, "session = serve()", PREON_CALIB_OUT=out)
    assert said.count("preon:") == 1 and says in said


def in_a_container(preon, script):
    """A Python program that is process 1 of a container."""
    return subprocess.Popen(["unshare", "--map-root-user", "--pid", "--fork", sys.executable, script], cwd=preon.folder,
                            stderr=subprocess.PIPE, text=True, env={**os.environ, "PREON_CALIB_OUT": "."})


def test_processes_of_containers_with_one_number(served):
    """Replicas that share a folder are process 1 each; both open before the first one saves."""
    probe = ["unshare", "--map-root-user", "--pid", "--fork", "true"]
    if not shutil.which("unshare") or subprocess.run(probe, capture_output=True).returncode != 0:
        pytest.skip("unshare may not make a container here")
    for part, (first, last) in enumerate([(0, 7), (7, None)]):
        (served.folder / f"serve{part}.py").write_text(HEAD + textwrap.dedent(f"""
            assert os.getpid() == 1
            session = serve()
            open("opened{part}", "w").close()
            end = time.time() + 60
            while not os.path.exists("opened{1 - part}") and time.time() < end: time.sleep(0.01)
            for feed in feeds({first}, {last}): session.run(None, feed)
            """))
    for process in [in_a_container(served, f"serve{part}.py") for part in (0, 1)]:
        _, said = process.communicate(timeout=120)
        assert (process.returncode, said) == (0, "")
    names = collected(served)
    assert [re.sub("^[0-9a-f]{16}", "HASH", name) for name in names] == ["HASH-1-2.calib", "HASH-1.calib"]
    done = served("merge", *names, "-o", "merged.calib")
    assert done.returncode == 0, done.stderr
    assert samples(served, "merged.calib") == 16


def test_writes_once_the_folder_is_there(served):
    said = program(served, """
        session = serve()
        for feed in feeds(0, 8): session.run(None, feed)
        time.sleep(0.2)
        os.mkdir("later")
        for feed in feeds(8): session.run(None, feed)
        """, PREON_CALIB_OUT="later/a.calib", PREON_CALIB_EVERY="2")
    assert said.count("preon:") == 1
    assert (served.folder / "later/a.calib").read_bytes() == calibrate(served)


def test_bad_environment_is_said_and_not_used(served):
    said = program(served, """
        session = serve()
        for feed in feeds(): session.run(None, feed)
        """, PREON_CALIB_OUT="a-%x.calib", PREON_CALIB_EVERY="often")
    assert "PREON_CALIB_OUT" in said and "PREON_CALIB_EVERY" in said
    assert collected(served) == []


def test_without_a_temporary_folder_it_serves_slower(served):
    said = program(served, """
        session = serve()
        for feed in feeds(): session.run(None, feed)
        """, PREON_CALIB_OUT="a.calib", TMPDIR="/proc")
    assert "slower" in said
    assert samples(served, "a.calib") == 16


def test_parallel_execution_of_the_host(served):
    program(served, f"""
        options = ort.SessionOptions()
        options.execution_mode = ort.ExecutionMode.ORT_PARALLEL
        options.inter_op_num_threads = 2
        options.register_custom_ops_library({str(LIBRARY)!r})
        session = ort.InferenceSession("served.onnx", options, providers=["CPUExecutionProvider"])
        for feed in feeds(): session.run(None, feed)
        """, PREON_CALIB_OUT="a.calib")
    assert (served.folder / "a.calib").read_bytes() == calibrate(served)


def test_nothing_served_nothing_written(served):
    program(served, "session = serve()")
    assert collected(served) == []


def test_the_server_alone_says_where(served):
    """Neither the model nor the folder that the process runs in decides: said once, served on."""
    before = served.files()
    said = program(served, """
        session = serve()
        for feed in feeds(): session.run(None, feed)
        """)
    assert said.count("preon:") == 1 and "PREON_CALIB_OUT" in said
    assert [name for name in served.files() if name not in before] == ["serve.py"]


def test_session_option_goes_over_the_environment(served):
    program(served, f"""
        options = ort.SessionOptions()
        options.add_session_config_entry("preon.calib_out", "option.calib")
        options.register_custom_ops_library({str(LIBRARY)!r})
        session = ort.InferenceSession("served.onnx", options, providers=["CPUExecutionProvider"])
        for feed in feeds(): session.run(None, feed)
        """, PREON_CALIB_OUT="environment.calib")
    assert collected(served) == ["option.calib"]


def damage(served, change):
    """The served model with another description, or another inner model."""
    model = onnx.load(served.folder / "served.onnx")
    node = model.graph.node[0]
    packed = next(tensor for tensor in model.graph.initializer if tensor.name == "preon.model")
    description, inner = json.loads(node.attribute[0].s), onnx.load_from_string(packed.raw_data)
    change(description, inner, model)
    node.attribute[0].s = json.dumps(description).encode()
    packed.raw_data = inner.SerializeToString()
    packed.dims[0] = len(packed.raw_data)
    onnx.save(model, served.folder / "served.onnx")


@pytest.mark.parametrize("key", ["calib_out", "setup", "fingerprint", "tensors", "inputs", "outputs"])
def test_a_model_chooses_no_file_and_no_line(served, key):
    """What an attacker would put into a model: a file of the server's, and lines for it."""
    target, line = served.folder / "authorized_keys", "\nssh-rsa AAAA attacker\n"
    target.write_text("mine\n")

    def change(description, inner, model):
        description["calib_out"] = str(target)
        if key != "calib_out":
            description[key] = description[key] + line if isinstance(description[key], str) else [*description[key], line]
    damage(served, change)
    said = program(served, """
        session = serve()
        for feed in feeds(): session.run(None, feed)
        """, status=0 if key == "calib_out" else 1, PREON_CALIB_OUT=".")
    assert target.read_text() == "mine\n"
    assert all(line.strip().encode() not in (served.folder / name).read_bytes().split(b"\n") for name in collected(served))
    assert key == "calib_out" or "control characters" in said


def set_attribute(inner, name, value):
    for node in inner.graph.node:
        for attribute in node.attribute:
            if node.op_type == "Observe" and attribute.name == name:
                attribute.i = value


@pytest.mark.parametrize("change", [
    lambda description, inner, model: description.update(one_in=0),
    lambda description, inner, model: description.update(one_in=-(2**63)),
    lambda description, inner, model: description.update(every=0),
    lambda description, inner, model: description.update(tensors=[], origins=[], planned=[], derived=[]),
    lambda description, inner, model: description.update(outputs=description["outputs"] * 2),
    lambda description, inner, model: description.update(outputs=["input", "logits"]),
    lambda description, inner, model: description.update(outputs=[]),
    lambda description, inner, model: description.update(inputs=[]),
    lambda description, inner, model: description.update(tensors=description["tensors"][:1], origins=[], planned=[],
                                                         derived=[], observers="in path"),
    lambda description, inner, model: set_attribute(inner, "index", -1),
    lambda description, inner, model: set_attribute(inner, "index", 2**62),
    lambda description, inner, model: (set_attribute(inner, "index", 2**62), description.update(observers="in path")),
    lambda description, inner, model: (set_attribute(inner, "block", 0), description.update(observers="in path")),
    lambda description, inner, model: (set_attribute(inner, "block", 2**62), description.update(observers="in path")),
    lambda description, inner, model: (set_attribute(inner, "block", 8), set_attribute(inner, "channels", 2**40),
                                       description.update(observers="in path")),
    lambda description, inner, model: setattr(model.graph.output[0].type.tensor_type, "elem_type", 11),
])
def test_damaged_models_are_refused(served, change):
    """An error of the host's session, never the end of the process."""
    damage(served, change)
    said = program(served, """
        try:
            session = serve()
            for feed in feeds(): session.run(None, feed)
        except Exception as error:
            print("refused:", error, file=sys.stderr)
        """, PREON_CALIB_OUT="a.calib")
    assert "refused:" in said


def test_library_of_another_format_says_so(served):
    model = onnx.load(served.folder / "served.onnx")
    attribute = model.graph.node[0].attribute[0]
    attribute.s = re.sub(rb'"format":\d+', b'"format":99', attribute.s)
    onnx.save(model, served.folder / "served.onnx")
    said = program(served, "serve()", status=1)
    assert "format 99, wanted " in said

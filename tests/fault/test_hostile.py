"""Models, files and limits that ask for trouble: an error that says what is wrong, never a signal, a hang or "please report it"."""
import json
import os
import re
import resource
import signal
import time

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

VERBS = {
    "quantize": lambda model: ["quantize", model, "-o", "out.onnx", "--data", "calib.npz"],
    "calibrate": lambda model: ["calibrate", model, "-o", "out.calib", "--data", "calib.npz"],
    "run": lambda model: ["run", model, "--data", "calib.npz"],
    "inspect": lambda model: ["inspect", model],
}


def save(folder, nodes, weights=(), functions=()):
    """hostile.onnx: Conv, then the nodes from "c" to "y"."""
    first = helper.make_node("Conv", ["input", "w"], ["c"], name="conv_1")
    graph = helper.make_graph([first, *nodes], "g", [helper.make_tensor_value_info("input", 1, ["N", 3, 8, 8])],
                              [helper.make_tensor_value_info("y", 1, None)],
                              [numpy_helper.from_array(np.ones((4, 3, 1, 1), np.float32), "w"), *weights])
    opsets = [helper.make_opsetid("", 23), helper.make_opsetid("d", 1), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10, functions=list(functions))
    (folder / "hostile.onnx").write_bytes(model.SerializeToString())
    return "hostile.onnx"


def ones(*shape):
    return numpy_helper.from_array(np.ones(shape, np.float32), "v")


ATTRIBUTES = [
    ("ConvTranspose", [ones(4, 4, 3, 3)], {"group": 0}),
    ("ConvTranspose", [ones(4, 4, 3, 3)], {"strides": [0, 0]}),
    ("DepthToSpace", [], {"blocksize": 2**62}),
    ("MaxPool", [], {"kernel_shape": [0, 0]}),
    ("GatherND", [numpy_helper.from_array(np.array([[0]], np.int64), "v")], {"batch_dims": -2**31}),
    ("Attention", [ones(4, 4, 8, 8)], {"q_num_heads": 0, "kv_num_heads": 1}),
]


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("op, weights, attributes", ATTRIBUTES)
def test_attributes_that_crash_the_runtime(preon, data, tmp_path, verb, op, weights, attributes):
    inputs = ["c", *["v" for _ in weights]] + (["v"] if op == "Attention" else [])
    model = save(tmp_path, [helper.make_node(op, inputs, ["y"], name="bad", **attributes)], weights)
    preon.fails(2, 2004, *VERBS[verb](model), says=f"node bad ({op}): attribute {next(iter(attributes))}: got ")


@pytest.mark.parametrize("verb", VERBS)
def test_a_rank_of_100000(preon, data, tmp_path, verb):
    weight = TensorProto(name="v", data_type=1, dims=[1] * 100000, raw_data=b"\0\0\x80\x3f")
    model = save(tmp_path, [helper.make_node("Add", ["c", "v"], ["y"])], [weight])
    preon.fails(2, 2004, *VERBS[verb](model), says="tensor 'v' has 100000 dimensions")


def tower(levels, calls):
    """Functions of which each calls the one before; the first is a Relu."""
    opsets = [helper.make_opsetid("", 23), helper.make_opsetid("d", 1)]
    for level in range(levels):
        names = ["a", *[f"t{call}" for call in range(calls - 1)], "b"] if level else ["a", "b"]
        nodes = [helper.make_node(f"f{level - 1}" if level else "Relu", [read], [written], domain="d" if level else "")
                 for read, written in zip(names, names[1:])]
        yield helper.make_function("d", f"f{level}", ["a"], ["b"], nodes, opsets)


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("levels, calls", [(40, 2), (8, 9)])
def test_function_bomb(preon, data, tmp_path, verb, levels, calls):
    model = save(tmp_path, [helper.make_node(f"f{levels - 1}", ["c"], ["y"], domain="d")], functions=tower(levels, calls))
    start = time.monotonic()
    preon.fails(2, 2012, *VERBS[verb](model), says="functions, written out, make more than")
    assert time.monotonic() - start < 10


def test_functions_in_functions_are_fine(preon, data, tmp_path):
    model = save(tmp_path, [helper.make_node("f7", ["c"], ["y"], domain="d")], functions=tower(8, 2))
    assert preon(*VERBS["run"](model)).returncode == 0


@pytest.mark.parametrize("name, text", [
    ("itself.yaml", "exclude: &x [*x]\n"),
    ("inner.yaml", "a: &x\n  b: *x\n"),
    ("bomb.yaml", "".join(["a0: &a0 [1]\n"] + [f"a{i}: &a{i} [{','.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 10)])),
    ("text.yaml", "a: &a " + "x" * 100000 + "\nb: [" + ",".join(["*a"] * 20000) + "]\n"),
    ("deep.yaml", "a: " + "[" * 5000 + "]" * 5000),
    ("deep.json", '{"a": ' + "[" * 100000 + "]" * 100000 + "}"),
])
def test_configurations_without_end(preon, model, data, tmp_path, name, text):
    (tmp_path / name).write_text(text)
    start = time.monotonic()
    preon.fails(2, 1005, *VERBS["quantize"](model), "--config", name, says=name)
    assert time.monotonic() - start < 10


LIMITS = [(resource.RLIMIT_AS, kilobytes) for kilobytes in (60, 80, 100, 120, 150, 200, 400)] + \
         [(resource.RLIMIT_DATA, kilobytes) for kilobytes in (5, 10, 20, 40)] + \
         [(resource.RLIMIT_STACK, kilobytes) for kilobytes in (0.064, 0.128, 0.256, 0.512, 1)]


@pytest.mark.parametrize("verb", ["quantize", "calibrate", "run"])
@pytest.mark.parametrize("limit, megabytes", LIMITS)
def test_little_memory(preon, model, data, verb, limit, megabytes):
    """Done, or out of memory; stacks are the program's own affair."""
    def set_limit():
        resource.setrlimit(limit, (int(megabytes * 1e6), int(megabytes * 1e6)))
    done = preon(*VERBS[verb](model), preexec_fn=set_limit)
    if "error while loading shared libraries" in done.stderr:
        pytest.skip("the system's loader itself has not enough memory")
    if limit == resource.RLIMIT_STACK or done.returncode == 0:
        assert done.returncode == 0, done.stderr
    else:
        assert done.returncode == 1 and re.search(r"error \[E7004\] ", done.stderr), (done.returncode, done.stderr)


def external(folder, factor=1, megabytes=0):
    """model.onnx with its weights in weights.bin, all times `factor`: the size stays."""
    model = onnx.load(folder / "model.onnx")
    (folder / "weights.bin").unlink(missing_ok=True)
    if megabytes:
        model.graph.initializer.append(numpy_helper.from_array(np.zeros(megabytes << 18, np.float32), "unused"))
    for tensor in model.graph.initializer:
        values = numpy_helper.to_array(tensor) * np.float32(factor)
        tensor.raw_data = values.tobytes()
    onnx.save(model, folder / "model.onnx", save_as_external_data=True, location="weights.bin", size_threshold=0)
    return "model.onnx"


def test_statistics_of_other_weights_are_refused(preon, model, data, tmp_path):
    """The same file of weights by name and size; the model's own file is the same byte for byte."""
    external(tmp_path)
    text = (tmp_path / model).read_bytes()
    assert preon("calibrate", model, "-o", "a.calib", "--data", data).returncode == 0
    assert preon("quantize", model, "-o", "fine.onnx", "--data", data, "--calib", "a.calib").returncode == 0
    external(tmp_path, factor=100)
    assert (tmp_path / model).read_bytes() == text
    preon.fails(2, 3013, "quantize", model, "-o", "out.onnx", "--data", data, "--calib", "a.calib", says="another model")


def mapped(process, name):
    try:
        with open(f"/proc/{process.pid}/maps") as maps:
            return any(name in line for line in maps)
    except FileNotFoundError:
        return False


@pytest.mark.thorough
def test_weights_that_shrink_while_they_are_read(preon, model, data, tmp_path):
    """Another program writes the file anew: an error that names it."""
    external(tmp_path, megabytes=400)
    process = preon.start(*VERBS["calibrate"](model), "--json")
    while process.poll() is None and not mapped(process, "weights.bin"):
        pass
    os.kill(process.pid, signal.SIGSTOP)
    os.truncate(tmp_path / "weights.bin", 4096)
    os.kill(process.pid, signal.SIGCONT)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode in (1, 2), stderr
    assert re.search(r"preon: error \[E(7001|2006)\] .*weights.bin", stderr), stderr
    assert json.loads(stdout)["error"]["message"] in stderr
    assert not (tmp_path / "out.calib").exists()


@pytest.mark.parametrize("fault", [signal.SIGSEGV, signal.SIGFPE, signal.SIGILL, signal.SIGABRT, signal.SIGBUS])
def test_a_crash_is_an_error_line(preon, model, data, fault):
    """Whatever the runtime does to the process: the verb and the model are named, the status is that of a failure."""
    process = preon.start(*VERBS["run"](model), "--repeat", "100000", "--json")
    while process.poll() is None and not mapped(process, "libonnxruntime"):
        pass
    time.sleep(0.3)
    process.send_signal(fault)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 1 and "preon: error [E6003] run model.onnx: crashed (SIG" in stderr, (process.returncode, stderr)
    error = json.loads(stdout)["error"]
    assert (error["id"], error["status"]) == ("E6003", 1) and error["hint"].startswith("if ONNX Runtime alone")


@pytest.mark.parametrize("output", ["model.onnx", "./model.onnx", "link.onnx"])
def test_instrument_never_writes_over_its_input(preon, model, tmp_path, output):
    (tmp_path / "link.onnx").symlink_to("model.onnx")
    before = (tmp_path / model).read_bytes()
    preon.fails(2, 1004, "instrument", model, "-o", output, says="is an input")
    assert (tmp_path / model).read_bytes() == before

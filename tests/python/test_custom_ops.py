"""Models with operators of the user's own, out of libraries that the tests' build makes (custom_op_library.cc)."""
import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARIES = pathlib.Path(os.environ.get("PREON_BUILD") or ROOT / "build") / "test_operators"
OPTION = "--custom-op-library"

pytestmark = pytest.mark.skipif(not (LIBRARIES / "good.so").exists(), reason=f"{LIBRARIES} is not built")


@pytest.fixture
def good():
    return LIBRARIES / "good.so"


def network(op="Square", batch="N", domain="test.custom"):
    """Two convolutions with an operator of the domain between them, and a Gemm."""
    rng = np.random.default_rng(0)

    def weight(name, *shape):
        return numpy_helper.from_array((0.3 * rng.standard_normal(shape)).astype(np.float32), name)

    nodes = [helper.make_node("Conv", ["x", "w0", "b0"], ["c0"], "conv0", pads=[1] * 4),
             helper.make_node("Relu", ["c0"], ["r0"], "relu0"),
             helper.make_node(op, ["r0"], ["own"], "own", domain=domain),
             helper.make_node("Conv", ["own", "w1", "b1"], ["c1"], "conv1", pads=[1] * 4),
             helper.make_node("Relu", ["c1"], ["r1"], "relu1"),
             helper.make_node("GlobalAveragePool", ["r1"], ["pooled"], "pool"),
             helper.make_node("Flatten", ["pooled"], ["flat"], "flatten"),
             helper.make_node("Gemm", ["flat", "w2", "b2"], ["y"], "gemm")]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [batch, 3, 16, 16])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [batch, 10])],
                              [weight("w0", 16, 3, 3, 3), weight("b0", 16), weight("w1", 32, 16, 3, 3), weight("b1", 32),
                               weight("w2", 32, 10), weight("b2", 10)])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid(domain, 1)], ir_version=8)


@pytest.fixture
def model(tmp_path):
    onnx.save(network(), tmp_path / "m.onnx")
    np.savez(tmp_path / "d.npz", x=np.random.default_rng(1).standard_normal((32, 3, 16, 16)).astype(np.float32))
    return "m.onnx"


def done(result):
    assert result.returncode == 0, result.stderr
    return result.stdout


def quantized(folder, name="q.onnx"):
    return onnx.load(folder / name)


def pairs_around(graph):
    """Nodes that read the output of a DequantizeLinear."""
    decoded = {node.output[0] for node in graph.node if node.op_type == "DequantizeLinear"}
    return {node.name for node in graph.node if decoded & set(node.input)}


@pytest.mark.parametrize("target", ["ort-cpu", "quark", "dynamic", "npu-cnn", "npu-transformer", "ort", "simulate", "matmul-nbits", "tensorrt"])
def test_each_target_quantizes_around_the_operator(preon, model, good, target):
    answer = json.loads(done(preon("quantize", model, "-o", "q.onnx", "--data", "d.npz", "--target", target, OPTION, good,
                                   "--always-write", "--json")))
    graph = quantized(preon.folder).graph
    assert [(node.op_type, node.domain) for node in graph.node if node.name == "own"] == [("Square", "test.custom")]
    assert answer["needs"] == ["good.so"]
    assert answer["compare"]["outputs"]["y"]["sqnr_db"] > 10


def test_both_convolutions_become_integer_and_the_operator_is_listed(preon, model, good):
    answer = json.loads(done(preon("quantize", model, "-o", "q.onnx", "--data", "d.npz", OPTION, good, "--json")))
    assert {"conv0", "conv1"} <= pairs_around(quantized(preon.folder).graph)
    left = {node["node"]: node for node in answer["placement"]["float"]}
    assert "test.custom.Square is not an operator of ONNX: it is computed in float" in left["own"]["detail"]


@pytest.mark.parametrize("op", ["Square", "Halve"])
def test_inner_types_are_known(preon, tmp_path, model, good, op):
    onnx.save(network(op), tmp_path / model)
    done(preon("quantize", model, "-o", "q.onnx", "--data", "d.npz", OPTION, good, "--value-info"))
    infos = {value.name: value.type.tensor_type for value in quantized(tmp_path).graph.value_info}
    assert infos["own"].elem_type == TensorProto.FLOAT
    assert infos["own"].HasField("shape") == (op == "Halve")
    first_convolution = 16 * 27 * 256
    assert (json.loads(done(preon("inspect", model, OPTION, good, "--json")))["macs"] > 2 * first_convolution) == (op == "Halve")


def test_report_and_python_say_what_the_result_needs(preon, model, good):
    shown = done(preon("quantize", model, "-o", "q.onnx", "--data", "d.npz", OPTION, good))
    assert "needs       good.so to be registered in ONNX Runtime" in shown


def test_a_library_that_no_node_needs_is_not_listed(preon, tmp_path, model, good):
    onnx.save(network("Relu", domain=""), tmp_path / model)
    answer = json.loads(done(preon("quantize", model, "-o", "q.onnx", "--data", "d.npz", OPTION, good, "--json")))
    assert "needs" not in answer


VERBS = {
    "run": ["run", "m.onnx", "--data", "d.npz"],
    "compare": ["compare", "m.onnx", "q.onnx", "--data", "d.npz"],
    "calibrate": ["calibrate", "m.onnx", "-o", "c.calib", "--data", "d.npz"],
    "calibrate by workers": ["calibrate", "m.onnx", "-o", "c.calib", "--data", "d.npz", "--workers", "2"],
    "ranges": ["ranges", "m.onnx", "--data", "d.npz", "-o", "r.json"],
    "inspect": ["inspect", "m.onnx"],
    "passes": ["passes", "m.onnx", "-o", "p.onnx", "--pass", "fold_batch_norm"],
    "lint": ["lint", "q.onnx", "--latency", "0"],
    "diff": ["diff", "m.onnx", "q.onnx", "--data", "d.npz"],
    "retarget": ["retarget", "q.onnx", "-o", "t.onnx", "--activation", "int8", "--latency", "0"],
    "instrument": ["instrument", "m.onnx", "-o", "i.onnx", "--data", "d.npz"],
    "export-qat": ["export-qat", "q.onnx", "-o", "training"],
    "sensitivity": ["sensitivity", "m.onnx", "--data", "d.npz"],
    "validate": ["validate", "m.onnx", "q.onnx", "--data", "d.npz"],
    "report": ["report", "m.onnx", "q.onnx", "--data", "d.npz", "-o", "r.html"],
    "search": ["search", "m.onnx", "-o", "s.onnx", "--data", "d.npz", "--space", '{"method": ["minmax", "minmse"]}', "--trials", "2"],
    "quantize with accuracy-driven fall-back": ["quantize", "m.onnx", "-o", "f.onnx", "--data", "d.npz", "--budget", "25", "--effort", "high"],
    "quantize with a fixed batch": ["quantize", "m.onnx", "-o", "f.onnx", "--data", "d.npz", "--fix-shape", "x=1x3x16x16", "--opset", "21"],
}


def made(preon, good, name):
    """What the verb reads beside the float model."""
    if "q.onnx" in VERBS[name]:
        done(preon("quantize", "m.onnx", "-o", "q.onnx", "--data", "d.npz", OPTION, good))


@pytest.mark.parametrize("name", VERBS)
def test_verbs_take_the_library(preon, model, good, name):
    made(preon, good, name)
    done(preon(*VERBS[name], OPTION, good))


@pytest.mark.parametrize("name", [name for name in VERBS if name not in ("inspect", "passes", "export-qat")])
def test_without_the_library_the_error_names_the_option(preon, model, good, name):
    made(preon, good, name)
    failed = preon(*VERBS[name])
    assert failed.returncode != 0
    assert "test.custom:Square" in failed.stderr and OPTION in failed.stderr, failed.stderr


def test_statistics_of_workers_are_those_of_one_process(preon, model, good):
    for output, workers in (("one.calib", 1), ("two.calib", 2)):
        done(preon("calibrate", model, "-o", output, "--data", "d.npz", "--workers", str(workers), OPTION, good))
    assert (preon.folder / "one.calib").read_bytes() == (preon.folder / "two.calib").read_bytes()


def test_statistics_need_no_library(preon, model, good):
    done(preon("calibrate", model, "-o", "c.calib", "--data", "d.npz", OPTION, good))
    done(preon("ranges", "c.calib"))
    assert "c.calib" in done(preon("inspect", "c.calib"))
    done(preon("analyze", "c.calib"))


def test_an_operator_in_a_branch(preon, tmp_path, model, good):
    info = helper.make_tensor_value_info
    then = helper.make_graph([helper.make_node("Square", ["c"], ["t"], "own", domain="test.custom")], "then", [],
                             [info("t", TensorProto.FLOAT, None)])
    other = helper.make_graph([helper.make_node("Relu", ["c"], ["e"])], "else", [], [info("e", TensorProto.FLOAT, None)])
    weights = np.random.default_rng(2).standard_normal((8, 3, 3, 3)).astype(np.float32)
    nodes = [helper.make_node("Conv", ["x", "w"], ["c"], "conv"),
             helper.make_node("ReduceMax", ["x"], ["peak"], keepdims=0), helper.make_node("Greater", ["peak", "limit"], ["high"]),
             helper.make_node("If", ["high"], ["f"], "if", then_branch=then, else_branch=other),
             helper.make_node("Conv", ["f", "v"], ["y"], "last")]
    graph = helper.make_graph(nodes, "g", [info("x", TensorProto.FLOAT, ["N", 3, 16, 16])], [info("y", TensorProto.FLOAT, None)],
                              [numpy_helper.from_array(weights, "w"), numpy_helper.from_array(weights[:, :1].repeat(8, 1), "v"),
                               numpy_helper.from_array(np.float32(0), "limit")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("test.custom", 1)],
                                ir_version=8), tmp_path / model)
    answer = json.loads(done(preon("quantize", model, "-o", "q.onnx", "--data", "d.npz", OPTION, good, "--always-write", "--json")))
    assert answer["needs"] == ["good.so"]


def test_an_operator_in_a_function_of_the_model(preon, tmp_path, model, good):
    inner = network("Twice", domain="of.model")
    body = [helper.make_node("Square", ["a"], ["b"], domain="test.custom"), helper.make_node("Relu", ["b"], ["c"])]
    inner.functions.append(helper.make_function("of.model", "Twice", ["a"], ["c"], body,
                                                [helper.make_opsetid("", 17), helper.make_opsetid("test.custom", 1)]))
    inner.opset_import.append(helper.make_opsetid("test.custom", 1))
    onnx.save(inner, tmp_path / model)
    done(preon("quantize", model, "-o", "q.onnx", "--data", "d.npz", OPTION, good))
    graph = quantized(tmp_path).graph
    assert "Square" in {node.op_type for node in graph.node}
    assert {"conv0", "conv1"} <= pairs_around(graph)


def test_raised_opset_keeps_the_domain(preon, tmp_path, model, good):
    done(preon("quantize", model, "-o", "q.onnx", "--data", "d.npz", OPTION, good, "--opset", "21"))
    assert {opset.domain: opset.version for opset in quantized(tmp_path).opset_import} == {"": 21, "test.custom": 1}


BAD = {
    "no such file": ("missing.so", 1008, "no such file"),
    "folder": (".", 1008, "is a folder"),
    "no library": ("m.onnx", 6004, "the system can't load it as a library"),
    "no registration": ("no_registration", 6004, "has no function RegisterCustomOps"),
    "built for a newer runtime": ("newer_api", 6004, "is built for ONNX Runtime 1.99 or later, but preon has 1."),
    "refuses": ("refuses", 6004, "RegisterCustomOps of the library failed: its licence has expired"),
    "adds its domain twice": ("adds_twice", 6004, "the runtime can't take its operators"),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("verb", ["quantize", "run", "calibrate"])
def test_bad_libraries_are_one_error_before_anything_runs(preon, model, name, verb):
    library, number, says = BAD[name]
    library = LIBRARIES / f"{library}.so" if (LIBRARIES / f"{library}.so").exists() else library
    output = [] if verb == "run" else ["-o", "out"]
    preon.fails(2, number, verb, model, *output, "--data", "d.npz", OPTION, library, says=says)


def test_two_libraries_with_one_domain(preon, tmp_path, model, good):
    (tmp_path / "copy.so").write_bytes(good.read_bytes())
    preon.fails(2, 6004, "run", model, "--data", "d.npz", OPTION, good, OPTION, "copy.so", says="copy.so")


def test_one_library_named_twice_counts_once(preon, tmp_path, model, good):
    (tmp_path / "link.so").symlink_to(good)
    done(preon("run", model, "--data", "d.npz", OPTION, good, OPTION, good, OPTION, "link.so"))


def test_the_output_can_not_be_the_library(preon, tmp_path, model, good):
    (tmp_path / "own.so").write_bytes(good.read_bytes())
    preon.fails(2, 1004, "quantize", model, "-o", "own.so", "--data", "d.npz", OPTION, "own.so", says="is an input")


def in_python(folder, code):
    """Of a process of its own: a library stays loaded."""
    script = ("import preon, numpy as np\nfrom preon import ModelQuantizer, QConfig\n"
              f"good = {str(LIBRARIES / 'good.so')!r}\nsamples = [{{'x': array[None]}} for array in np.load('d.npz')['x']]\n" + code)
    ran = subprocess.run([sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, timeout=120,
                         env={**os.environ, "PYTHONPATH": ":".join(sys.path)})
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_python_takes_one_or_several_per_run(tmp_path, model):
    shown = in_python(tmp_path, """
result = preon.quantize("m.onnx", "q.onnx", data="d.npz", custom_op_library=good)
print(result.needs)
preon.compare("m.onnx", "q.onnx", data="d.npz", custom_op_library=[good])
try:
    preon.calibrate("m.onnx", "c.calib", data="d.npz")
except preon.PreonError as error:
    print("--custom-op-library" in str(error) + (error.hint or ""))
try:
    preon.calibrate("m.onnx", "c.calib", data="d.npz", custom_op_library="missing.so")
except preon.PreonError as error:
    print(error)
preon.calibrate("m.onnx", "c.calib", data="d.npz", custom_op_library=good)
print("test.custom.Square" in preon.inspect("m.onnx", custom_op_library=good).operators)
""")
    lines = shown.splitlines()
    assert lines[:2] == ["['good.so']", "True"]
    assert "missing.so" in lines[2] and lines[3:] == ["True"]


CONFIGURATIONS = {
    "QConfig": 'QConfig(global_config=QLayerConfig(input_tensors=Int8Spec(), weight=Int8Spec()), extra_options={"UserCustomOpLibPath": VALUE})',
    "older": 'Config(QuantizationConfig(extra_options={"UserCustomOpLibPath": VALUE, "ActivationSymmetric": True}, include_cle=False))',
}


@pytest.mark.parametrize("form", CONFIGURATIONS)
@pytest.mark.parametrize("value", ["good", "[good]"])
def test_quarks_key_counts_for_one_run(tmp_path, model, form, value):
    shown = in_python(tmp_path, f"""
from preon import QLayerConfig, Int8Spec, Config, QuantizationConfig
class Reader:
    def __init__(self): self.left = iter(samples)
    def get_next(self): return next(self.left, None)
quantizer = ModelQuantizer({CONFIGURATIONS[form].replace("VALUE", value)})
quantizer.quantize_model("m.onnx", "q.onnx", Reader())
print(quantizer.result.needs)
try:
    ModelQuantizer({CONFIGURATIONS[form].replace("VALUE", "'missing.so'")}).quantize_model("m.onnx", "o.onnx", Reader())
except preon.PreonError as error:
    print(error)
quantizer.quantize_model("m.onnx", "q.onnx", Reader())
""").splitlines()
    assert shown[0] == "['good.so']" and "missing.so" in shown[1]
    assert "Square" in {node.op_type for node in quantized(tmp_path).graph.node}


def test_the_key_on_the_command_line(preon, model, good):
    done(preon("quantize", model, "-o", "q.onnx", "--data", "d.npz", "--option", f"UserCustomOpLibPath={good}"))
    done(preon("quantize", model, "-o", "q.onnx", "--data", "d.npz", "--option", f'UserCustomOpLibPath=["{good}"]'))
    preon.fails(2, 1008, "quantize", model, "-o", "o.onnx", "--data", "d.npz", "--option", "UserCustomOpLibPath=missing.so",
                says="missing.so")


def test_a_configuration_file_names_it(preon, tmp_path, model, good):
    (tmp_path / "c.yaml").write_text(f"custom_op_library: [{good}]\n")
    done(preon("quantize", model, "-o", "q.onnx", "--data", "d.npz", "--config", "c.yaml"))


def test_served_with_the_observers(preon, model, good):
    ort = pytest.importorskip("onnxruntime")
    done(preon("instrument", model, "-o", "i.onnx", "--data", "d.npz", OPTION, good))
    options = ort.SessionOptions()
    options.register_custom_ops_library(str(good))
    options.add_session_config_entry("preon.calib_out", str(preon.folder / "served.calib"))
    options.register_custom_ops_library(str(LIBRARIES.parent / "lib/libpreon_observers.so"))
    session = ort.InferenceSession(str(preon.folder / "i.onnx"), options, providers=["CPUExecutionProvider"])
    for sample in np.load(preon.folder / "d.npz")["x"]:
        session.run(None, {"x": sample[None]})
    del session
    assert (preon.folder / "served.calib").exists()


def test_shards_of_a_described_run_take_it(preon, tmp_path, model, good):
    done(preon("calibrate", model, "-o", "whole.calib", "--data", "d.npz", OPTION, good))
    (tmp_path / "own.so").write_bytes(good.read_bytes())
    in_python(tmp_path, """
from preon import launch
launch.describe("m.onnx", "run.json", output="model.calib", shards=2, data="d.npz", custom_op_library="own.so")
""")
    moved = tmp_path / "moved"
    moved.mkdir()
    for name in ("m.onnx", "d.npz", "own.so", "run.json"):
        (tmp_path / name).rename(moved / name)
    in_python(moved, """
import os
from preon import launch
os.chdir("..")
for shard in (1, 2):
    launch.run_shard("moved/run.json", shard)
launch.merge_run("moved/run.json")
""")
    assert (moved / "model.calib").read_bytes() == (tmp_path / "whole.calib").read_bytes()

"""Resource options on real models: none of them changes a byte of what comes out."""
import json

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

MODELS = ["resnet20_cifar10", "sst2_transformer", *(pytest.param(name, marks=pytest.mark.slow) for name in ("mobilenetv2_1.0", "yolox_nano"))]


@pytest.mark.thorough
@pytest.mark.parametrize("name", MODELS)
def test_workers_leave_no_trace(preon, real_model, name):
    model = real_model(name)
    whole = (preon.folder / model.calibrate("whole.calib")).read_bytes()
    for workers, threads in [(2, 2), (3, 1)]:
        got = model.calibrate("workers.calib", "--workers", workers, "--threads", threads)
        assert (preon.folder / got).read_bytes() == whole, (workers, threads)


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["resnet20_cifar10", "sst2_transformer"])
def test_quantize_with_workers_gives_the_same_model(preon, real_model, name):
    model = real_model(name)
    assert model.quantize("two.onnx", "--data", "calib.npz", "--workers", "2") == model.quantize("one.onnx", "--data", "calib.npz")


@pytest.mark.parametrize("name, options", [
    ("dtln_model_1", []),                                                    # recurrent, with a state
    ("ppocr_v3_det", ["--random-shape", "x=1x3x64x96"]),                     # dynamic height and width
])
def test_models_of_other_kinds(preon, model_path, name, options):
    path = model_path(name)
    for workers in (1, 3):
        done = preon("calibrate", path, "-o", f"{workers}.calib", "--data", "random:7", "--workers", workers, "--threads", "1",
                     *options, timeout=300)
        assert done.returncode == 0, done.stderr
    assert (preon.folder / "1.calib").read_bytes() == (preon.folder / "3.calib").read_bytes()


@pytest.mark.thorough
@pytest.mark.parametrize("memory", ["low", "fast"])
def test_memory_leaves_no_trace(preon, real_model, memory):
    model = real_model("resnet20_cifar10")
    usual = model.quantize("usual.onnx", "--data", "calib.npz", "--threads", "2")
    assert model.quantize("out.onnx", "--data", "calib.npz", "--threads", "2", "--memory", memory) == usual


@pytest.mark.parametrize("name", MODELS)
def test_restored_models_are_the_same(preon, real_model, name):
    model = real_model(name)
    saved = model.quantize("a.onnx", "--data", "calib.npz", "--effort", "fast", "--save-and-restore", "r.json")  # codes are fitted to samples, which it has not
    assert model.quantize("b.onnx", "--save-and-restore", "r.json") == saved
    ranges = json.loads((preon.folder / "r.json").read_text())["tensors_range"]
    assert len(ranges) > 5


MOVERS = ["Reshape", "Transpose", "MaxPool", "Split", "Slice", "Squeeze", "Unsqueeze", "Gather"]


@pytest.mark.thorough
@pytest.mark.parametrize("target", ["ort-cpu", "quark"])
@pytest.mark.parametrize("name", MODELS)
def test_passthrough(preon, real_model, name, target):
    """Each tensor that inherits does so from one that no operator of the list writes, and has its scale."""
    model = real_model(name)
    passthrough = [f"--passthrough={op}" for op in MOVERS]
    options = ["--target", target, "--method", "minmax", "--data", "calib.npz"]
    plain = model.json("quantize", model.path, "-o", "plain.onnx", *options)
    result = model.json("quantize", model.path, "-o", "out.onnx", *options, *passthrough)
    assert result["observed_tensors"] <= plain["observed_tensors"]
    graph = onnx.load(preon.folder / "out.onnx").graph
    onnx.checker.check_model(onnx.load(preon.folder / "out.onnx"))
    producers = {tensor: node.op_type for node in onnx.load(model.path).graph.node for tensor in node.output}
    scales = {node.input[0]: node.input[1] for node in graph.node if node.op_type == "QuantizeLinear"}
    values = {value.name: onnx.numpy_helper.to_array(value).tolist() for value in graph.initializer}
    for tensor, source in result.get("inherited", {}).items():
        assert producers.get(tensor, MOVERS[0]) in MOVERS
        assert producers.get(source) not in MOVERS
        if tensor in scales and source in scales:
            assert values[scales[tensor]] == values[scales[source]], tensor
    if name == "yolox_nano":
        assert result["inherited"]


def test_histograms_of_a_real_model(preon, real_model):
    model = real_model("resnet20_cifar10")
    result = model.json("quantize", model.path, "-o", "out.onnx", "--data", "calib.npz", "--save-histograms", "figures")
    assert len(list((preon.folder / "figures").glob("*.svg"))) == result["observed_tensors"]


@pytest.mark.thorough
def test_a_weight_that_many_nodes_share_is_in_memory_once(preon):
    """Also where the look at error sources has floats for codes, and the weight's error beside it."""
    size, layers, random = 768, 40, np.random.default_rng(0)
    weight = (random.normal(size=(size, size)) / np.sqrt(size)).astype(np.float32)
    nodes, last = [], "x"
    for layer in range(layers):
        nodes += [helper.make_node("MatMul", [last, "w"], [f"m{layer}"]), helper.make_node("Tanh", [f"m{layer}"], [f"t{layer}"])]
        last = f"t{layer}"
    value = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 8, size]) for name in ("x", last)]
    graph = helper.make_graph(nodes, "g", value[:1], value[1:], [numpy_helper.from_array(weight, "w")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), preon.folder / "shared.onnx")
    np.savez(preon.folder / "calib.npz", x=random.normal(size=(32, 8, size)).astype(np.float32))
    peaks = []
    for options in (["--budget", "0"], []):
        done = preon("quantize", "shared.onnx", "-o", "q.onnx", "--data", "calib.npz", "--latency", "0", "--always-write", "--json", *options, timeout=300)
        assert done.returncode == 0, done.stderr
        peaks.append(json.loads(done.stdout)["peak_rss_bytes"])
    assert peaks[1] < peaks[0] + 10 * weight.nbytes

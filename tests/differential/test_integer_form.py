"""Models of NPUs are measured in a form that the runtime computes in integers: it has to give the same outputs."""
import data_root
import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto

#: The passes of IntegerForm, by the names that users have.
FORM = ["--pass", "unsigned_activations", "--pass", "int32_biases", "--pass", "clamp_codes"]


def outputs(path, feeds):
    options = ort.SessionOptions()
    options.add_session_config_entry("session.x64quantprecision", "1")  # sums in 32 bits on every processor
    session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return [session.run(None, feed) for feed in feeds]


@pytest.mark.parametrize("name, shape", [("resnet20_cifar10", [1, 3, 32, 32]), ("mobilenetv2_1.0", [1, 3, 224, 224])])
def test_both_forms_give_the_same(preon, tmp_path, name, shape):
    model = data_root.data_root() / f"models/{name}.onnx"
    if not model.exists():
        pytest.skip(f"no {model}")
    done = preon("quantize", model, "-o", "npu.onnx", "--target", "npu-cnn", "--data", "random:4", "--effort", "fast", "--always-write")
    assert done.returncode == 0, done.stderr
    assert preon("passes", "npu.onnx", "-o", "form.onnx", *FORM).returncode == 0
    form = onnx.load(tmp_path / "form.onnx").graph
    types = {each.name: each.data_type for each in form.initializer}
    dequantized = {node.output[0]: node for node in form.node if node.op_type == "DequantizeLinear"}
    assert {types[dequantized[node.input[2]].input[0]] for node in form.node if node.op_type == "Conv"} == {TensorProto.INT32}
    random, fed = np.random.default_rng(2), onnx.load(model).graph.input[0].name
    feeds = [{fed: random.normal(size=shape).astype(np.float32)} for _ in range(4)]
    for expected, got in zip(outputs(tmp_path / "npu.onnx", feeds), outputs(tmp_path / "form.onnx", feeds)):
        np.testing.assert_array_equal(expected[0], got[0])

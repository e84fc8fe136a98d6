"""Few scales (powers of two) and few codes (4 bits): the model is as good as what the format can hold, and the runtime's
optimizer does not change what it computes."""
import numpy as np
import onnx
import onnxruntime as ort
import pytest

from conftest import cifar


@pytest.fixture
def resnet(real_model):
    """ResNet20; other.npz has images that nothing is chosen by."""
    model = real_model("resnet20_cifar10")
    np.savez(model.preon.folder / "other.npz", input=cifar(144)[16:])
    return model


def decibels(model, path):
    return model.json("compare", model.path, path, "--data", "other.npz")["outputs"]["output"]["sqnr_db"]


@pytest.mark.thorough
def test_a_power_of_two_cuts_nothing_off(resnet):
    """The nearest one below a scale would end the range at up to 29 % below its end. With nearest codes: 16 samples are few to fit others to."""
    found = {}
    for method in ("auto", "minmse", "nonoverflow"):
        resnet.quantize("q.onnx", "--data", "calib.npz", "--activation", "int16", "--scale-type", "power-of-two", "--method", method,
                        "--disable-algorithm", "adaquant")
        found[method] = decibels(resnet, "q.onnx")
    assert found["auto"] >= max(found.values()) - 0.5 and found["auto"] > 30, found


@pytest.mark.thorough
@pytest.mark.parametrize("options", [["--activation", "int4", "--symmetric"], ["--activation", "uint4"]])
def test_four_bits_compute_what_they_say(resnet, options):
    """The optimizer would drop a Relu in front of 4-bit codes for negative values. Weights have 4 bits unless told."""
    resnet.quantize("q.onnx", "--data", "calib.npz", *options)
    codes = {tensor.data_type for tensor in onnx.load(resnet.preon.folder / "q.onnx").graph.initializer}
    assert onnx.TensorProto.INT8 not in codes and onnx.TensorProto.UINT8 not in codes
    outputs = []
    for level in (ort.GraphOptimizationLevel.ORT_DISABLE_ALL, ort.GraphOptimizationLevel.ORT_ENABLE_ALL):
        session_options = ort.SessionOptions()
        session_options.graph_optimization_level = level
        session = ort.InferenceSession(str(resnet.preon.folder / "q.onnx"), session_options, providers=["CPUExecutionProvider"])
        outputs.append(np.concatenate([session.run(None, feed)[0] for feed in resnet.feeds()]))
    plain, optimized = outputs
    # Sums in another order move a few values by a code.
    assert np.square(optimized - plain).sum() < 0.01 * np.square(plain).sum()

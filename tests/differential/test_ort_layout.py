"""Target ort against ONNX Runtime's own quantize_static, run here: the same tensors, scales within one ulp, equal zero points."""
import logging

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import numpy_helper
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, QuantFormat, QuantType, quantize_static

TYPES = {"uint8": QuantType.QUInt8, "int8": QuantType.QInt8, "uint16": QuantType.QUInt16, "int16": QuantType.QInt16}
# (model, activation, weight, per channel, symmetric activations)
CASES = [
    ("lenet_mnist", "uint8", "int8", False, False),
    ("resnet20_cifar10", "int8", "int8", True, True),
    ("super_resolution_10", "uint8", "uint8", False, False),
    ("ultraface_rfb_320", "uint16", "int8", True, False),
    pytest.param("sst2_transformer", "uint8", "int8", True, False, marks=pytest.mark.slow),
    pytest.param("vit_cifar10_ibp_3_3_8", "int8", "int8", False, False, marks=pytest.mark.slow),
    pytest.param("mobilenetv2_1.0", "int16", "int16", False, True, marks=pytest.mark.slow),
]
# (model, part of the tensor's name) -> why it differs on purpose.
FLATTENED = "opset 9 to 21: a converter names what it puts around a Softmax over several axes as it likes"
DELIBERATE = {("ultraface_rfb_320", "scores_"): FLATTENED, ("ultraface_rfb_320", "_v_532"): FLATTENED}


class Reader(CalibrationDataReader):
    def __init__(self, feeds):
        self.feeds = feeds

    def get_next(self):
        return next(self.feeds, None)


def quantized(path):
    """tensor or constant -> (form, type of codes, scales, zero points, axis)."""
    model = onnx.load(path)
    constants = {value.name: numpy_helper.to_array(value) for value in model.graph.initializer}
    found = {}
    for node in model.graph.node:
        if node.op_type not in ("QuantizeLinear", "DequantizeLinear"):
            continue
        of_codes = node.op_type == "DequantizeLinear" and node.input[0] in constants
        if node.op_type == "DequantizeLinear" and not of_codes:
            continue
        scale, zero = constants[node.input[1]], constants[node.input[2]]
        axis = next((a.i for a in node.attribute if a.name == "axis"), None) if scale.size > 1 else None
        tensor = node.input[0].removesuffix("_quantized" if of_codes else "_QuantizeLinear_Input")
        found[tensor] = ("codes" if of_codes else "pair", str(zero.dtype), scale.ravel(), zero.ravel(), axis)
    return found


def ulps(a, b):
    return np.abs(a.astype(np.float32).view(np.int32).astype(np.int64) - b.astype(np.float32).view(np.int32).astype(np.int64)).max()


@pytest.mark.parametrize("name, activation, weight, per_channel, symmetric", CASES)
def test_as_quantize_static(real_model, tmp_path, monkeypatch, name, activation, weight, per_channel, symmetric):
    model = real_model(name)
    logging.disable(logging.WARNING)
    session = onnxruntime.InferenceSession

    def on_one_thread(path, sess_options=None, **rest):   # sums in the same order
        sess_options.intra_op_num_threads = 1
        sess_options.log_severity_level = 3
        return session(path, sess_options=sess_options, **rest)

    monkeypatch.setattr(onnxruntime, "InferenceSession", on_one_thread)
    theirs = tmp_path / "theirs.onnx"
    quantize_static(str(model.path), str(theirs), Reader(model.feeds()), quant_format=QuantFormat.QDQ, per_channel=per_channel,
                    activation_type=TYPES[activation], weight_type=TYPES[weight], calibrate_method=CalibrationMethod.MinMax,
                    extra_options={"ActivationSymmetric": symmetric})
    options = [] if per_channel else ["--per-tensor"]
    options += ["--symmetric"] if symmetric else []
    model.quantize("ours.onnx", "--data", "calib.npz", "--target", "ort", "--compat", "onnxruntime", "--method", "minmax",
                   "--activation", activation, "--weight", weight, "--no-optimize", "--batch", "1", "--threads", "1", *options)
    want, got = quantized(theirs), quantized(model.preon.folder / "ours.onnx")
    assert len(want) >= 10
    different = {}
    for tensor in want.keys() | got.keys():
        if tensor not in got or tensor not in want:
            different[tensor] = "only theirs" if tensor in want else "only ours"
            continue
        w, g = want[tensor], got[tensor]
        if (w[0], w[1], w[4]) != (g[0], g[1], g[4]) or w[2].size != g[2].size:
            different[tensor] = f"{w[0], w[1], w[4], w[2].size} is {g[0], g[1], g[4], g[2].size}"
        elif ulps(w[2], g[2]) > 1 or not np.array_equal(w[3], g[3]):
            different[tensor] = f"scale {w[2][:2]} zero {w[3][:2]} is {g[2][:2]} {g[3][:2]}"
    surprises = {tensor: what for tensor, what in different.items()
                 if not any(model_name == name and part in tensor for model_name, part in DELIBERATE)}
    assert not surprises, (len(surprises), len(want), dict(sorted(surprises.items())[:8]))

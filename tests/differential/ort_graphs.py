"""ONNX Runtime's own quantize_static and target ort on the same model and samples, and what is different about the results."""
import logging
import shutil
from collections import Counter
from dataclasses import dataclass, field
from fnmatch import fnmatch

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, QuantFormat, QuantType, quantize_static

TYPES = {"uint8": QuantType.QUInt8, "int8": QuantType.QInt8, "uint16": QuantType.QUInt16, "int16": QuantType.QInt16}
QUANTIZERS = ("QuantizeLinear", "DequantizeLinear")
CALIBRATION = ("CalibMovingAverage", "CalibTensorRangeSymmetric")   # options that the ranges depend on

# (models, settings, tensors, why): patterns of the shell; what no row explains is a failure.
DELIBERATE = [
    ("ultraface_rfb_320 vit_cifar10_ibp_3_3_8", "*16*", "scores_* *Softmax_output_0_* _v_*",
     "opset 9 to 21: converters name what they put around a Softmax over several axes as they like"),
    ("ultraface_rfb_320 vit_cifar10_ibp_3_3_8", "*int8-*int8-channel*", "scores_* *Softmax_output_0_* _v_* operators",
     "opset 9 to 13, which scales per channel need, with the same names; that tool leaves the model at 11, where it does not load"),
    ("yolox_nano", "*int8-*int8-channel*", "854 855 856", "opset 11 to 13, where outputs of MaxPool have the scale of what they read; there the same"),
]


@dataclass(frozen=True)
class Setting:
    """One call of both tools: types, and options by the names of quantize_static."""
    activation: str = "uint8"
    weight: str = "int8"
    per_channel: bool = False
    symmetric: bool = False
    arguments: dict = field(default_factory=dict)   # of quantize_static
    extra: dict = field(default_factory=dict)       # its extra_options
    ours: tuple = ()                                # the same as options of preon

    def __str__(self):
        parts = [f"{self.activation}-{self.weight}", "channel" if self.per_channel else "tensor"]
        return "-".join([*parts, *["symmetric"] * self.symmetric, *self.arguments, *self.extra])

    @property
    def refused(self):
        """quantize_static takes no such pair of types."""
        return (self.activation, self.weight) == ("int8", "uint8")


class Reader(CalibrationDataReader):
    def __init__(self, feeds):
        self.feeds = feeds

    def get_next(self):
        return next(self.feeds, None)


def on_one_thread(monkeypatch):
    """Sums come out the same only in the same order."""
    session = onnxruntime.InferenceSession

    def opened(path, sess_options=None, **rest):
        sess_options.intra_op_num_threads = 1
        sess_options.log_severity_level = 3
        return session(path, sess_options=sess_options, **rest)

    monkeypatch.setattr(onnxruntime, "InferenceSession", opened)
    monkeypatch.setattr(logging.root.manager, "disable", logging.WARNING)   # undone with the test, for others log, too


def theirs(model, setting, output, ranges):
    """`ranges`: folder of ranges found earlier; they depend on the model's opset, which 16 bits raise, and on a few options."""
    wide = "16" in setting.activation + setting.weight
    calibration = [name for name in CALIBRATION if name in setting.extra]
    source = shutil.copy(model.path, output.with_suffix(".float.onnx"))   # beside which it leaves a file of its own
    quantize_static(str(source), str(output), Reader(model.feeds()), quant_format=QuantFormat.QDQ, per_channel=setting.per_channel,
                    activation_type=TYPES[setting.activation], weight_type=TYPES[setting.weight], calibrate_method=CalibrationMethod.MinMax,
                    extra_options={"ActivationSymmetric": setting.symmetric, **setting.extra}, **setting.arguments,
                    calibration_cache_path=ranges / "-".join([model.path.stem, "wide" * wide, *calibration, *setting.arguments.get("op_types_to_quantize", [])]))


def ours(model, setting, output):
    options = [*["--per-tensor"] * (not setting.per_channel), *["--symmetric"] * setting.symmetric, *setting.ours]
    model.quantize(output, "--data", "calib.npz", "--target", "ort", "--compat", "onnxruntime", "--method", "minmax", "--activation", setting.activation,
                   "--weight", setting.weight, "--no-optimize", "--batch", "1", "--threads", "1", *options)


def quantized(path):
    """(tensor or constant -> [(form, type of codes, scales, zero points, axis, domain, codes)], operators of the float graph)."""
    model = onnx.load(path)
    constants = {value.name: numpy_helper.to_array(value) for value in model.graph.initializer}
    found = {}
    for node in model.graph.node:
        of_codes = node.op_type == "DequantizeLinear" and node.input[0] in constants
        if node.op_type != "QuantizeLinear" and not of_codes:
            continue
        scale, zero = constants[node.input[1]], constants[node.input[2]]
        axis = next((a.i for a in node.attribute if a.name == "axis"), None) if scale.size > 1 else None
        tensor = node.input[0].removesuffix("_quantized" if of_codes else "_QuantizeLinear_Input")
        found.setdefault(tensor, []).append(("codes" if of_codes else "pair", str(zero.dtype), scale.ravel(), zero.ravel(), axis, node.domain,
                                             constants.get(node.input[0]) if of_codes else None))
    return found, Counter(node.op_type for node in model.graph.node if node.op_type not in QUANTIZERS and node.op_type != "Constant")


def ulps(a, b):
    return np.abs(a.astype(np.float32).view(np.int32).astype(np.int64) - b.astype(np.float32).view(np.int32).astype(np.int64)).max()


def difference(want, got):
    """Between two quantizers of a tensor; codes are held against each other where scales are equal to the bit. None: none."""
    facts = [(form, kind, axis, domain, scales.size) for form, kind, scales, _, axis, domain, _ in (want, got)]
    if facts[0] != facts[1]:
        return f"{facts[0]} is {facts[1]}"
    if ulps(want[2], got[2]) > 1 or not np.array_equal(want[3], got[3]):
        return f"scale {want[2][:2]} zero {want[3][:2]} is {got[2][:2]} {got[3][:2]}"
    if want[6] is not None and np.array_equal(want[2], got[2]) and not np.array_equal(want[6], got[6]):
        return f"{np.count_nonzero(want[6] != got[6])} of {want[6].size} codes"
    return None


def differences(theirs_path, ours_path):
    """tensor -> what is different; operators of the float graph under "operators"."""
    (want, their_operators), (got, our_operators) = quantized(theirs_path), quantized(ours_path)
    assert len(want) >= 3 and any(not np.all(zero == 0) or zero.dtype.kind == "i" for entries in want.values() for _, _, _, zero, *_ in entries)
    found = {}
    for tensor in want.keys() | got.keys():
        if tensor not in got or tensor not in want:
            found[tensor] = "only theirs" if tensor in want else "only ours"
        elif len(want[tensor]) != len(got[tensor]):
            found[tensor] = f"{len(want[tensor])} quantizers are {len(got[tensor])}"
        else:
            parts = [difference(w, g) for w, g in zip(want[tensor], got[tensor])]
            found |= {tensor: part for part in parts if part}
    if their_operators != our_operators:
        found["operators"] = f"{dict(their_operators - our_operators)} are {dict(our_operators - their_operators)}"
    return found, len(want)


def matches(name, patterns):
    return any(fnmatch(name, pattern) for pattern in patterns.split())


def surprises(model, setting, found):
    return {tensor: what for tensor, what in found.items()
            if not any(matches(model, models) and matches(str(setting), settings) and matches(tensor, tensors)
                       for models, settings, tensors, _ in DELIBERATE)}

"""Models that ONNX Runtime's quantizer writes."""
import numpy as np
import onnxruntime as ort
import pytest
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

import data_root

S8, U8 = QuantType.QInt8, QuantType.QUInt8
FORMS = {"int8": {"activation_type": S8}, "uint8": {"activation_type": U8}, "uint8 per channel": {"activation_type": U8, "per_channel": True},
         "int8 symmetric": {"activation_type": S8, "extra_options": {"ActivationSymmetric": True}},
         "uint16": {"activation_type": QuantType.QUInt16},
         "products only": {"activation_type": U8, "op_types_to_quantize": ["Conv", "MatMul", "Gemm"]},
         "int8, unsigned weights": {"activation_type": S8, "weight_type": U8}}


class Feeds(CalibrationDataReader):
    def __init__(self, feeds):
        self.feeds = iter(feeds)

    def get_next(self):
        return next(self.feeds, None)


def random_feeds(path, count=2):
    """For inputs of any shape: numbers below 2 for indices, else a normal distribution."""
    random = np.random.default_rng(0)
    session = ort.InferenceSession(path, providers=["CPUExecutionProvider"])
    shapes = {each.name: ([size if isinstance(size, int) and size > 0 else (16 if axis else 1) for axis, size in enumerate(each.shape)], each.type)
              for each in session.get_inputs()}
    return [{name: random.integers(0, 2, shape).astype(np.int64) if "int64" in kind else random.standard_normal(shape).astype(np.float32)
             for name, (shape, kind) in shapes.items()} for _ in range(count)]


def quantized(folder, source, form, feeds=None):
    """The path of `source` quantized by ONNX Runtime in one of FORMS."""
    prepared, result = folder / "prepared.onnx", folder / "other.onnx"
    quant_pre_process(source, prepared, skip_symbolic_shape=True)
    quantize_static(prepared, result, Feeds(feeds or random_feeds(prepared)), quant_format=QuantFormat.QDQ, **{"weight_type": S8, **FORMS[form]})
    return result


def model_path(name):
    path = data_root.data_root() / f"models/{name}.onnx"
    return path if path.exists() else pytest.skip(f"{name}: the model is not here; ./dev data fetches some")

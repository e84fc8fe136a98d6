"""preon: a float ONNX model and a few samples in, a quantized model out, verified before it gets its name.

    import preon
    result = preon.quantize("model.onnx", "model.int8.onnx", data="calib.npz")
    print(result)

Scripts written for AMD Quark's ONNX quantizer: `from preon import ModelQuantizer, QConfig, QLayerConfig, Int8Spec`.
"""
from ._preon import version as _version
from .calibration import CalibrationDataReader
from .core import Result, calibrate, quantize
from .errors import Cancelled, ConfigError, DataError, ModelError, NotFound, PreonError, VerificationError
from .quantization.api import ModelQuantizer
from .quantization.config.config import A8W8_QCONFIG, A16W8_QCONFIG, BF16_QCONFIG, BFP16_QCONFIG, QConfig
from .quantization.config.data_type import *  # noqa: F401,F403
from .quantization.config.spec import *  # noqa: F401,F403

__version__ = _version()

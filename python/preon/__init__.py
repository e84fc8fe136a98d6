"""preon: a float ONNX model and a few samples in, a quantized model out, verified before it gets its name.

    import preon
    result = preon.quantize("model.onnx", "model.int8.onnx", data="calib.npz")
    print(result)

Scripts written for AMD Quark's ONNX quantizer: replace `quark.onnx` by `preon` in the imports.
"""
from typing import TYPE_CHECKING

from ._preon import version as _version
from .calibration import (CachedDataReader, CalibrationDataReader, CalibrationMethod, ExtendedCalibrationMethod, Int16Method,
                          LayerWiseMethod, PathDataReader, PowerOfTwoMethod, RandomDataReader, create_calibrator_float_scale,
                          create_calibrator_power_of_two)
from .calibration import calibrators as _calibrators
from .core import analyze, calibrate, compare, diff, export_qat, inspect, instrument, lint, merge, passes, quantize, ranges, report, retarget, run, search, sensitivity, status, validate
from .crypt import decrypt, encrypt
from .deploy import dump_model, get_library_path
from .errors import Cancelled, ConfigError, DataError, ModelError, NotFound, NothingToGain, PreonError, VerificationError
from .quantization.api import ModelQuantizer
from .quantization.auto_search import AutoSearch, AutoSearchPro, SearchSpace, generate_all_configs, get_auto_search_config
from .quantization.config.algorithm import (AdaQuantConfig, AdaRoundConfig, AlgoConfig, AutoMixprecisionConfig,
                                            BiasCorrectionConfig, CLEConfig, GPTQConfig, QuarotConfig, SmoothQuantConfig)
from .quantization.config.config import Config, QConfig
from .quantization.config.custom_config import (A16W8_ADAQUANT_QCONFIG, A16W8_ADAROUND_QCONFIG, A16W8_QCONFIG,
                                                A8W8_ADAQUANT_QCONFIG, A8W8_ADAROUND_QCONFIG, A8W8_QCONFIG, BF16_QCONFIG,
                                                BFP16_QCONFIG, VINT8_QCONFIG, XINT8_ADAQUANT_QCONFIG, XINT8_ADAROUND_QCONFIG,
                                                XINT8_QCONFIG)
from .quantization.config.data_type import (BFP16, MX4, MX6, MX9, MXFP4E2M1, MXFP6E2M3, MXFP6E3M2, MXFP8E4M3, MXFP8E5M2,
                                            BaseDataType, BFloat16, DataType, Float16, Int4, Int8, Int16, Int32, MXInt8, UInt4,
                                            UInt8, UInt16, UInt32)
from .quantization.config.legacy import QuantizationConfig
from .quantization.config.spec import (BFP16Spec, BFloat16Spec, CalibMethod, Float16Spec, Int4Spec, Int8Spec, Int16Spec,
                                       Int32Spec, MX4Spec, MX6Spec, MX9Spec, MXFP4E2M1Spec, MXFP6E2M3Spec, MXFP6E3M2Spec,
                                       MXFP8E4M3Spec, MXFP8E5M2Spec, MXInt8Spec, QLayerConfig, QTensorConfig, QuantGranularity,
                                       ScaleType, UInt4Spec, UInt8Spec, UInt16Spec, UInt32Spec, XInt8Spec)
from .quantization.quant_utils import (_COP_DOMAIN, _COP_VERSION, ExtendedQuantFormat, ExtendedQuantType, QuantFormat,
                                       QuantizationMode, QuantType, VitisQuantFormat, VitisQuantType)
from .quantization.quantize import quantize_dynamic, quantize_static
from .result import Result

__version__ = _version()
_LAZY = _calibrators.OF_ONNX_RUNTIME
# Written out, since type checkers read no expression.
__all__ = [
    "CachedDataReader", "CalibrationDataReader", "CalibrationMethod", "ExtendedCalibrationMethod", "Int16Method",
    "LayerWiseMethod", "PathDataReader", "PowerOfTwoMethod", "RandomDataReader", "create_calibrator_float_scale",
    "create_calibrator_power_of_two", "analyze", "calibrate", "compare", "decrypt", "diff", "encrypt", "export_qat", "instrument", "lint", "merge", "passes", "quantize", "ranges",
    "report", "retarget", "run", "search", "sensitivity", "status", "validate",
    "dump_model", "get_library_path", "Cancelled", "ConfigError", "DataError", "ModelError", "NotFound", "PreonError",
    "VerificationError", "NothingToGain", "ModelQuantizer", "AutoSearch", "AutoSearchPro", "SearchSpace", "generate_all_configs",
    "get_auto_search_config", "AdaQuantConfig", "AdaRoundConfig", "AlgoConfig", "AutoMixprecisionConfig",
    "BiasCorrectionConfig", "CLEConfig", "GPTQConfig", "QuarotConfig", "SmoothQuantConfig", "Config", "QConfig",
    "A16W8_ADAQUANT_QCONFIG", "A16W8_ADAROUND_QCONFIG", "A16W8_QCONFIG", "A8W8_ADAQUANT_QCONFIG", "A8W8_ADAROUND_QCONFIG",
    "A8W8_QCONFIG", "BF16_QCONFIG", "BFP16_QCONFIG", "VINT8_QCONFIG", "XINT8_ADAQUANT_QCONFIG", "XINT8_ADAROUND_QCONFIG",
    "XINT8_QCONFIG", "BFP16", "MX4", "MX6", "MX9", "MXFP4E2M1", "MXFP6E2M3", "MXFP6E3M2", "MXFP8E4M3", "MXFP8E5M2",
    "BaseDataType", "BFloat16", "DataType", "Float16", "Int4", "Int8", "Int16", "Int32", "MXInt8", "UInt4", "UInt8",
    "UInt16", "UInt32", "QuantizationConfig", "BFP16Spec", "BFloat16Spec", "CalibMethod", "Float16Spec", "Int4Spec",
    "Int8Spec", "Int16Spec", "Int32Spec", "MX4Spec", "MX6Spec", "MX9Spec", "MXFP4E2M1Spec", "MXFP6E2M3Spec",
    "MXFP6E3M2Spec", "MXFP8E4M3Spec", "MXFP8E5M2Spec", "MXInt8Spec", "QLayerConfig", "QTensorConfig", "QuantGranularity",
    "ScaleType", "UInt4Spec", "UInt8Spec", "UInt16Spec", "UInt32Spec", "XInt8Spec", "ExtendedQuantFormat",
    "ExtendedQuantType", "QuantFormat", "QuantizationMode", "QuantType", "VitisQuantFormat", "VitisQuantType",
    "quantize_dynamic", "quantize_static", "Result", "_COP_DOMAIN", "_COP_VERSION", "CalibraterBase", "MinMaxCalibrater",
    "write_calibration_table",
]
if TYPE_CHECKING:
    __all__ += ["inspect"]  # a star import should not hide Python's own module


def __getattr__(name):
    if name in _LAZY:
        return getattr(_calibrators, name)
    raise AttributeError(f"module {__name__} has no attribute '{name}'")

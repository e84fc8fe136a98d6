"""Ready-made configurations: `NAME_QCONFIG` (QConfig) and the older `NAME_CONFIG` (QuantizationConfig).

A run never changes them. get_default_config() gives copies to change.
"""
import copy

from ...calibration.methods import CalibrationMethod, PowerOfTwoMethod
from ...errors import ConfigError
from ..members import did_you_mean
from ..quant_utils import ExtendedQuantFormat, ExtendedQuantType, QuantType
from .algorithm import AdaQuantConfig, AdaRoundConfig
from .config import QConfig
from .legacy import QuantizationConfig
from .spec import BFP16Spec, BFloat16Spec, Int8Spec, Int16Spec, QLayerConfig, XInt8Spec

_FORCED = {"ForceQuantizeNoInputCheck": True}
_ALIGNED = {**_FORCED, "AlignSlice": False, "FoldRelu": True, "AlignConcat": True}
_ALIGNED_16 = {**_ALIGNED, "AlignEltwiseQuantType": True}
_VINT8 = {"UseRandomData": True, "ConvertBNToConv": True, "ConvertSigmoidToHardSigmoid": False, "ConvertClipToRelu": True,
          "ConvertSplitToSlice": True, "SplitLargeKernelPool": False, "ReplaceClip6Relu": True,
          "ConvertReduceMeanToGlobalAvgPool": False, "RemoveQDQConvClip": False, "RemoveQDQConvPRelu": False,
          "RemoveQDQConvRelu": False, "RemoveQDQConvLeakyRelu": False, "Int32Bias": False, "DedicatedQDQPair": True,
          "QuantizeAllOpTypes": True}


def _new(activation, weight, options=None, algorithm=None):
    return QConfig(QLayerConfig(activation=activation(), weight=weight()), algo_config=[algorithm] if algorithm else None,
                   extra_options=options)


def _ada_round():
    return AdaRoundConfig(learning_rate=0.1, num_iterations=1000)


def _ada_quant():
    return AdaQuantConfig(learning_rate=1e-5, num_iterations=3000)


XINT8_QCONFIG = _new(XInt8Spec, XInt8Spec, _FORCED)
XINT8_ADAROUND_QCONFIG = _new(XInt8Spec, XInt8Spec, _FORCED, _ada_round())
XINT8_ADAQUANT_QCONFIG = _new(XInt8Spec, XInt8Spec, _FORCED, _ada_quant())
VINT8_QCONFIG = _new(XInt8Spec, XInt8Spec, {"OptimizeModel": False, "EnableNPUCnn": False, **_VINT8})
A8W8_QCONFIG = _new(Int8Spec, Int8Spec, _ALIGNED)
A8W8_ADAROUND_QCONFIG = _new(Int8Spec, Int8Spec, _ALIGNED, _ada_round())
A8W8_ADAQUANT_QCONFIG = _new(Int8Spec, Int8Spec, _ALIGNED, _ada_quant())
A16W8_QCONFIG = _new(Int16Spec, Int8Spec, _ALIGNED_16)
A16W8_ADAROUND_QCONFIG = _new(Int16Spec, Int8Spec, _ALIGNED_16, _ada_round())
A16W8_ADAQUANT_QCONFIG = _new(Int16Spec, Int8Spec, _ALIGNED_16, _ada_quant())
BF16_QCONFIG = _new(BFloat16Spec, BFloat16Spec, _FORCED)
BFP16_QCONFIG = _new(BFP16Spec, BFP16Spec)

_PERCENTILE, _MIN_MSE = CalibrationMethod.Percentile, PowerOfTwoMethod.MinMSE
_TAIL = {"Percentile": 99.9999}
_SYMMETRIC = {"ActivationSymmetric": True}
_BFP16 = {"BFPAttributes": {"bfp_method": "to_bfp", "axis": 1, "bit_width": 16, "block_size": 8, "rounding_mode": 2}}


def _mx(bit_width):
    return {"BFPAttributes": {"bfp_method": "to_bfp_prime", "axis": 1, "bit_width": bit_width, "block_size": 16,
                              "sub_block_size": 2, "sub_block_shift_bits": 1, "rounding_mode": 2}}


def _elements(dtype):
    return {"MXAttributes": {"element_dtype": dtype, "axis": 1, "block_size": 32, "rounding_mode": 2}}


def _mixed(data_type, method):
    spec = {"symmetric": True, "scale_type": "ScaleType.Float32", "calibration_method": f"CalibMethod.{method}",
            "quant_granularity": "QuantGranularity.Tensor", "data_type": data_type}
    return {"TargetLayerConfig": {role: dict(spec) for role in ("input_tensors", "weight", "bias")}}


def _mixed_bfloat16(data_type):
    return {**_SYMMETRIC, "QuantizeBias": False, "DedicateDQNode": True, "CalibDataSize": 1,
            "AutoMixprecision": {**_mixed(data_type, "MinMax"), "DualQuantNodes": True}}


def _tuning(algorithm, learning_rate):
    return {"include_fast_ft": True,
            "FastFinetune": {"DataSize": 1000, "FixedSeed": 1705472343, "BatchSize": 2, "NumIterations": 1000,
                             "LearningRate": learning_rate, "OptimAlgorithm": algorithm, "OptimDevice": "cpu", "InferDevice": "cpu",
                             "EarlyStop": True}}


_ROUND, _QUANT = _tuning("adaround", 0.1), _tuning("adaquant", 1e-5)


def _older(types=(), *parts, **fields):
    """Types: "Q…" of activations and weights; parts: keys of extra_options (capital) and fields of the configuration."""
    found = {}
    for part in (*parts, fields):
        found.update(part)
    for role, name in zip(("activation_type", "weight_type"), types):
        found[role] = QuantType[name] if name in ("QInt8", "QUInt8") else ExtendedQuantType[name]
    if found.pop("extended", False):
        found["quant_format"] = ExtendedQuantFormat.QDQ
    options = {name: copy.deepcopy(value) for name, value in found.items() if name[0].isupper()}
    return QuantizationConfig(**{name: value for name, value in found.items() if not name[0].isupper()}, extra_options=options)


_EXT, _PC, _NPU = {"extended": True}, {"calibrate_method": _PERCENTILE}, {"calibrate_method": _MIN_MSE, "enable_npu_cnn": True}
_TRANSFORMER = {"enable_npu_transformer": True}
_U8S8, _U16S16 = ("QUInt8", "QInt8"), ("QUInt16", "QInt16")
#: Types, parts, and which forms there are beside the plain one.
_OLDER = {
    "UINT8_DYNAMIC_QUANT": ((("QInt8", "QUInt8"), {"use_dynamic_quant": True}), ""),
    "XINT8": ((_U8S8, _NPU, _SYMMETRIC, _FORCED), "RQ"),
    "VINT8": ((("QInt8", "QInt8"), {"calibrate_method": _MIN_MSE, "optimize_model": False}, _SYMMETRIC, _VINT8), ""),
    "S8S8_AAWS": ((("QInt8", "QInt8"), _PC, _TAIL, _FORCED), "RQ"),
    "U8S8_AAWS": ((_U8S8, _PC, _FORCED), "RQ"),
    "U8U8_AAWA": ((("QUInt8", "QUInt8"), _PC, {"ActivationSymmetric": False, "WeightSymmetric": False}, _FORCED), ""),
    "S16S8_ASWS": ((("QInt16", "QInt8"), _EXT, _PC, _SYMMETRIC, _FORCED), "RQ"),
    "A8W8": ((("QInt8", "QInt8"), _EXT, _SYMMETRIC, _ALIGNED), "RQ"),
    "A16W8": ((("QInt16", "QInt8"), _EXT, _SYMMETRIC, _ALIGNED_16), "RQ"),
    "U16S8_AAWS": ((("QUInt16", "QInt8"), _EXT, _PC, _FORCED), "RQ"),
    "FP16": ((("QFloat16",) * 2, _EXT, _FORCED), "Q"),
    "BF16": ((("QBFloat16",) * 2, _EXT, _FORCED, {"QuantizeAllOpTypes": True}), "Q"),
    "BFP16": ((("QBFP",) * 2, _EXT, _BFP16), "Q"),
    "MX4": ((("QBFP",) * 2, _EXT, _mx(11)), "Q"),
    "MX6": ((("QBFP",) * 2, _EXT, _mx(13)), "Q"),
    "MX9": ((("QBFP",) * 2, _EXT, _mx(16)), "Q"),
    "MXFP8E5M2": ((("QMX",) * 2, _EXT, _elements("fp8_e5m2")), "Q"),
    "MXFP8E4M3": ((("QMX",) * 2, _EXT, _elements("fp8_e4m3")), "Q"),
    "MXFP6E3M2": ((("QMX",) * 2, _EXT, _elements("fp6_e3m2")), "Q"),
    "MXFP6E2M3": ((("QMX",) * 2, _EXT, _elements("fp6_e2m3")), "Q"),
    "MXFP4E2M1": ((("QMX",) * 2, _EXT, _elements("fp4_e2m1")), "Q"),
    "MXINT8": ((("QMX",) * 2, _EXT, _elements("int8")), "Q"),
    "S16S16_MIXED_S8S8": ((("QInt16",) * 2, _EXT, _PC, _TAIL, _FORCED,
                           {"include_auto_mp": True, "ActivationSymmetric": False, "WeightSymmetric": True, "Int32Bias": False,
                            "Int16Bias": False, "AutoMixprecision": _mixed("Int8", "Percentile")}), ""),
    "BF16_MIXED_BFP16": ((("QBFloat16",) * 2, _EXT, {"include_auto_mp": True}, _mixed_bfloat16("BFP16")), "Q"),
    "BF16_MIXED_MXINT8": ((("QBFloat16",) * 2, _EXT, {"include_auto_mp": True}, _mixed_bfloat16("MXInt8")), "Q"),
    "BF16_BFP16": ((("QBFloat16", "QBFP"), _EXT, _BFP16), ""),
    "BF16_MXINT8": ((("QBFloat16", "QMX"), _EXT, _elements("int8")), ""),
    "MX9_INT8": ((("QBFP", "QInt8"), _EXT, _mx(16)), ""),
    "INT8_CNN_DEFAULT": ((_U8S8, _FORCED), ""),
    "INT16_CNN_DEFAULT": ((_U16S16, _EXT, _FORCED), ""),
    "INT8_TRANSFORMER_DEFAULT": ((_U8S8, _TRANSFORMER, {"CalibMovingAverage": True}), ""),
    "INT16_TRANSFORMER_DEFAULT": ((_U16S16, _EXT, _TRANSFORMER, {"CalibMovingAverage": True}), ""),
    "INT8_CNN_ACCURATE": ((_U8S8, _PC, _TAIL, _FORCED, _ROUND), ""),
    "INT16_CNN_ACCURATE": ((_U16S16, _EXT, _PC, _TAIL, _FORCED, _ROUND), ""),
    "INT8_TRANSFORMER_ACCURATE": ((_U8S8, _PC, _TAIL, _TRANSFORMER, _ROUND), ""),
    "INT16_TRANSFORMER_ACCURATE": ((_U16S16, _EXT, _PC, _TAIL, _TRANSFORMER, _ROUND), ""),
    "MATMUL_NBITS": (((), {"UseMatMulNBits": True,
                           "MatMulNBitsParams": {"GroupSize": 128, "Symmetric": True, "Bits": 4, "AccuracyLevel": 1}}), ""),
}


def _all_older():
    presets = {}
    for name, (parts, forms) in _OLDER.items():
        presets[name] = _older(*parts)
        if "R" in forms:
            presets[f"{name}_ADAROUND"] = _older(*parts, _ROUND)
        if "Q" in forms:
            presets[f"{name}_ADAQUANT"] = _older(*parts, _QUANT)
    return presets


DefaultConfigMapping = _all_older()
XINT8_WEIGHTSONLY_ADAROUND_CONFIG = _older(_U8S8, _NPU, _SYMMETRIC, {"WeightsOnly": True}, _ROUND)
globals().update({f"{_name}_CONFIG": _preset for _name, _preset in DefaultConfigMapping.items()})


def get_default_config_mapping():
    """The older presets by name."""
    return DefaultConfigMapping


def get_default_config(config_name):
    """A QuantizationConfig of its own, from the older preset of that name. Raises ConfigError."""
    if config_name not in DefaultConfigMapping:
        raise ConfigError(1001, f"Unexpected config name: {config_name}, wanted one of {', '.join(DefaultConfigMapping)}"
                                + did_you_mean(config_name, DefaultConfigMapping), exit_status=2)
    return copy.deepcopy(DefaultConfigMapping[config_name])

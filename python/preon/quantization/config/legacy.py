"""QuantizationConfig, the older flat form, and what it says in the words of QConfig."""
import dataclasses
from typing import Any, Optional, Union

from ...calibration.methods import CalibrationMethod, Int16Method, LayerWiseMethod, PowerOfTwoMethod
from ...errors import ConfigError, not_yet
from ..members import parse_enum
from ..quant_utils import ExtendedQuantFormat, ExtendedQuantType, QuantFormat, QuantType, VitisQuantFormat, modern
from . import algorithm, data_type
from .spec import CalibMethod, QLayerConfig, QTensorConfig, QuantGranularity, ScaleType

_METHODS = {("CalibrationMethod", "MinMax"): (CalibMethod.MinMax, ScaleType.Float32),
            ("CalibrationMethod", "Entropy"): (CalibMethod.Entropy, ScaleType.Float32),
            ("CalibrationMethod", "Percentile"): (CalibMethod.Percentile, ScaleType.Float32),
            ("CalibrationMethod", "Distribution"): (CalibMethod.Distribution, ScaleType.Float32),
            ("LayerWiseMethod", "LayerWisePercentile"): (CalibMethod.LayerwisePercentile, ScaleType.Float32),
            ("PowerOfTwoMethod", "MinMSE"): (CalibMethod.MinMSE, ScaleType.PowerOf2),
            ("PowerOfTwoMethod", "NonOverflow"): (CalibMethod.MinMax, ScaleType.PowerOf2),
            ("Int16Method", "MinMax"): (CalibMethod.MinMax, ScaleType.Int16)}
_BLOCKS = {16: data_type.BFP16, 11: data_type.MX4, 13: data_type.MX6}  # by bit_width; 16 with sub-blocks is MX9
_ELEMENTS = {"int8": data_type.MXInt8, "fp4_e2m1": data_type.MXFP4E2M1, "fp6_e3m2": data_type.MXFP6E3M2,
             "fp6_e2m3": data_type.MXFP6E2M3, "fp8_e5m2": data_type.MXFP8E5M2, "fp8_e4m3": data_type.MXFP8E4M3}
_TRANSFORMER = {"OpTypesToQuantize": ["Gemm", "MatMul"], "MatMulConstBOnly": True}  # what enable_npu_transformer means but for its target
_WHOLE_FORMATS = {"BFPFixNeuron": "QBFP", "MXFixNeuron": "QMX"}
#: Fields that are keys of extra_options, and the value that needs no key.
_KEYS = {"input_nodes": ("InputNodes", []), "output_nodes": ("OutputNodes", []), "op_types_to_quantize": ("OpTypesToQuantize", []),
         "nodes_to_quantize": ("NodesToQuantize", []), "extra_op_types_to_quantize": ("ExtraOpTypesToQuantize", []),
         "specific_tensor_precision": ("SpecificTensorPrecision", False),
         "execution_providers": ("ExecutionProviders", ["CPUExecutionProvider"]), "optimize_model": ("OptimizeModel", True),
         "convert_fp16_to_fp32": ("ConvertFP16ToFP32", False), "convert_nchw_to_nhwc": ("ConvertNCHWToNHWC", False),
         # None: always said, because powers of two alone make a QConfig one for that target.
         "enable_npu_cnn": ("EnableNPUCnn", None), "debug_mode": ("DebugMode", False), "crypto_mode": ("CryptoMode", False),
         "print_summary": ("PrintSummary", True), "ignore_warnings": ("IgnoreWarnings", True)}


@dataclasses.dataclass
class QuantizationConfig:
    """The older configuration. Cross-layer equalization (`include_cle`) is on by default there."""

    calibrate_method: Union[CalibrationMethod, PowerOfTwoMethod, LayerWiseMethod, Int16Method] = CalibrationMethod.MinMax
    quant_format: Union[QuantFormat, ExtendedQuantFormat] = QuantFormat.QDQ
    activation_type: Union[QuantType, ExtendedQuantType] = QuantType.QInt8
    weight_type: Union[QuantType, ExtendedQuantType] = QuantType.QInt8
    input_nodes: list[str] = dataclasses.field(default_factory=list)
    output_nodes: list[str] = dataclasses.field(default_factory=list)
    op_types_to_quantize: list[str] = dataclasses.field(default_factory=list)
    nodes_to_quantize: list[str] = dataclasses.field(default_factory=list)
    extra_op_types_to_quantize: list[str] = dataclasses.field(default_factory=list)
    nodes_to_exclude: list[str] = dataclasses.field(default_factory=list)
    subgraphs_to_exclude: list[tuple[list[str], list[str]]] = dataclasses.field(default_factory=list)
    specific_tensor_precision: bool = False
    execution_providers: list[str] = dataclasses.field(default_factory=lambda: ["CPUExecutionProvider"])
    per_channel: bool = False
    reduce_range: bool = False
    optimize_model: bool = True
    use_dynamic_quant: bool = False
    use_external_data_format: bool = False
    convert_fp16_to_fp32: bool = False
    convert_nchw_to_nhwc: bool = False
    include_sq: bool = False
    include_rotation: bool = False
    include_cle: bool = True
    include_auto_mp: bool = False
    include_fast_ft: bool = False
    enable_npu_cnn: bool = False
    enable_npu_transformer: bool = False
    debug_mode: bool = False
    crypto_mode: bool = False
    print_summary: bool = True
    ignore_warnings: bool = True
    log_severity_level: None = None
    extra_options: dict[str, Any] = dataclasses.field(default_factory=dict)


def to_qconfig(config, algorithms=None):
    """The QConfig that says the same. Raises ConfigError for values of the wrong kind and for what this version has not."""
    from .config import QConfig

    _check_kinds(config)
    _check_absent(config)
    extra = dict(config.extra_options or {})
    for field, (key, default) in _KEYS.items():
        value = getattr(config, field)
        if value is not None and value != default:
            extra.setdefault(key, value)
    target = "npu-transformer" if config.enable_npu_transformer and _has_transformer_target(config, extra) else None
    if config.enable_npu_transformer and target is None:
        for key, value in _TRANSFORMER.items():
            extra.setdefault(key, value)
    layer = QLayerConfig(input_tensors=_activation(config, extra), weight=_weight(config, extra))
    if not extra.get("UseMatMulNBits"):  # with it, neither has an effect
        for key in ("ActivationSymmetric", "WeightSymmetric"):
            extra.pop(key, None)
    return QConfig(layer, exclude=[*(config.nodes_to_exclude or []), *(config.subgraphs_to_exclude or [])],
                   algo_config=[*_algorithms(config, extra), *(algorithms or [])],
                   use_external_data_format=config.use_external_data_format, extra_options=extra,
                   preon_options=_options(config, target))


#: What fields are called among preon's options; several may be one field.
_OPTION_NAMES = {"activation": "activation_type", "weight": "weight_type", "method": "calibrate_method", "scale-type": "calibrate_method",
                 "weight-scale-type": "calibrate_method", "weight-method": "calibrate_method", "per-tensor": "per_channel",
                 "symmetric": "ActivationSymmetric", "reduce-range": "reduce_range", "format": "quant_format"}


def option_names(config):
    """{option of preon: what the older configuration calls it}, for messages. `config`: a QConfig of to_qconfig()."""
    by_flag = {"target": "enable_npu_transformer"} if "target" in config.preon_options else {}
    return {**_OPTION_NAMES, **by_flag}


def _options(config, target):
    """Fields that no key stands for, as options of ours."""
    name = "extended" if _is_extended(config) else "qoperator" if modern(config.quant_format).name == "QOperator" else None
    return {key: value for key, value in {"format": name, "target": target, "reduce_range": config.reduce_range}.items() if value}


def _has_transformer_target(config, extra):
    """Quark's quantizer for transformers has float scales, and target npu-transformer 8 bits."""
    bytes_alone = all(_type(config, role, extra) in (data_type.Int8, data_type.UInt8) for role in ("activation_type", "weight_type"))
    return not _is_extended(config) and bytes_alone and _method(config)[1] is ScaleType.Float32


def _is_extended(config):
    """Quark's extended quantizer, which has no flags of NPUs."""
    return isinstance(modern(config.quant_format), ExtendedQuantFormat)


def dynamic_options(config):
    """Options of preon.quantize() for `use_dynamic_quant`, where activations get their scales in each run. Raises as to_qconfig()."""
    _check_kinds(config)
    if config.subgraphs_to_exclude:
        raise not_yet("use_dynamic_quant with subgraphs_to_exclude")
    keys = dict(config.extra_options or {})
    for field in ("op_types_to_quantize", "nodes_to_quantize"):
        if getattr(config, field):
            keys.setdefault(_KEYS[field][0], getattr(config, field))
    return {"target": "dynamic", "weight": _type(config, "weight_type", keys).__name__.lower(), "per_tensor": not config.per_channel,
            "reduce_range": config.reduce_range, "exclude": config.nodes_to_exclude or [], "option": [(key, value) for key, value in keys.items() if value is not None]}


def _check_kinds(config):
    for field in dataclasses.fields(QuantizationConfig):
        value = getattr(config, field.name)
        kind = bool if field.type is bool else list if str(field.type).startswith("list") else dict if field.name == "extra_options" else None
        if kind and not isinstance(value, kind) and not (value is None and kind is not bool):
            raise ConfigError(1002, f"{field.name}: got {value!r}, wanted {kind.__name__}", exit_status=2)


def _check_absent(config):
    if getattr(modern(config.quant_format), "name", None) not in ("QDQ", "QOperator"):
        parse_enum(QuantFormat, config.quant_format, "quant_format")


def _algorithms(config, extra):
    if config.include_cle and not extra.get("UseMatMulNBits"):  # whose weights are written once, in blocks
        # It is on by default: unless a key sets how it acts, it acts only as far as the expected error falls.
        by_error = extra.get("Compat") != "quark" and not any(key.startswith("CLE") for key in extra)
        yield algorithm.CLEConfig(cle_balance_method="error" if by_error else "max", cle_total_layer_diff_threshold=2e-7)
    if config.include_sq:
        yield algorithm.SmoothQuantConfig()
    if config.include_rotation:
        yield algorithm.QuarotConfig()
    if config.include_auto_mp:
        yield algorithm.AutoMixprecisionConfig(QLayerConfig())
    if config.include_fast_ft:
        adaround = (extra.get("FastFinetune") or {}).get("OptimAlgorithm") == "adaround"
        yield algorithm.AdaRoundConfig() if adaround else algorithm.AdaQuantConfig()


def _method(config):
    method = config.calibrate_method
    key = (type(method).__name__, getattr(method, "name", method))
    if key not in _METHODS:
        known = ", ".join(".".join(each) for each in _METHODS)
        raise ConfigError(1002, f"calibrate_method: got {method!r}, wanted one of {known}", exit_status=2)
    return _METHODS[key]


def _type(config, role, extra):
    member = modern(getattr(config, role))
    whole = _WHOLE_FORMATS.get(getattr(config.quant_format, "name", None)) if isinstance(config.quant_format, VitisQuantFormat) else None
    return type_of(whole or member, role, extra)


def type_of(member, role, extra):
    """The data type that a member of one of the older enumerations, or its name, stands for. Raises ConfigError, which begins with `role`."""
    name = getattr(member, "name", member)
    if name in _BY_NAME:
        return _BY_NAME[name]
    if name == "QBFP":
        attributes = extra.get("BFPAttributes") or {}
        bits = attributes.get("bit_width", 16)
        prime = attributes.get("bfp_method", "to_bfp") == "to_bfp_prime"
        return data_type.MX9 if prime and bits == 16 else _BLOCKS.get(bits, data_type.BFP16)
    if name == "QMX":
        element = (extra.get("MXAttributes") or {}).get("element_dtype", "int8")
        if element not in _ELEMENTS:
            raise ConfigError(1002, f"MXAttributes: element_dtype: got {element!r}, wanted one of {', '.join(_ELEMENTS)}", exit_status=2)
        return _ELEMENTS[element]
    return _BY_NAME[parse_enum(ExtendedQuantType, member, role).name]


_BY_NAME = {each.map_onnx_format.name: each for each in (*data_type.ALL, data_type.Float8E4M3FN) if each.map_onnx_format.name not in ("QBFP", "QMX")}


def _activation(config, extra):
    method, scale = _method(config)
    kind = _type(config, "activation_type", extra)
    symmetric = _flag(extra, "ActivationSymmetric", not hasattr(kind, "min_value"))
    return QTensorConfig(symmetric, scale, method, QuantGranularity.Tensor, kind)


def _flag(extra, key, default):
    value = extra.get(key)
    if value not in (None, 0, 1):
        raise ConfigError(1005, f"{key}: got {value!r}, wanted true or false", exit_status=2)
    return default if value is None else bool(value)


def _weight(config, extra):
    method, scale = _method(config)
    kind = _type(config, "weight_type", extra)
    method = CalibMethod.MinMSE if scale is ScaleType.PowerOf2 and method is CalibMethod.MinMSE else CalibMethod.MinMax
    granularity = QuantGranularity.Channel if config.per_channel else QuantGranularity.Tensor
    return QTensorConfig(_flag(extra, "WeightSymmetric", True), scale, method, granularity, kind)

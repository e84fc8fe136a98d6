"""QConfig, and what it means in options of preon."""
import copy
import json
import warnings

from ...errors import ConfigError
from . import data_type as types
from .spec import (BFP16Spec, BFloat16Spec, CalibMethod, Int8Spec, Int16Spec, QLayerConfig, QuantGranularity,
                   QTensorConfig, ScaleType)

_METHODS = {CalibMethod.MinMax: "minmax", CalibMethod.MinMSE: "minmse", CalibMethod.Percentile: "percentile",
            CalibMethod.Entropy: "entropy", CalibMethod.LayerwisePercentile: "layerwise-percentile",
            CalibMethod.Distribution: "distribution"}
_SCALES = {ScaleType.Float32: "float32", ScaleType.PowerOf2: "power-of-two", ScaleType.Int16: "int16"}
_BYTES = (types.Int8, types.UInt8)
_ASYMMETRIC_WEIGHTS = (types.UInt4, types.UInt8, types.UInt16, types.UInt32)


def _not_yet(what):
    return ConfigError(1007, f"{what}: is not in this version", exit_status=2)


class QConfig:
    """What to quantize and how. Compares by value; a run never changes it.

    extra_options: the reference's options by their names, of which `preon doctor` says how many this version has;
    `preon_options`: options of `preon quantize --help` by their long names, such as {"target": "simulate"}.
    """

    def __init__(self, global_config, specific_layer_config=None, layer_type_config=None, exclude=None, algo_config=None,
                 use_external_data_format=False, extra_options=None, preon_options=None, **kwargs):
        if extra_options is not None and not isinstance(extra_options, dict):
            raise ConfigError(1003, f"extra_options must be a dict, got {type(extra_options).__name__}", exit_status=2)
        if kwargs and extra_options is None:
            warnings.warn("options as keywords of QConfig are deprecated: extra_options={...}", DeprecationWarning, 2)
        self.global_config = global_config
        self.specific_layer_config = specific_layer_config or {}
        self.layer_type_config = layer_type_config or {}
        self.exclude = exclude or []
        self.algo_config = algo_config or []
        self.use_external_data_format = use_external_data_format
        self.extra_options = {**kwargs, **(extra_options or {})}
        self.preon_options = dict(preon_options or {})

    def __eq__(self, other):
        return isinstance(other, QConfig) and vars(self) == vars(other)

    def __repr__(self):
        return f"QConfig({', '.join(f'{name}={value!r}' for name, value in vars(self).items() if value)})"

    def to_dict(self):
        for name in ("specific_layer_config", "layer_type_config", "algo_config"):
            if getattr(self, name):
                raise _not_yet(f"to_dict with {name}")
        return {"global_config": self.global_config.to_dict(), "exclude": copy.deepcopy(self.exclude),
                "use_external_data_format": self.use_external_data_format,
                "extra_options": copy.deepcopy(self.extra_options), "preon_options": dict(self.preon_options)}

    @staticmethod
    def from_dict(d):
        return QConfig(**{**d, "global_config": QLayerConfig.from_dict(d["global_config"])})

    def settings(self):
        """Options of preon that say the same. Raises ConfigError for what this version has not."""
        for name in ("specific_layer_config", "layer_type_config", "algo_config"):
            if getattr(self, name):
                raise _not_yet(f"QConfig.{name}")
        if self.use_external_data_format:
            raise _not_yet("QConfig.use_external_data_format")
        activation, weight = _roles(self.global_config)
        options = {"activation": _type_of(activation), "weight": _type_of(weight), **_ranges(activation), **_weights(weight)}
        if activation.data_type not in _BYTES or weight.data_type not in _BYTES:
            options["target"] = "quark"
        options["exclude"] = [_selector(each) for each in self.exclude]
        options["option"] = [(name, value) for name, value in self.extra_options.items() if value is not None]
        options.update(self.preon_options)
        return options


def _roles(config):
    if not isinstance(config, QLayerConfig):
        raise ConfigError(1003, f"global_config: got {type(config).__name__}, wanted a QLayerConfig", exit_status=2)
    if config.activation is not None and config.input_tensors is not None:
        raise ConfigError(1004, "Both `activation` and `input_tensors` are provided. Please just use `input_tensors`.", exit_status=2)
    if config.activation is not None:
        warnings.warn("`activation` is the old name of `input_tensors`", DeprecationWarning, 4)
    activation = config.input_tensors if config.input_tensors is not None else config.activation
    if activation is None:
        raise ConfigError(1002, "You must specify `input_tensors`.", exit_status=2)
    if config.weight is None:
        raise ConfigError(1002, "You must specify either `weight`.", exit_status=2)
    for role in ("bias", "output_tensors"):
        if getattr(config, role) is not None:
            raise _not_yet(f"QLayerConfig.{role}")
    for role, spec in (("input_tensors", activation), ("weight", config.weight)):
        if not isinstance(spec, QTensorConfig):
            raise ConfigError(1003, f"{role}: got {type(spec).__name__}, wanted a QTensorConfig", exit_status=2)
    return activation, config.weight


def _type_of(spec):
    name = getattr(spec.data_type, "preon_name", None)
    if name is None:
        raise ConfigError(1003, f"data_type: got {spec.data_type!r}, wanted one of {', '.join(t.__name__ for t in types.ALL)}", exit_status=2)
    return name


def _is_integer(spec):
    return spec.data_type.__name__.lstrip("U").startswith("Int")


def _ranges(activation):
    if not _is_integer(activation):
        return {}   # nothing is calibrated
    return {"method": _METHODS[activation.calibration_method], "symmetric": bool(activation.symmetric),
            "scale-type": _SCALES[activation.scale_type]}


def _weights(weight):
    if not _is_integer(weight):
        return {}
    if bool(weight.symmetric) == (weight.data_type in _ASYMMETRIC_WEIGHTS):
        raise _not_yet(f"weight: {weight.data_type.__name__} with symmetric={weight.symmetric}")
    if weight.quant_granularity is QuantGranularity.Group:
        raise ConfigError(1002, "weight: QuantGranularity.Group wants preon_options={'block-size': N}", exit_status=2)
    options = {"weight-scale-type": _SCALES[weight.scale_type]}
    if weight.calibration_method is CalibMethod.MinMSE:
        options["weight-method"] = "minmse"
    if weight.quant_granularity is QuantGranularity.Tensor:
        options["per-tensor"] = True
    return options


def _selector(name):
    if isinstance(name, str):
        return name
    raise _not_yet("exclude with sub-graphs")


def _preset(activation, weight, **extra_options):
    return QConfig(QLayerConfig(input_tensors=activation, weight=weight), extra_options=extra_options or None)


A8W8_QCONFIG = _preset(Int8Spec(), Int8Spec())
A16W8_QCONFIG = _preset(Int16Spec(), Int8Spec())
BF16_QCONFIG = _preset(BFloat16Spec(), BFloat16Spec())
BFP16_QCONFIG = _preset(BFP16Spec(), BFP16Spec())

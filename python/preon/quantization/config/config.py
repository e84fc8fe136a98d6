"""QConfig: what to quantize and how. Config: the older form of it."""
import copy
import dataclasses
import warnings
from typing import Any, Optional, Union

from ...errors import ConfigError
from .algorithm import AlgoConfig
from .legacy import QuantizationConfig
from .plain import plain, restored
from .spec import QLayerConfig, check_keys

Layers = Union[dict[Optional[QLayerConfig], list], list]


class QConfig:
    """What to quantize and how. Compares by value; a run never changes it.

    global_config             types of activations and weights: QLayerConfig(input_tensors=…, weight=…)
    specific_layer_config     {QLayerConfig: [node name, pattern, or (start nodes, end nodes)]}, or pairs of these
    layer_type_config         {QLayerConfig: [operator type]}; under None, operators that stay float
    exclude                   nodes that stay float, in the same words
    algo_config               algorithms: CLEConfig(), …
    use_external_data_format  tensors in a file beside the model
    extra_options             AMD Quark's options by their names; None as a value is the default
    preon_options             options of `preon quantize --help` by their long names, such as {"target": "simulate"}
    kwargs                    more of extra_options, deprecated; those of extra_options win

    Values are checked by to_dict() and when a model is quantized. Raises ConfigError if extra_options is no dict.
    """

    def __init__(self, global_config: QLayerConfig, specific_layer_config: Optional[Layers] = None,
                 layer_type_config: Optional[Layers] = None, exclude: Optional[list] = None,
                 algo_config: Optional[list[AlgoConfig]] = None, use_external_data_format: bool = False,
                 extra_options: Optional[dict[str, Any]] = None, preon_options: Optional[dict[str, Any]] = None, **kwargs):
        for name, given in (("extra_options", extra_options), ("preon_options", preon_options)):
            if given is not None and not isinstance(given, dict):
                raise ConfigError(1002, f"{name} must be a dict, got {type(given).__name__}", exit_status=2)
        if kwargs and extra_options is None:
            warnings.warn("options as keywords of QConfig are deprecated, use extra_options={...}", DeprecationWarning, 2)
        self.global_config = global_config
        self.specific_layer_config = copy.copy(specific_layer_config) or {}
        self.layer_type_config = copy.copy(layer_type_config) or {}
        self.exclude = copy.copy(exclude) or []
        self.algo_config = copy.copy(algo_config) or []
        self.use_external_data_format = use_external_data_format
        self.extra_options = {**kwargs, **(extra_options or {})}
        self.preon_options = dict(preon_options or {})

    def to_dict(self):
        """As plain values. Raises ConfigError for a value of the wrong kind, and for readers and functions."""
        if not isinstance(self.global_config, QLayerConfig):
            raise ConfigError(1002, f"global_config: got {self.global_config!r}, wanted a QLayerConfig", exit_status=2)
        if not isinstance(self.use_external_data_format, bool):
            raise ConfigError(1002, f"use_external_data_format: got {self.use_external_data_format!r}, wanted True or False", exit_status=2)
        stored = {"global_config": self.global_config.to_dict("global_config"),
                  "specific_layer_config": _layers(self.specific_layer_config, "specific_layer_config"),
                  "layer_type_config": _layers(self.layer_type_config, "layer_type_config"),
                  "exclude": _selectors(self.exclude, "exclude"),
                  "algo_config": [_algorithm(each) for each in _listed(self.algo_config, "algo_config")],
                  "use_external_data_format": self.use_external_data_format,
                  "extra_options": plain(self.extra_options, "extra_options")}
        if self.preon_options:
            stored["preon_options"] = plain(self.preon_options, "preon_options")
        return stored

    @staticmethod
    def from_dict(d):
        """The inverse of to_dict(); what is absent is the default. Raises ConfigError."""
        check_keys(d, _FIELDS, "QConfig")
        if "global_config" not in d:
            raise ConfigError(1003, "QConfig dict must contain field 'global_config'.", exit_status=2)
        layers = {name: _pairs_from(d.get(name) or [], name) for name in ("specific_layer_config", "layer_type_config")}
        return QConfig(QLayerConfig.from_dict(d["global_config"], "global_config"), **layers,
                       exclude=_selectors_from(d.get("exclude") or []),
                       algo_config=[AlgoConfig.from_dict(each) for each in d.get("algo_config") or []],
                       use_external_data_format=d.get("use_external_data_format", False),
                       extra_options=restored(d.get("extra_options") or {}), preon_options=d.get("preon_options"))

    @staticmethod
    def get_default_config(config_name):
        """A Config of its own around the older preset of that name. Raises ConfigError."""
        from .custom_config import get_default_config

        return Config(get_default_config(config_name))

    def __eq__(self, other):
        return isinstance(other, QConfig) and self._values() == other._values()

    __hash__ = object.__hash__

    def _values(self):
        return [self.global_config, _pairs(self.specific_layer_config), _pairs(self.layer_type_config),
                plain([self.exclude, self.extra_options, self.preon_options], "", strict=False), self.algo_config,
                self.use_external_data_format]

    def __repr__(self):
        return f"QConfig({', '.join(f'{name}={value!r}' for name, value in vars(self).items() if value)})"


_FIELDS = ["global_config", "specific_layer_config", "layer_type_config", "exclude", "algo_config", "use_external_data_format",
           "extra_options", "preon_options"]


@dataclasses.dataclass
class Config:
    """The older form: a QuantizationConfig in an envelope."""

    global_quant_config: QuantizationConfig


def _listed(value, where):
    if not isinstance(value, (list, tuple)):
        raise ConfigError(1002, f"{where}: got {value!r}, wanted a list", exit_status=2)
    return value


def _pairs(layers):
    return [tuple(each) for each in (layers.items() if isinstance(layers, dict) else layers)]


def _layers(layers, where):
    """[[layer or None, selectors], …]."""
    if not isinstance(layers, dict) and not all(isinstance(each, (list, tuple)) and len(each) == 2 for each in _listed(layers, where)):
        raise ConfigError(1002, f"{where}: got {layers!r}, wanted a dict of lists of names by QLayerConfig", exit_status=2)
    stored = []
    for layer, selectors in _pairs(layers):
        if not isinstance(layer, QLayerConfig) and not (layer is None and where == "layer_type_config"):
            raise ConfigError(1002, f"{where}: got the key {layer!r}, wanted a QLayerConfig", exit_status=2)
        stored.append([layer and layer.to_dict(where), _selectors(selectors, where)])
    return stored


def _pairs_from(stored, where):
    """A dict, whose keys are told apart by identity."""
    if not all(isinstance(each, list) and len(each) == 2 for each in _listed(stored, where)):
        raise ConfigError(1002, f"{where}: got {stored!r}, wanted pairs of a layer config and a list of names", exit_status=2)
    return {layer if layer is None else QLayerConfig.from_dict(layer, where): _selectors_from(names) for layer, names in stored}


def _selectors(selectors, where):
    for each in _listed(selectors, where):
        lists = isinstance(each, (tuple, list)) and all(isinstance(names, (list, tuple)) for names in each)
        if not isinstance(each, str) and not (lists and len(each) == 2):
            raise ConfigError(1002, f"{where}: got {each!r}, wanted a name, or a pair (start nodes, end nodes) of lists of names",
                              exit_status=2)
    return plain(list(selectors), where)


def _selectors_from(stored):
    return [tuple(each) if isinstance(each, list) else each for each in stored]


def _algorithm(each):
    if not isinstance(each, AlgoConfig):
        raise ConfigError(1002, f"algo_config: got {each!r}, wanted algorithms such as CLEConfig()", exit_status=2)
    return each.to_dict()

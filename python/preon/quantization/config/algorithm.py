"""Algorithms that change weights or choose types: their parameters."""
import dataclasses
import functools
import pathlib
import typing
from typing import Callable, Optional, Union

from ...errors import ConfigError
from ..members import did_you_mean
from . import earlier_mixing
from .spec import QLayerConfig

_MATRIX_OPS = ("Conv", "ConvTranspose", "Gemm", "MatMul")
_TUNED_OPS = (*_MATRIX_OPS, "InstanceNormalization", "LayerNormalization")
_FROM_1, _SHARE = (1, None), (0, 1)
#: smallest and largest value of a parameter, by its name; what else it may be.
_LIMITS = {"alpha": _SHARE, "block_size": _FROM_1, "batch_size": _FROM_1, "num_batches": _FROM_1, "num_iterations": _FROM_1,
           "learning_rate": (0, None), "drop_ratio": _SHARE, "mem_opt_level": (0, 2), "warm_start": _SHARE, "reg_param": (0, None),
           "num_workers": (0, None), "data_size": (0, None), "log_period": _FROM_1, "worker_num": _FROM_1, "r_matrix_dim": _FROM_1,
           "perc_damp": (0, None), "bits": (2, 8), "cle_steps": (-1, None), "group_size": (-1, None),
           "metric_output_index": (0, None)}
_CHOICES = {"cle_balance_method": ("max", "error"), "metric_default": ("l2", "kl", "cosine", "sqnr", "psnr"),
            "metric_optimize_object": ("speed", "quality"), "shared_param_mode": ("propagate", "unshare")}
_KEY_WORDS = {"lr": "LR", "qdq": "QDQ", "gds": "GDS", "mse": "MSE", "cle": "CLE"}


def _camel(name):
    return "".join(_KEY_WORDS.get(word, word.capitalize()) for word in name.split("_"))


def _fits(value, kind):
    if typing.get_origin(kind) is Union:
        return any(_fits(value, each) for each in typing.get_args(kind))
    if kind in (int, float):
        return isinstance(value, (int, float) if kind is float else int) and not isinstance(value, bool)
    if typing.get_origin(kind) in (list, tuple):
        return isinstance(value, (list, tuple))
    return callable(value) if typing.get_origin(kind) is not None else isinstance(value, kind)


class AlgoConfig:
    """Base of all of them. Raises ConfigError for a parameter of the wrong kind or outside of its limits."""

    name: typing.ClassVar[str]

    def __post_init__(self):
        for field in dataclasses.fields(self):
            self._check(field, getattr(self, field.name))

    def _check(self, field, value):
        where = f"{type(self).__name__}.{field.name}"
        if not _fits(value, field.type):
            wanted = getattr(field.type, "__name__", None) if typing.get_origin(field.type) is None else str(field.type)
            raise ConfigError(1002, f"{where}: got {value!r}, wanted {wanted.replace('typing.', '')}", exit_status=2)
        least, most = _LIMITS.get(field.name, (None, None))
        if value is not None and (least is not None and value < least or most is not None and value > most):
            raise ConfigError(1002, f"{where}: got {value}, wanted {f'{least} to {most}' if most is not None else f'at least {least}'}",
                              exit_status=2)
        if field.name in _CHOICES and value not in _CHOICES[field.name]:
            raise ConfigError(1002, f"{where}: got {value!r}, wanted one of {', '.join(_CHOICES[field.name])}"
                                    + did_you_mean(value, _CHOICES[field.name]), exit_status=2)

    def get_options(self):
        """The keys of extra_options that say the same."""
        return {_camel(field.name): getattr(self, field.name) for field in dataclasses.fields(self)}

    def to_dict(self):
        """The name and what differs from the defaults. Raises ConfigError for a function, which can't be stored."""
        self.__post_init__()
        stored = {"name": self.name}
        for field in dataclasses.fields(self):
            value, default = getattr(self, field.name), _default(field)
            if default is dataclasses.MISSING or value != default:
                stored[field.name] = _plain(value, f"{type(self).__name__}.{field.name}")
        return stored

    def __eq__(self, other):
        return type(self) is type(other) and self._values() == other._values()

    __hash__ = object.__hash__

    def _values(self):
        values = (getattr(self, field.name) for field in dataclasses.fields(self))
        return [list(value.items()) if isinstance(value, dict) else value for value in values]

    @classmethod
    def from_dict(cls, d):
        """The inverse of to_dict(). Raises ConfigError."""
        if "name" not in d:
            raise ConfigError(1003, "Algo config dict must contain field 'name'.", exit_status=2)
        kind = ALGO_NAME_TO_CLASS.get(d["name"])
        if kind is None or not issubclass(kind, cls):
            raise ConfigError(1002, f"Unknown algo name: {d['name']}, wanted one of {', '.join(ALGO_NAME_TO_CLASS)}"
                                    + did_you_mean(d["name"], ALGO_NAME_TO_CLASS), exit_status=2)
        known = [field.name for field in dataclasses.fields(kind)]
        for key in d:
            if key not in ("name", *known):
                raise ConfigError(1001, f"algorithm {d['name']}: unknown parameter '{key}', wanted one of {', '.join(known) or 'none'}"
                                        + did_you_mean(key, known), exit_status=2)
        return kind(**{key: _loaded(key, value) for key, value in d.items() if key != "name"})


def _default(field):
    return field.default_factory() if field.default_factory is not dataclasses.MISSING else field.default


def _plain(value, where):
    if isinstance(value, QLayerConfig):
        return value.to_dict(where)
    if isinstance(value, dict):
        return [[_plain(key, where), list(names)] for key, names in value.items()]
    if isinstance(value, (list, tuple)):
        return [_plain(each, where) for each in value]
    if callable(value):
        raise ConfigError(1002, f"{where}: a function can't be stored; metric_default names metrics that can",
                          exit_status=2)
    return str(value) if isinstance(value, pathlib.Path) else value


def _loaded(key, value):
    if key != "target_layer_config":
        return tuple(value) if isinstance(value, list) and key in ("beta_range", "lr_adjust", "target_op_type") else value
    if isinstance(value, dict):
        return QLayerConfig.from_dict(value, key)
    if value and isinstance(value[0], list):
        return {QLayerConfig.from_dict(layer, key): names for layer, names in value}
    return [QLayerConfig.from_dict(layer, key) for layer in value]


@dataclasses.dataclass(eq=False)
class CLEConfig(AlgoConfig):
    """Balances the weight ranges of consecutive layers."""

    name = "cle"
    cle_balance_method: str = "max"
    cle_steps: int = 1
    cle_weight_threshold: float = 0.5
    cle_scale_append_bias: bool = True
    cle_scale_use_threshold: bool = True
    cle_total_layer_diff_threshold: float = 1.9e-7


@dataclasses.dataclass(eq=False)
class SmoothQuantConfig(AlgoConfig):
    """Moves outliers of activations into weights."""

    name = "smooth_quant"
    alpha: float = 0.5

    def get_options(self):
        return {"SmoothAlpha": self.alpha}


@dataclasses.dataclass(eq=False)
class QuarotConfig(AlgoConfig):
    """Rotates activations and weights."""

    name = "quarot"
    r_matrix_dim: int = 4096
    use_random_had: bool = False
    r_config_path: Optional[str] = None


@dataclasses.dataclass(eq=False)
class BiasCorrectionConfig(AlgoConfig):
    """Corrects the bias of a layer for its mean quantization error."""

    name = "bias_correction"

    def get_options(self):
        return {"BiasCorrection": True}


@dataclasses.dataclass(eq=False)
class GPTQConfig(AlgoConfig):
    """Rounds weights column by column and corrects the remaining columns for the error."""

    name = "gptq"
    bits: int = 8
    block_size: int = 128
    group_size: int = -1
    perc_damp: float = 0.01
    act_order: bool = False
    per_channel: bool = False
    mse: bool = False
    weight_symmetric: bool = True

    def get_options(self):
        return {"UseGPTQ": True, "GPTQParams": super().get_options()}


@dataclasses.dataclass(eq=False)
class _FastFinetune(AlgoConfig):
    optim_device: str = "cpu"
    infer_device: str = "cpu"
    fixed_seed: int = 1705472343
    data_size: int = 1000000000
    batch_size: int = 1
    num_batches: int = 1
    num_iterations: int = 1000
    learning_rate: float = 0.1
    early_stop: bool = False
    output_index: int = 0
    lr_adjust: Optional[tuple[float, float]] = None
    target_op_type: list[str] = dataclasses.field(default_factory=lambda: list(_TUNED_OPS))
    selective_update: bool = False
    update_bias: bool = False
    output_qdq: bool = False
    drop_ratio: float = 1.0
    mem_opt_level: int = 1
    cache_dir: Optional[str] = None
    log_period: int = 100
    ref_model_path: Optional[str] = None
    dynamic_batch: bool = False
    parallel: bool = False
    reg_param: float = 0.01
    beta_range: tuple[float, float] = (20, 2)
    warm_start: float = 0.2
    select_max_mem_layer: bool = False
    num_workers: int = 1
    pin_memory: bool = False
    use_gds: bool = False

    def get_options(self):
        return {"FastFinetune": {"OptimAlgorithm": self.name, **super().get_options()}}


class AdaRoundConfig(_FastFinetune):
    """Learns which way each weight is rounded."""

    name = "adaround"


@dataclasses.dataclass(eq=False)
class AdaQuantConfig(_FastFinetune):
    """Learns weights that round well."""

    name = "adaquant"
    num_iterations: int = 3000
    learning_rate: float = 1e-5


@dataclasses.dataclass(eq=False)
class AutoMixprecisionConfig(AlgoConfig):
    """Gives the least or the most sensitive layers another configuration."""

    name = "auto_mixprecision"
    target_layer_config: Union[QLayerConfig, dict, list[QLayerConfig]]
    target_op_type: Union[tuple[str, ...], list[str]] = _MATRIX_OPS
    subgraph_json: Optional[Union[str, pathlib.Path]] = None
    include_layers: Optional[list[str]] = None
    exclude_layers: Optional[list[str]] = None
    data_size: int = 0
    metric_output_index: int = 0
    metric_distance_fn: Optional[Callable[..., float]] = None
    metric_evaluate_fn: Optional[Callable[..., float]] = None
    metric_default: str = "l2"
    metric_threshold: Optional[float] = 0
    metric_optimize_object: str = "speed"
    sensitivity_cache_file: Optional[Union[str, pathlib.Path]] = None
    worker_num: int = 1
    dual_quant_nodes: bool = False
    no_input_qdq_shared: bool = False
    shared_param_mode: str = "propagate"

    def __post_init__(self):
        super().__post_init__()
        if self.metric_distance_fn is not None and self.metric_evaluate_fn is not None:
            raise ConfigError(1004, "AutoMixprecisionConfig: metric_distance_fn and metric_evaluate_fn: got both, wanted one",
                              exit_status=2)

    def get_options(self):
        options = super().get_options()
        return {"AutoMixprecision": {**options, "IncludeLayers": self.include_layers or [], "ExcludeLayers": self.exclude_layers or []}}


_with_fields = AutoMixprecisionConfig.__init__


@functools.wraps(_with_fields)
def _with_earlier_fields(self, *args, **given):
    _with_fields(self, *args, **earlier_mixing.translated(given))


AutoMixprecisionConfig.__init__ = _with_earlier_fields

ALGO_NAME_TO_CLASS = {each.name: each for each in (CLEConfig, SmoothQuantConfig, QuarotConfig, BiasCorrectionConfig, GPTQConfig,
                                                   AutoMixprecisionConfig, AdaRoundConfig, AdaQuantConfig)}

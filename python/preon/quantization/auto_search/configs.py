"""The QConfig that a configuration of AutoSearchPro's space stands for."""
import json

from ...errors import ConfigError
from ..config import spec
from ..config.algorithm import ALGO_NAME_TO_CLASS
from ..config.config import QConfig
from ..config.data_type import data_type_of
from ..config.plain import plain
from ..members import did_you_mean, parse_enum

#: Names of the space beside options of AMD Quark, which begin with a capital letter.
NAMES = ("activation", "activation_params", "weight", "weight_params", "algorithms", "cle_algo", "cle_params",
         "specific_layer_config", "layer_type_config", "exclude", "use_external_data_format", "preon_options",
         *(f"{name}_params" for name in ALGO_NAME_TO_CLASS if name != "cle"))
_ENUMS = {"scale_type": spec.ScaleType, "calibration_method": spec.CalibMethod, "quant_granularity": spec.QuantGranularity}
_JOINT = "NumIterLR"
_SPECS = {name: each for name, each in vars(spec).items()
          if isinstance(each, type) and issubclass(each, spec.QTensorConfig) and name.endswith("Spec")}


def to_qconfig(params):
    """The QConfig of a configuration. Raises ConfigError for names and values that are not known."""
    left = dict(params)
    layer = spec.QLayerConfig(input_tensors=_spec("activation", left), weight=_spec("weight", left))
    algorithms = [_algorithm(name, left) for name in _names(left.pop("algorithms", None))]
    cle = [_algorithm(name, left) for name in _names(left.pop("cle_algo", None))]
    for unused in [name for name in left if name.endswith("_params")]:
        left.pop(unused)  # of an algorithm that this configuration does not have
    known = {name: left.pop(name, None) for name in ("specific_layer_config", "layer_type_config", "preon_options")}
    exclude, external = left.pop("exclude", None), left.pop("use_external_data_format", None)
    return QConfig(layer, **known, exclude=_selectors(exclude), algo_config=algorithms + cle,
                   use_external_data_format=bool(external), extra_options=left)


def process_joint_numiter_lr(input_dict):
    """Parameters of an algorithm, with `NumIterLR` as its two parts. Raises ConfigError for other than two."""
    if _JOINT not in input_dict:
        return dict(input_dict)
    pair = input_dict[_JOINT]
    if not isinstance(pair, (list, tuple)) or len(pair) != 2:
        raise ConfigError(1002, f"{_JOINT}: got {pair!r}, wanted [number of iterations, learning rate]", exit_status=2)
    others = {key: value for key, value in input_dict.items() if key != _JOINT}
    return {**others, "num_iterations": pair[0], "learning_rate": pair[1]}


def label(value):
    """A choice as samplers and files have it: None, a flag, number or text; everything else as JSON."""
    stored = plain(value, "", strict=False)
    return stored if stored is None or isinstance(stored, (bool, int, float, str)) else json.dumps(stored, default=repr)


def labels(config):
    """A configuration as plain values, to be compared and stored."""
    is_group = isinstance(config, dict) and all(isinstance(name, str) for name in config)
    return {name: labels(value) for name, value in config.items()} if is_group else label(config)


def _spec(role, params):
    name, given = params.pop(role, None), dict(params.pop(f"{role}_params", None) or {})
    is_own = isinstance(name, type) and issubclass(name, spec.QTensorConfig)
    if not is_own and name not in _SPECS:
        raise ConfigError(1002, f"search_space: {role}: got {name!r}, wanted one of {', '.join(_SPECS)}"
                                + did_you_mean(name, _SPECS), exit_status=2)
    config = name() if is_own else _SPECS[name]()
    spec.check_keys(given, ["symmetric", *_ENUMS, "data_type"], f"search_space: {role}_params")
    for key, value in given.items():
        where = f"search_space: {role}_params.{key}"
        if key == "data_type":
            value = data_type_of(value, where)
        elif key in _ENUMS:
            value = parse_enum(_ENUMS[key], value, where)
        setattr(config, key, value)
    return config


def _names(choice):
    return [] if choice is None else list(choice) if isinstance(choice, (list, tuple)) else [choice]


def _algorithm(name, params):
    kind = ALGO_NAME_TO_CLASS.get(name)
    if kind is None:
        raise ConfigError(1002, f"search_space: algorithms: got {name!r}, wanted one of {', '.join(ALGO_NAME_TO_CLASS)}"
                                + did_you_mean(name, ALGO_NAME_TO_CLASS), exit_status=2)
    given = process_joint_numiter_lr(params.pop(f"{name}_params", None) or {})
    return kind.from_dict({"name": name, **given})


def _selectors(exclude):
    """A choice of `exclude` is one selector or a list of them."""
    return [] if exclude is None else exclude if isinstance(exclude, list) else [exclude]

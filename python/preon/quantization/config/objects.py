"""What a configuration has that no dictionary can hold, readers and functions: as arguments of quantize()."""
import copy

from ...errors import ConfigError
from ...samples import is_reader
from .algorithm import AutoMixprecisionConfig

_READER, _SWITCH, _MIXING = "EvalDataReader", "EvalMetrics", "AutoMixprecision"
_KEYS = {"metric_distance_fn": "MetricDistanceFn", "metric_evaluate_fn": "MetricEvaluateFn"}


def without_objects(config, calibrates):
    """(a copy without them; arguments of quantize() that stand for them; warnings of objects that are not used).

    config      QConfig or QuantizationConfig; not changed
    calibrates  the reader of the calibration, or None

    Raises ConfigError for objects of the wrong kind, and for two functions.
    """
    if config.extra_options is not None and not isinstance(config.extra_options, dict):
        return config, {}, []  # its own check says so
    config = copy.copy(config)
    config.extra_options = dict(config.extra_options or {})
    told = []
    return config, {**_eval_data(config.extra_options, calibrates, told), **_distance(config)}, told


def _eval_data(options, calibrates, told):
    """Takes the reader out. That of the calibration is the default, whose samples judge without the key, too."""
    reader = options.pop(_READER, None)
    if reader is None:
        return {}
    if not is_reader(reader):
        got = f"the class {reader.__name__}" if isinstance(reader, type) else type(reader).__name__
        raise ConfigError(1002, f"{_READER}: got {got}, wanted an object with get_next()", exit_status=2)
    if not options.get(_SWITCH):
        told.append(f"{_READER}: has no effect without {_SWITCH}=True")
        return {}
    return {} if reader is calibrates else {"eval_data": reader}


def _distance(config):
    """Takes the functions of mixed precision out; those of extra_options go over those of its class."""
    functions, algorithms = {}, []
    listed = getattr(config, "algo_config", None)
    for each in listed if isinstance(listed, (list, tuple)) else []:
        if isinstance(each, AutoMixprecisionConfig):
            functions.update({name: getattr(each, name) for name in _KEYS if getattr(each, name) is not None})
            each = copy.copy(each)
            each.metric_distance_fn = each.metric_evaluate_fn = None
        algorithms.append(each)
    if functions:
        config.algo_config = algorithms
    table = config.extra_options.get(_MIXING)
    if isinstance(table, dict):
        of_table = {name: table[key] for name, key in _KEYS.items() if table.get(key) is not None}
        functions = of_table or functions
        config.extra_options[_MIXING] = {key: value for key, value in table.items() if key not in _KEYS.values()}
    for name, function in functions.items():
        if not callable(function):
            raise ConfigError(1002, f"{_MIXING}.{_KEYS[name]}: got {type(function).__name__}, wanted a function", exit_status=2)
    if len(functions) > 1:
        raise ConfigError(1004, "metric_distance_fn and metric_evaluate_fn: got both, wanted one", exit_status=2)
    return {"precision_distance": _of_lists(**functions)} if functions else {}


def _of_lists(metric_distance_fn=None, metric_evaluate_fn=None):
    """What Quark's functions get: for each run a list of the outputs that are compared, which is one."""
    if metric_distance_fn is not None:
        def distance(of_float, of_quantized):
            return metric_distance_fn(_runs(of_float), _runs(of_quantized))
    else:
        score = []  # of the float model, whose outputs are always the same

        def distance(of_float, of_quantized):
            if not score:
                score.append(metric_evaluate_fn(_runs(of_float)))
            return score[0] - metric_evaluate_fn(_runs(of_quantized))

    distance.__name__ = getattr(metric_distance_fn or metric_evaluate_fn, "__name__", "function")
    return distance


def _runs(outputs):
    return [[output] for output in outputs]

"""Settings of AutoSearch."""
import inspect
import warnings

from ...calibration.methods import CalibrationMethod, LayerWiseMethod, PowerOfTwoMethod
from ...errors import ConfigError
from ..config.spec import check_keys
from ..members import did_you_mean
from ..quant_utils import QuantType


class AutoSearchConfig:
    """Settings of AutoSearch; a class with some of these attributes is as good."""

    search_space = {
        "calibrate_method": [PowerOfTwoMethod.MinMSE, PowerOfTwoMethod.NonOverflow, CalibrationMethod.MinMax,
                             CalibrationMethod.Entropy, CalibrationMethod.Percentile, LayerWiseMethod.LayerWisePercentile],
        "activation_type": [QuantType.QInt8, QuantType.QInt16], "weight_type": [QuantType.QInt8, QuantType.QInt16],
        "include_cle": [True, False], "include_auto_mp": [False, True], "include_fast_ft": [False, True],
        "include_sq": [False, True],
        "extra_options": {
            "ActivationSymmetric": [True, False], "WeightSymmetric": [True, False], "CalibMovingAverage": [True, False],
            "CalibMovingAverageConstant": [0.01, 0.001], "Percentile": [99.99, 99.999], "SmoothAlpha": [0.5, 0.6],
            "FastFinetune": {"DataSize": [500, 1000], "NumIterations": [100, 1000],
                             "OptimAlgorithm": ["adaround", "adaquant"], "LearningRate": [0.01, 0.001, 0.0001],
                             "FixedSeed": [42]}}}
    search_metric = "L2"
    search_algo = "grid_search"
    search_evaluator = None
    search_metric_tolerance = 2.0e4
    search_cache_dir = "./"
    search_output_dir = "./"
    search_log_path = "./auto_search.log"
    two_stage_search = False
    advanced_fastft_search = False
    advanced_fastft_params = {"sampler_algo": "TPE", "direction": "minimize", "n_trials": 10}
    n_jobs = 2
    search_devices = "cuda:0,1"
    search_stop_condition = {"find_n_candidates": 1e3, "find_best_candidate": -1, "iteration_limit": 1e5,
                             "time_limit": 30 * 24 * 3600}


#: Why a setting has no effect.
_NO_EFFECT = {"n_jobs": "trials run one after the other, each on all processors", "search_devices": "trials run on the CPU"}


def settings_of(given):
    """Values by name, defaults for what `given` does not have. Raises ConfigError; warns of what has no effect."""
    defaults = {name: value for name, value in vars(AutoSearchConfig).items() if not name.startswith("__")}
    own = _own_names(given)
    for name in own:
        value = getattr(given, name)
        if name not in defaults and not callable(value) and not _is_another_space(name, value):
            raise ConfigError(1001, f"AutoSearchConfig: unknown attribute '{name}'" + did_you_mean(name, defaults), exit_status=2)
        if name in _NO_EFFECT:
            warnings.warn(f"{name}: no effect: {_NO_EFFECT[name]}", UserWarning, 4)
    settings = {**defaults, **{name: getattr(given, name) for name in own if name in defaults}}
    for name in ("search_stop_condition", "advanced_fastft_params"):
        check_keys(settings[name], [*defaults[name]], name)
        settings[name] = {**defaults[name], **settings[name]}
    if settings["search_stop_condition"]["find_best_candidate"] != -1:
        warnings.warn("search_stop_condition: find_best_candidate: no effect: the best one is known when all have run", UserWarning, 4)
    if settings["advanced_fastft_params"]["direction"] != "minimize":
        warnings.warn("advanced_fastft_params: direction: no effect: the metric says which score is the better one", UserWarning, 4)
    if settings["search_algo"] not in ("grid_search", "random"):
        raise ConfigError(1002, f"search_algo: got {settings['search_algo']!r}, wanted grid_search or random", exit_status=2)
    return settings


def _is_another_space(name, value):
    """One for AutoSearch.build_all_configs beside `search_space`."""
    return name.startswith("search_space_") and isinstance(value, dict)


def _own_names(given):
    """Public attributes that a class, or an object of it, has beside those of AutoSearchConfig itself."""
    kinds = inspect.getmro(given if isinstance(given, type) else type(given))
    owners = [each for each in (given, *kinds) if each not in (AutoSearchConfig, object)]
    return sorted({name for owner in owners for name in getattr(owner, "__dict__", {}) if not name.startswith("_")})
